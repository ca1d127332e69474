//! Finds the paths in a library.

use std::ops::Range;
use std::sync::Arc;

use air_bitcode::Module;
use metallib::{
    BufferEntry, ExtensionTag, ExtensionValue, FourCc, Library, Section, Sources, TagList,
};

use super::archives::in_archives;
use super::text::{self, Form, may_hold, spans};
use super::untyped::{in_bytes, in_envelope, in_function, in_section};
use super::{HOLDING, PathOccurrence, form_of, use_name};
use crate::error::{Error, Result};
use crate::io::Input;
use crate::modules::{self, Users};

/// What a text is part of.
#[derive(Clone, Copy)]
pub(crate) struct At<'p> {
    pub(super) place: &'p str,
    pub(super) function: Option<usize>,
    pub(super) archive: Option<usize>,
    /// Where the text begins, or the archive that it is packed in.
    pub(super) offset: u64,
    /// Whether the text is packed in an archive, and has no offset of its own.
    pub(super) is_packed: bool,
    /// Bytes of the shortest path that counts.
    pub(super) least: usize,
}

impl<'p> At<'p> {
    pub(crate) const fn new(place: &'p str, offset: u64) -> Self {
        Self { place, function: None, archive: None, offset, is_packed: false, least: 0 }
    }
}

/// Gives the paths in a text.
pub(super) fn look(text: &[u8], form: Form, at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    let mut place = None;
    for span in spans(text, form) {
        let path = text.get(span.start..span.range.end).filter(|path| path.len() >= at.least);
        let Some(path) = path else { continue };
        let inside = if at.is_packed { 0 } else { span.start as u64 };
        each(PathOccurrence {
            path: path.to_vec(),
            user: text::user(path).map(<[u8]>::to_vec),
            // A text of megabytes may hold a path in every third byte.
            place: Arc::clone(place.get_or_insert_with(|| at.place.into())),
            function: at.function,
            archive: at.archive,
            offset: at.offset + inside,
        });
    }
}

/// A text with paths, kept until it is its turn.
struct Kept {
    text: Vec<u8>,
    form: Form,
    place: String,
    offset: u64,
    least: usize,
}

impl Kept {
    /// The text, if it holds a path.
    fn of(text: &[u8], form: Form, at: At<'_>) -> Option<Self> {
        spans(text, form).next()?;
        let At { place, offset, least, .. } = at;
        Some(Self { text: text.to_vec(), form, place: place.to_owned(), offset, least })
    }
}

/// Finds absolute paths, and paths through the homes of users, in all places of a library.
///
/// In tags and sections that are not known what is printable is looked through.
///
/// `each` gets them in the order of functions, sections and modules. Of modules only metadata
/// and their own records are read, on as many threads as `threads` says.
///
/// # Errors
/// If a module or a source archive cannot be read, or the input was changed since it was opened;
/// what was found before is given.
pub fn paths(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    mut each: impl FnMut(PathOccurrence),
) -> Result<()> {
    for (index, function) in library.functions().iter().enumerate() {
        let at = |place, offset| At { function: Some(index), ..At::new(place, offset) };
        for tag in [&function.public, &function.private].into_iter().flat_map(TagList::iter) {
            match tag.id {
                FourCc::DEBI => {
                    let (start, path) = debug_path(tag.payload);
                    look(path, Form::File, at("tag DEBI", tag.offset + start), &mut each);
                }
                FourCc::DEPF => {
                    look(until_nul(tag.payload), Form::File, at("tag DEPF", tag.offset), &mut each);
                }
                _ => {}
            }
        }
        in_function(index, function, &mut each);
    }
    for tag in library.extension().into_iter().flat_map(|extension| &extension.tags) {
        section(input, tag, &mut each)?;
        in_section(tag, &mut each);
    }
    in_modules(input, library, threads, each)
}

/// The path of a payload of DEBI, and where it begins: behind the line.
pub(crate) fn debug_path(payload: &[u8]) -> (u64, &[u8]) {
    (4, until_nul(payload.get(4..).unwrap_or_default()))
}

fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn section(
    input: &Input,
    tag: &ExtensionTag<'_>,
    each: &mut impl FnMut(PathOccurrence),
) -> Result<()> {
    match &tag.value {
        ExtensionValue::Section(Section::Sources(found)) => {
            return sources(input, tag.id, found, each);
        }
        ExtensionValue::Section(Section::Dynamic(tags)) => {
            for tag in tags.iter().filter(|tag| matches!(tag.id, FourCc::NAME | FourCc::DYNL)) {
                let place = format!("section HDYN: {}", tag.id);
                look(until_nul(tag.payload), Form::File, At::new(&place, tag.offset), each);
            }
        }
        ExtensionValue::Section(Section::Buffers(list)) if tag.id == FourCc::RLST => {
            for entry in list.entries() {
                let offset = entry.tags.offset();
                let place = "section RLST: reflection";
                reflection_strings(entry, |text| {
                    look(text, Form::Text, At::new(place, offset), each);
                });
            }
        }
        _ => {}
    }
    Ok(())
}

