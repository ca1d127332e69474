//! The function list: tags as they are, with positions, sizes and hashes in place.

use metallib::{Error, ErrorKind, FourCc, Function, Library, Module, Offsets, Result};

use super::word;
use crate::hash::ModuleHashes;
use crate::layout::{Layout, group_size};
use crate::pieces::{Pieces, Sink};

pub(crate) fn encode(
    pieces: &mut Pieces<'_>,
    library: &Library<'_>,
    layout: &Layout,
    sizes: &[u64],
    hashes: &mut impl ModuleHashes,
) -> Result<()> {
    let functions = library.functions();
    // Asked once: each answer walks over the extension.
    let lists = (library.sources().is_some(), library.reflection().is_some());
    pieces.new_bytes(&word("function count", functions.len() as u64)?, false);
    for (index, (function, offsets)) in functions.iter().zip(&layout.offsets).enumerate() {
        if library.source_bytes().is_none() {
            check_scripts(function)?;
            check_positions(function, library, lists)
                .map_err(|e| e.within(function.place(index)))?;
        }
        let size = group_size(function.tags.as_bytes().len());
        pieces.new_bytes(&word("function group", size)?, false);
        let hash = hashes.of(function);
        let values = Values::of(function, *offsets, layout, sizes, hash);
        let mut written = 0;
        let tags = function.tags.as_bytes();
        for tag in function.tags.iter() {
            let start = usize::try_from(tag.offset - function.tags.offset()).unwrap_or_default();
            if let Some(value) = values.of_tag(tag.id).filter(|v| v.len() == tag.payload.len()) {
                pieces.new_bytes(tags.get(written..start).unwrap_or_default(), false);
                pieces.new_bytes(value, false);
                written = start + value.len();
            }
        }
        pieces.new_bytes(tags.get(written..).unwrap_or_default(), false);
        pieces.new_bytes(&FourCc::ENDT.bytes(), false);
    }
    Ok(())
}

/// New payloads of the tags that depend on where things lie.
struct Values {
    offsets: Option<[u8; 24]>,
    hash: Option<[u8; 32]>,
    size: Option<[u8; 8]>,
    archive: Option<[u8; 8]>,
    reflection: Option<[u8; 8]>,
}

impl Values {
    fn of(
        function: &Function<'_>,
        offsets: Offsets,
        layout: &Layout,
        sizes: &[u64],
        hash: Option<[u8; 32]>,
    ) -> Self {
        let at = |list: &[u64], index: usize| list.get(index).map(|offset| offset.to_le_bytes());
        Self {
            offsets: function.module.map(|_| offsets.bytes()),
            hash,
            size: function.module.and_then(|id| at(sizes, id.index())),
            archive: function.archive.and_then(|id| at(&layout.archives, id.index())),
            reflection: function.reflection.and_then(|id| at(&layout.buffers, id.index())),
        }
    }

    /// The new payload of a tag; `None` if it stays.
    fn of_tag(&self, id: FourCc) -> Option<&[u8]> {
        match id {
            FourCc::OFFT => self.offsets.as_ref().map(|v| &v[..]),
            FourCc::HASH => self.hash.as_ref().map(|v| &v[..]),
            FourCc::MDSZ => self.size.as_ref().map(|v| &v[..]),
            FourCc::SOFF => self.archive.as_ref().map(|v| &v[..]),
            FourCc::RFLT => self.reflection.as_ref().map(|v| &v[..]),
            _ => None,
        }
    }
}

/// Refuses what refers into the script list by offset, unless the list stays as it was.
fn check_scripts(function: &Function<'_>) -> Result<()> {
    let special = function.tags.iter().find(|tag| matches!(tag.id, FourCc::SPCI | FourCc::STCI));
    let Some(tag) = special else { return Ok(()) };
    let what = format!(
        "function `{}` has tag {}, which refers into the script list by offset; \
         editing such a library is not supported",
        function.name(),
        tag.id
    );
    Err(Error::new(ErrorKind::Value { what }, tag.offset))
}

/// Refuses what would mean something else in the new layout than it did in the old one;
/// `lists` says whether the library has sources and reflection.
fn check_positions(
    function: &Function<'_>,
    library: &Library<'_>,
    lists: (bool, bool),
) -> Result<()> {
    let references = [
        (FourCc::SOFF, function.archive.is_none() && lists.0),
        (FourCc::RFLT, function.reflection.is_none() && lists.1),
    ];
    let lost = references.into_iter().filter(|(_, lost)| *lost);
    if let Some(tag) = lost.filter_map(|(id, _)| function.tags.get(id)).next() {
        let what = format!(
            "tag {} points at nothing, and might point at something once it is moved; editing \
             such a library is not supported",
            tag.id
        );
        return Err(Error::new(ErrorKind::Value { what }, tag.offset));
    }
    let Some(id) = function.module else { return Ok(()) };
    let is_last = id.index() + 1 >= library.modules().len();
    if is_last || function.tags.get(FourCc::MDSZ).is_some() {
        return Ok(());
    }
    // Only here is a module looked at: in large libraries, which have MDSZ, each look at a
    // module would bring pages into memory that the plan can do without.
    let stated = |module: &Module<'_>| module.wrapper().map(|wrapper| wrapper.module_size());
    let module = library.module_of(function);
    if module.is_some_and(|module| stated(module) == Some(module.bytes().len() as u64)) {
        return Ok(());
    }
    let what = "neither MDSZ nor a wrapper gives the size of the module, so it cannot have \
                another one behind it";
    Err(Error::new(ErrorKind::Value { what: what.to_owned() }, function.tags.offset()))
}
