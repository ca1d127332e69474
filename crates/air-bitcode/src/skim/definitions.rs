//! Abbreviations that a block defines.

use super::short::Short;
use crate::bits::BitReader;

/// Bits of a definition that are compared; LLVM's longest for modules has 77.
const MOST: u64 = 2 * BitReader::LOOK;

/// Definitions of a block; LLVM's have no more than a dozen.
const MANY: usize = 32;

/// Abbreviations of a block in the order of their definitions. Those of the last block of its
/// kind are kept: from module to module they hardly differ, and comparing takes less time than
/// reading.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    known: Vec<Known>,
    /// How many of them the present block has defined.
    count: usize,
}

#[derive(Debug)]
struct Known {
    bits: [u64; 2],
    /// How many bits it took; 0 if there are too many to compare.
    length: u64,
    short: Short,
}

impl Definitions {
    /// Begins a block.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.count = 0;
    }

    /// Reads the next definition; none if it is of another form, or makes no sense.
    #[inline]
    pub(crate) fn define(&mut self, reader: &mut BitReader<'_>) -> Option<()> {
        let index = self.count;
        self.count += 1;
        match self.known.get(index) {
            Some(known) if known.length > 0 && known.bits == bits(reader, known.length) => {
                reader.skip(known.length, "abbreviation").ok()
            }
            _ if index < MANY => self.read(index, reader),
            _ => None,
        }
    }

    #[cold]
    fn read(&mut self, index: usize, reader: &mut BitReader<'_>) -> Option<()> {
        let before = *reader;
        let mut short = Short::EMPTY;
        if short.read(reader).is_none() {
            // What is known behind it is of no use without it.
            self.known.truncate(index);
            return None;
        }
        let length = reader.position() - before.position();
        let length = if length <= MOST { length } else { 0 };
        let known = Known { bits: bits(&before, length), length, short };
        match self.known.get_mut(index) {
            Some(slot) => *slot = known,
            None => self.known.push(known),
        }
        Some(())
    }

    /// The abbreviation that is the index-th of the block.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&Short> {
        self.known.get(..self.count)?.get(index).map(|known| &known.short)
    }

    /// The abbreviations of the block.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Short> {
        self.known.iter().take(self.count).map(|known| &known.short)
    }

    /// Moves all abbreviations of the block.
    pub(crate) fn move_to(&mut self, to: &mut Vec<Short>) {
        to.extend(self.known.drain(..self.count.min(self.known.len())).map(|known| known.short));
        self.count = 0;
    }
}

/// The next so many bits, [`MOST`] at most.
#[inline]
fn bits(reader: &BitReader<'_>, length: u64) -> [u64; 2] {
    let low = |word: u64, count: u64| word & ((1 << count) - 1);
    let first = length.min(BitReader::LOOK);
    let second = length - first;
    if second == 0 {
        return [low(reader.look(), first), 0];
    }
    let behind = reader.at(reader.position() + first);
    [low(reader.look(), first), low(behind.look(), second)]
}