/// Gives the strings of a reflection entry that may hold paths.
pub(crate) fn reflection_strings(entry: &BufferEntry<'_>, mut each: impl FnMut(&[u8])) {
    let buffer = entry.buffer().unwrap_or_default();
    strings_in(&buffer).for_each(|range| each(buffer.get(range).unwrap_or_default()));
}

/// Where strings stand in reflection; nowhere if it holds no path. They are found by their form
/// (length, text, NUL, at a multiple of 4), for not all tables are known.
pub(super) fn strings_in(buffer: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let end = if may_hold(buffer) { buffer.len() } else { 0 };
    (0..end).step_by(4).filter_map(|start| {
        let (length, rest) = buffer.get(start..)?.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (text, _) = rest.split_at_checked(length).filter(|(_, end)| end.first() == Some(&0))?;
        (length > 1 && !text.contains(&0)).then_some(start + 4..start + 4 + length)
    })
}

fn sources(
    input: &Input,
    id: FourCc,
    found: &Sources<'_>,
    each: &mut impl FnMut(PathOccurrence),
) -> Result<()> {
    let offset = |text: &[u8]| input.offset_of(text).unwrap_or(0);
    let place = format!("section {id}: link options");
    look(&found.link_options, Form::Command, At::new(&place, offset(&found.link_options)), each);
    if let Some(folder) = &found.working_dir {
        let place = format!("section {id}: working directory");
        look(folder, Form::Folder, At::new(&place, offset(folder)), each);
    }
    in_archives(input, found, each)
}

/// What a batch of modules gives.
#[derive(Default)]
struct Batch {
    found: Vec<(usize, Kept)>,
    unread: Vec<(usize, String)>,
}

fn in_modules(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    mut each: impl FnMut(PathOccurrence),
) -> Result<()> {
    let users = Users::new(library);
    let read = |batch: &mut Batch, index: usize, bytes: &[u8]| {
        let mut keep = |text: &[u8], form, at: At<'_>| {
            batch.found.extend(Kept::of(text, form, at).map(|kept| (index, kept)));
        };
        let found = in_module(bytes, &mut keep);
        if let Err(error) = found {
            batch.unread.push((index, error.to_string()));
        }
    };
    let mut unread = Vec::new();
    modules::fold(input, library, threads, read, |mut batch: Batch| {
        for (index, Kept { text, form, place, offset, least }) in batch.found {
            let start = library.modules().get(index).map_or(0, metallib::Module::offset);
            let function = users.of(Some(index)).first().map(|(_, function)| *function);
            let at = At { function, least, ..At::new(&place, start + offset) };
            look(&text, form, at, &mut each);
        }
        unread.append(&mut batch.unread);
        Ok(())
    })?;
    let Some((first, error)) = unread.first() else { return Ok(()) };
    let (count, all) = (unread.len(), library.modules().len());
    let place = modules::place(library, &users, *first);
    Err(Error::refused(format!(
        "{}: {count} of {all} modules cannot be read: {place}: {error}",
        input.name()
    )))
}

/// Finds the paths in a module alone, such as an `.air` file; offsets are from its first byte.
///
/// # Errors
/// If the module's own records or its metadata cannot be read.
pub fn module_paths(bytes: &[u8], mut each: impl FnMut(PathOccurrence)) -> air_bitcode::Result<()> {
    in_module(bytes, &mut |text, form, at| look(text, form, at, &mut each))
}

/// Gives the texts of a module that may hold paths.
fn in_module(bytes: &[u8], each: &mut impl FnMut(&[u8], Form, At<'_>)) -> air_bitcode::Result<()> {
    let module = Module::parse(bytes)?;
    for found in module.texts(HOLDING)? {
        let place = format!("module: {}", use_name(&found));
        each(&found.bytes, form_of(&found), At::new(&place, found.offset));
    }
    carried(&module, bytes, each)
}

/// Finds the paths in a module that no edit rewrites: in names, attributes, assembly, and beside
/// the bitcode.
pub(crate) fn in_what_is_carried(
    module: &Module<'_>,
    bytes: &[u8],
    each: &mut impl FnMut(PathOccurrence),
) -> air_bitcode::Result<()> {
    carried(module, bytes, &mut |text, form, at| look(text, form, at, each))
}

fn carried(
    module: &Module<'_>,
    bytes: &[u8],
    each: &mut impl FnMut(&[u8], Form, At<'_>),
) -> air_bitcode::Result<()> {
    for found in module.carried_texts(HOLDING)? {
        let place = format!("module: {}", found.what);
        in_bytes(&found.bytes, At::new(&place, found.offset), each);
    }
    in_envelope(bytes, each)
}
