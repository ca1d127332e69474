//! Which input bytes lie in, and looking at them through a window.

use std::ops::Range;

use crate::error::Result;
use crate::io::{Input, IoError, Window};

/// The inputs that an output is made of.
pub(super) struct Sources<'p> {
    inputs: &'p [&'p Input],
    /// Address of the first byte of each input, ascending, and which input it is.
    starts: Vec<(usize, usize)>,
}

/// A range of an input.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) input: usize,
    pub(super) range: Range<u64>,
}

impl<'p> Sources<'p> {
    pub(super) fn new(inputs: &'p [&'p Input]) -> Self {
        let address = |input: &&Input| input.bytes().as_ptr().addr();
        let mut starts: Vec<_> = inputs.iter().map(address).zip(0..).collect();
        starts.sort_unstable();
        Self { inputs, starts }
    }

    /// The input that bytes lie in, and where.
    pub(super) fn locate(&self, bytes: &[u8]) -> Option<(usize, u64)> {
        let address = bytes.as_ptr().addr();
        let behind = self.starts.partition_point(|&(start, _)| start <= address);
        let &(_, index) = self.starts.get(behind.checked_sub(1)?)?;
        Some((index, self.inputs.get(index)?.offset_of(bytes)?))
    }

    /// A window that shows a view; none if there is no such input.
    ///
    /// # Errors
    /// If the input was changed since it was opened.
    pub(super) fn open(&self, view: &View) -> Result<Option<Window<'p>>> {
        let input = self.inputs.get(view.input);
        let window = input.map(|input| input.window(view.range.clone())).transpose();
        Ok(window.map_err(IoError::from)?)
    }

    /// As [`Sources::open`], for a view of which little is looked at.
    pub(super) fn open_sparse(&self, view: &View) -> Result<Option<Window<'p>>> {
        let input = self.inputs.get(view.input);
        let window = input.map(|input| input.sparse_window(view.range.clone())).transpose();
        Ok(window.map_err(IoError::from)?)
    }
}
