//! The plan of an output: layout and pieces, before a byte is written.

use std::io::{self, Write};

use metallib::{Error, ErrorKind, FourCc, Identity, Library, Result};

use crate::encode;
use crate::hash::{ComputedHashes, Hashes};
use crate::layout::Layout;
use crate::pieces::{Piece, Pieces, Region, Sink};
use crate::uuid::{UuidForm, UuidHasher};

/// What becomes of the UUID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UuidAction {
    /// It stays as it is stored.
    #[default]
    Keep,
    /// It is computed anew, if the library has one.
    Recompute(UuidForm),
}

/// What a plan computes anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Lay out an unedited library anew too, instead of giving its source bytes.
    pub rebuild: bool,
    /// Which module hashes are computed.
    pub hashes: Hashes,
    /// What becomes of the UUID.
    pub uuid: UuidAction,
}

/// A UUID that is not known before the hashed pieces were seen.
#[derive(Clone, Copy, Debug)]
struct PendingUuid {
    form: UuidForm,
    identity: Identity,
    dynamic: bool,
    offset: u64,
}

/// All pieces of an output, in order, and where they go.
///
/// # Examples
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = std::fs::read("default.metallib")?;
/// let library = metallib::Library::parse(&bytes)?;
/// let plan = metallib_write::Plan::new(&library, metallib_write::WriteOptions::default())?;
/// plan.write_to(&mut std::fs::File::create("copy.metallib")?)?;
/// # Ok(())
/// # }
/// ```
pub struct Plan<'p> {
    pieces: Pieces<'p>,
    layout: Option<Layout>,
    pending: Option<PendingUuid>,
}

impl<'p> Plan<'p> {
    /// Plans the output of a library. Hashes new modules; everything else is arithmetic.
    ///
    /// # Errors
    /// If something is too large for the format, or a script list would move in a way
    /// that its references do not survive.
    pub fn new(library: &'p Library<'_>, options: WriteOptions) -> Result<Self> {
        let mut pieces = Pieces::default();
        let untouched = !options.rebuild && options.uuid == UuidAction::Keep;
        if let (true, Some(bytes)) = (untouched, library.source_bytes()) {
            pieces.region("library, unchanged");
            pieces.borrow(bytes, false);
            return Ok(Self { pieces, layout: None, pending: None });
        }
        let layout = Layout::of(library);
        let sizes: Vec<u64> = library.modules().iter().map(|m| m.bytes().len() as u64).collect();
        let mut hashes = ComputedHashes::new(library, options.hashes);
        encode::head(&mut pieces, library, &layout, &sizes, &mut hashes)?;
        encode::modules(&mut pieces, library);
        encode::sections(&mut pieces, library)?;
        check_size(layout.file_size, pieces.end())?;
        let pending = match options.uuid {
            UuidAction::Recompute(form) => uuid_offset(library, &layout).map(|offset| {
                let (identity, dynamic) = (*library.identity(), library.is_dynamic());
                PendingUuid { form, identity, dynamic, offset }
            }),
            UuidAction::Keep => None,
        };
        Ok(Self { pieces, layout: Some(layout), pending })
    }

    /// Bytes of the output.
    #[must_use]
    pub fn total_size(&self) -> u64 {
        self.pieces.end()
    }

    /// Where the parts go; `None` if the output is the unedited source.
    #[must_use]
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// The parts of the output in order, for people.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        self.pieces.regions()
    }

    /// The pieces in order. If [`uuid_hasher`](Self::uuid_hasher) gives something, the
    /// 16 bytes at its offset are not final.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.pieces.iter()
    }

    /// For sinks that write and hash in one pass: where the UUID goes, and the hasher
    /// that takes every piece with `hashed` set. `None` if the UUID is final already.
    #[must_use]
    pub fn uuid_hasher(&self) -> Option<(u64, UuidHasher)> {
        let PendingUuid { form, identity, dynamic, offset } = self.pending?;
        Some((offset, UuidHasher::new(form, identity, dynamic)))
    }

    /// The new UUID and its offset, computed from the pieces; `None` if none is pending.
    #[must_use]
    pub fn compute_uuid(&self) -> Option<(u64, [u8; 16])> {
        let (offset, mut hasher) = self.uuid_hasher()?;
        self.pieces().filter(|piece| piece.hashed).for_each(|piece| hasher.update(piece.bytes));
        Some((offset, hasher.finish()))
    }

    /// Writes the output. A pending UUID is computed first, in a pass of its own.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn write_to(&self, sink: &mut impl Write) -> io::Result<()> {
        let uuid = self.compute_uuid();
        let mut position = 0;
        for piece in self.pieces() {
            write_patched(sink, piece.bytes, position, uuid)?;
            position += piece.bytes.len() as u64;
        }
        Ok(())
    }

    /// The output as one vector.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(usize::try_from(self.total_size()).unwrap_or_default());
        self.pieces().for_each(|piece| out.extend_from_slice(piece.bytes));
        if let Some((offset, uuid)) = self.compute_uuid() {
            patch(&mut out, offset, &uuid);
        }
        out
    }
}

/// Law: the plan's total is what is written.
pub(crate) fn check_size(planned: u64, made: u64) -> Result<()> {
    if planned == made {
        return Ok(());
    }
    let what = format!("planned {planned} bytes, made {made}");
    Err(Error::new(ErrorKind::Value { what }, 0))
}

/// Writes one piece; if the UUID lies in it, with the UUID in its place.
fn write_patched(
    sink: &mut impl Write,
    bytes: &[u8],
    position: u64,
    uuid: Option<(u64, [u8; 16])>,
) -> io::Result<()> {
    match uuid {
        Some((offset, uuid)) if (position..position + bytes.len() as u64).contains(&offset) => {
            let mut patched = bytes.to_vec();
            patch(&mut patched, offset - position, &uuid);
            sink.write_all(&patched)
        }
        _ => sink.write_all(bytes),
    }
}

fn patch(bytes: &mut [u8], offset: u64, new: &[u8]) {
    let skip = usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.iter_mut().skip(skip).zip(new).for_each(|(to, from)| *to = *from);
}

/// Absolute offset of the 16 bytes of tag UUID in the output.
pub(crate) fn uuid_offset(library: &Library<'_>, layout: &Layout) -> Option<u64> {
    let mut position = layout.extension.offset;
    for tag in &library.extension()?.tags {
        if tag.id == FourCc::UUID && tag.payload_size() == 16 {
            return Some(position + 6);
        }
        let head = if tag.id.has_wide_length() { 8 } else { 6 };
        position += head + tag.payload_size();
    }
    None
}
