//! Making universal files: which slices, where they go, and the bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::architecture::Architecture;
use crate::error::{Error, ErrorKind, Result};
use crate::form::Form;
use crate::read::Slice;

/// The alignment of slices in the files that Apple's GPU tools write, as a power of two.
pub const DEFAULT_ALIGNMENT: u32 = 4;

/// The largest alignment that is written, as a power of two: that of Apple's linker.
const MAX_ALIGNMENT: u32 = 15;

/// What lies between slices.
static ZEROES: [u8; 1 << MAX_ALIGNMENT] = [0; 1 << MAX_ALIGNMENT];

/// Where everything goes.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Absolute offset of each slice.
    pub(crate) offsets: Vec<u64>,
    /// Ranges of zeroes in front of the slices that have them.
    pub(crate) gaps: Vec<Range<u64>>,
    /// Size of the file.
    pub(crate) size: u64,
}

impl Layout {
    /// Each slice at the next multiple of its alignment.
    ///
    /// # Errors
    /// If an alignment is larger than any in use, or a number does not fit the form.
    pub(crate) fn of(form: Form, slices: &[Slice<'_>]) -> Result<Self> {
        let mut end = 8 + slices.len() as u64 * form.entry_size();
        let (mut offsets, mut gaps) = (Vec::with_capacity(slices.len()), Vec::new());
        for (index, slice) in slices.iter().enumerate() {
            let wrong = |kind| Error::nowhere(kind).of_slice(index, slice.architecture);
            if slice.alignment > MAX_ALIGNMENT {
                let found = slice.alignment;
                return Err(wrong(ErrorKind::Alignment { found, most: MAX_ALIGNMENT }));
            }
            let size = slice.bytes.len() as u64;
            let start = end.next_multiple_of(1 << slice.alignment);
            for (what, found) in [("offset", start), ("size", size)] {
                if !form.wide && u32::try_from(found).is_err() {
                    return Err(wrong(ErrorKind::TooLarge { what, found }));
                }
            }
            if start > end {
                gaps.push(end..start);
            }
            offsets.push(start);
            end = start + size;
        }
        Ok(Self { offsets, gaps, size: end })
    }
}

/// A universal file under construction.
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    form: Form,
    slices: Vec<Slice<'a>>,
}

impl<'a> Builder<'a> {
    /// A file without slices yet.
    #[must_use]
    pub fn new(form: Form) -> Self {
        Self { form, slices: Vec::new() }
    }

    pub(crate) fn of_slices(form: Form, slices: Vec<Slice<'a>>) -> Self {
        Self { form, slices }
    }

    /// The slices, in the order in which they are written.
    #[must_use]
    pub fn slices(&self) -> &[Slice<'a>] {
        &self.slices
    }

    /// Appends a slice, at a multiple of 16 bytes as Apple's GPU tools have it.
    ///
    /// # Errors
    /// If there is one of this architecture.
    pub fn push(
        &mut self,
        architecture: Architecture,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<()> {
        self.push_aligned(architecture, bytes, DEFAULT_ALIGNMENT)
    }

    /// Appends a slice at a multiple of a power of two.
    ///
    /// # Errors
    /// If there is one of this architecture, or the power is more than 15.
    pub fn push_aligned(
        &mut self,
        architecture: Architecture,
        bytes: impl Into<Cow<'a, [u8]>>,
        alignment: u32,
    ) -> Result<()> {
        if alignment > MAX_ALIGNMENT {
            let kind = ErrorKind::Alignment { found: alignment, most: MAX_ALIGNMENT };
            return Err(Error::nowhere(kind));
        }
        if self.position(architecture).is_ok() {
            return Err(Error::nowhere(ErrorKind::Duplicate { architecture }));
        }
        let bytes = bytes.into();
        self.slices.push(Slice { architecture, alignment, reserved: 0, offset: 0, bytes });
        Ok(())
    }

    /// Gives a slice other bytes. Its place and alignment stay.
    ///
    /// # Errors
    /// If there is none of this architecture.
    pub fn replace(
        &mut self,
        architecture: Architecture,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> Result<()> {
        let index = self.position(architecture)?;
        if let Some(slice) = self.slices.get_mut(index) {
            slice.bytes = bytes.into();
        }
        Ok(())
    }

    /// Keeps the slices for which `keep` is true.
    pub fn retain(&mut self, keep: impl FnMut(&Slice<'a>) -> bool) {
        self.slices.retain(keep);
    }

    /// Puts the slices in the order of CPU types and subtypes, as Apple's tools have them.
    pub fn sort(&mut self) {
        self.slices.sort_by_key(Slice::architecture);
    }

    fn position(&self, architecture: Architecture) -> Result<usize> {
        let found = self.slices.iter().position(|slice| slice.architecture == architecture);
        found.ok_or_else(|| {
            let names: Vec<_> = self.slices.iter().map(|s| s.architecture.to_string()).collect();
            let present = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Error::nowhere(ErrorKind::Absent { architecture, present })
        })
    }

    /// The bytes of the file, in order: the table, slices, and what lies between them.
    ///
    /// # Errors
    /// If there is no slice, or an offset or size does not fit the form.
    pub fn pieces(&self) -> Result<Vec<Cow<'_, [u8]>>> {
        if self.slices.is_empty() {
            return Err(Error::nowhere(ErrorKind::Empty));
        }
        let layout = Layout::of(self.form, &self.slices)?;
        let mut pieces = vec![Cow::Owned(self.table(&layout)?)];
        let mut gaps = layout.gaps.iter().peekable();
        for (slice, offset) in self.slices.iter().zip(&layout.offsets) {
            if let Some(gap) = gaps.next_if(|gap| gap.end == *offset) {
                let zeroes = usize::try_from(gap.end - gap.start).ok();
                let zeroes = zeroes.and_then(|size| ZEROES.get(..size)).unwrap_or_default();
                pieces.push(Cow::Borrowed(zeroes));
            }
            pieces.push(Cow::Borrowed(slice.bytes()));
        }
        Ok(pieces)
    }

    /// The file as one vector.
    ///
    /// # Errors
    /// As [`pieces`](Self::pieces).
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        Ok(self.pieces()?.concat())
    }

    /// Magic number, count and entries.
    fn table(&self, layout: &Layout) -> Result<Vec<u8>> {
        let Form { order, wide, .. } = self.form;
        let mut table = Vec::new();
        let narrow = |what, found: u64| {
            u32::try_from(found).map_err(|_| Error::nowhere(ErrorKind::TooLarge { what, found }))
        };
        order.push_u32(&mut table, self.form.magic());
        order.push_u32(&mut table, narrow("number of slices", self.slices.len() as u64)?);
        for (slice, &offset) in self.slices.iter().zip(&layout.offsets) {
            let size = slice.bytes.len() as u64;
            order.push_u32(&mut table, slice.architecture.cpu_type);
            order.push_u32(&mut table, slice.architecture.cpu_subtype);
            for (what, number) in [("offset", offset), ("size", size)] {
                match wide {
                    true => order.push_u64(&mut table, number),
                    false => order.push_u32(&mut table, narrow(what, number)?),
                }
            }
            order.push_u32(&mut table, slice.alignment);
            if wide {
                order.push_u32(&mut table, slice.reserved);
            }
        }
        Ok(table)
    }
}
