//! Reading: the table, the slices, and whether the file lies as a new layout would have it.

use std::borrow::Cow;

use crate::architecture::Architecture;
use crate::builder::{Builder, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::form::Form;

/// One part of a universal file, for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice<'a> {
    pub(crate) architecture: Architecture,
    pub(crate) alignment: u32,
    pub(crate) reserved: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl Slice<'_> {
    /// What the slice is for.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The slice's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Absolute offset of its bytes in the file it was read from; 0 if it was not read.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The power of two that its offset is to be a multiple of.
    #[must_use]
    pub fn alignment(&self) -> u32 {
        self.alignment
    }

    /// Absolute end of its bytes.
    pub(crate) fn end(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }
}

/// Where a file differs from what a new layout of its slices would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregularity {
    /// Absolute offset in bytes.
    pub offset: u64,
    /// What was found there, and what was expected.
    pub what: String,
}

/// A universal file.
#[derive(Clone, Debug)]
pub struct Universal<'a> {
    source: &'a [u8],
    form: Form,
    slices: Vec<Slice<'a>>,
    irregularity: Option<Irregularity>,
    overlap: Option<Error>,
}

impl<'a> Universal<'a> {
    /// Whether bytes begin as a universal file does. Java's class files do, too.
    #[must_use]
    pub fn is_universal(data: &[u8]) -> bool {
        data.first_chunk().is_some_and(|magic| Form::of_magic(*magic).is_some())
    }

    /// Reads a universal file. Slices are borrowed; what they hold is not looked at.
    ///
    /// # Errors
    /// If the magic number is another, or the table or a slice does not lie in the file.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        let magic = data.first_chunk().copied().unwrap_or_default();
        let form = Form::of_magic(magic).ok_or_else(|| Error::new(ErrorKind::NotUniversal, 0))?;
        Self::read(data, form).map_err(|error| java_class(data, form).unwrap_or(error))
    }

    fn read(data: &'a [u8], form: Form) -> Result<Self> {
        let count = u64::from(form.order.u32(field(data, 4, "slice count")?));
        let table = count * form.entry_size();
        let available = (data.len() as u64).saturating_sub(8);
        if table > available {
            let kind = ErrorKind::Truncated { what: "table of slices", needed: table, available };
            return Err(Error::new(kind, 8));
        }
        let entries = (0..count).map(|index| 8 + index * form.entry_size());
        let slices = entries.enumerate().map(|(index, at)| slice(data, form, index, at));
        let slices = slices.collect::<Result<Vec<_>>>()?;
        let overlap = find_overlap(&slices, 8 + table);
        let irregularity = find_irregularity(data, form, &slices);
        Ok(Self { source: data, form, slices, irregularity, overlap })
    }

    /// The bytes it was read from. Written as they are, they are the unedited file.
    #[must_use]
    pub fn source_bytes(&self) -> &'a [u8] {
        self.source
    }

    /// Form of the table.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The slices, in the order of the table.
    #[must_use]
    pub fn slices(&self) -> &[Slice<'a>] {
        &self.slices
    }

    /// The first slice of an architecture.
    #[must_use]
    pub fn slice(&self, architecture: Architecture) -> Option<&Slice<'a>> {
        self.slices.iter().find(|slice| slice.architecture == architecture)
    }

    /// Where the file first differs from a new layout of its slices, if it does.
    #[must_use]
    pub fn irregularity(&self) -> Option<&Irregularity> {
        self.irregularity.as_ref()
    }

    /// Begins an edit. Without a change it gives the file's bytes, if they are regular.
    ///
    /// # Errors
    /// If slices overlap; or if the file does not lie as a new layout would have it and
    /// `new_layout` is false.
    pub fn edit(&self, new_layout: bool) -> Result<Builder<'a>> {
        if let Some(overlap) = &self.overlap {
            return Err(overlap.clone());
        }
        if let (Some(Irregularity { offset, what }), false) = (&self.irregularity, new_layout) {
            return Err(Error::new(ErrorKind::Irregular { what: what.clone() }, *offset));
        }
        Ok(Builder::of_slices(self.form, self.slices.clone()))
    }
}

