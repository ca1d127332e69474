//! Buffers that parts of files are read into.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

thread_local! {
    /// Buffers that are not in use: fresh memory costs a fault for each page.
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// Most buffers that a thread keeps: it may be given those of others.
const MOST: usize = 2;

/// Bytes of a file, whose memory the thread uses again.
pub(super) struct Buffer {
    memory: Vec<u8>,
    length: usize,
}

impl Buffer {
    /// Reads so many bytes of a file.
    pub(super) fn read(file: &File, start: u64, length: usize) -> io::Result<Self> {
        let spare = SPARE.with_borrow_mut(Vec::pop);
        let mut buffer = Self { memory: spare.unwrap_or_default(), length };
        if buffer.memory.len() < length {
            buffer.memory.resize(length, 0);
        }
        file.read_exact_at(buffer.memory.get_mut(..length).unwrap_or_default(), start)?;
        Ok(buffer)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.memory.get(..self.length).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        // A thread that ends has no use for it.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MOST {
                spare.push(memory);
            }
        });
    }
}