/// The number of bytes at an absolute offset.
fn field<const N: usize>(data: &[u8], at: u64, what: &'static str) -> Result<[u8; N]> {
    let rest = usize::try_from(at).ok().and_then(|at| data.get(at..)).unwrap_or_default();
    rest.first_chunk().copied().ok_or_else(|| {
        let available = rest.len() as u64;
        Error::new(ErrorKind::Truncated { what, needed: N as u64, available }, at)
    })
}

/// Reads an entry of the table and finds its slice.
fn slice<'a>(data: &'a [u8], form: Form, index: usize, at: u64) -> Result<Slice<'a>> {
    let word = |at| field(data, at, "entry of a slice").map(|bytes| form.order.u32(bytes));
    let long = |at| field(data, at, "entry of a slice").map(|bytes| form.order.u64(bytes));
    let architecture = Architecture { cpu_type: word(at)?, cpu_subtype: word(at + 4)? };
    let (offset, size, alignment, reserved) = if form.wide {
        (long(at + 8)?, long(at + 16)?, word(at + 24)?, word(at + 28)?)
    } else {
        (u64::from(word(at + 8)?), u64::from(word(at + 12)?), word(at + 16)?, 0)
    };
    let range = usize::try_from(offset).ok().zip(usize::try_from(size).ok());
    let bytes = range.and_then(|(start, size)| data.get(start..start.checked_add(size)?));
    let bytes = bytes.ok_or_else(|| {
        let limit = data.len() as u64;
        let kind = ErrorKind::OutOfRange { start: offset, size, limit };
        Error::new(kind, at + 8).of_slice(index, architecture)
    })?;
    Ok(Slice { architecture, alignment, reserved, offset, bytes: Cow::Borrowed(bytes) })
}

/// The error for a Java class file, if it looks like one: where a universal file has the
/// number of slices it has its version, which begins at 45.
fn java_class(data: &[u8], form: Form) -> Option<Error> {
    let version = u16::from_be_bytes(*data.get(6..)?.first_chunk()?);
    let is_class = form == Form::ORDINARY && (45..=255).contains(&version);
    is_class.then(|| Error::new(ErrorKind::JavaClass { version }, 0))
}

/// The first slice, in the order of the file, that lies in the table or in another one.
fn find_overlap(slices: &[Slice<'_>], table_end: u64) -> Option<Error> {
    let mut order: Vec<(usize, &Slice<'_>)> = slices.iter().enumerate().collect();
    order.sort_by_key(|(_, slice)| (slice.offset, slice.end()));
    let (mut end, mut other) = (table_end, "the table".to_owned());
    for (index, slice) in order {
        if slice.offset < end {
            let kind = ErrorKind::Overlap { start: slice.offset, other, end };
            return Some(Error::new(kind, slice.offset).of_slice(index, slice.architecture));
        }
        (end, other) = (slice.end(), format!("slice {index} {}", slice.architecture));
    }
    None
}

/// The first difference from a new layout of the same slices.
fn find_irregularity(data: &[u8], form: Form, slices: &[Slice<'_>]) -> Option<Irregularity> {
    let differs = |offset: u64, what: String| Some(Irregularity { offset, what });
    let layout = match Layout::of(form, slices) {
        Ok(layout) => layout,
        Err(error) => return differs(8, error.kind().to_string()),
    };
    for (index, (slice, &expected)) in slices.iter().zip(&layout.offsets).enumerate() {
        if slice.offset != expected {
            let name = slice.architecture;
            let found = slice.offset;
            let what = format!("slice {index} {name} is at {found:#x}, expected {expected:#x}");
            return differs(8 + index as u64 * form.entry_size(), what);
        }
    }
    let size = data.len() as u64;
    if layout.size != size {
        let more = size.saturating_sub(layout.size);
        return differs(layout.size, format!("{more} bytes follow the last slice, expected none"));
    }
    let gaps = layout.gaps.iter().filter_map(|gap| {
        let range = usize::try_from(gap.start).ok()?..usize::try_from(gap.end).ok()?;
        let at = data.get(range)?.iter().position(|&byte| byte != 0)?;
        Some(gap.start + at as u64)
    });
    let at = gaps.into_iter().next()?;
    differs(at, "bytes between slices that are not zero".to_owned())
}
