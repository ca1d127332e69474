//! A module's records one after the other, without a tree.

use std::ops::Range;

use crate::bits::size;
use crate::renumber::Coded;

/// Words of operands for each byte of the stream that are kept. Real modules have about one;
/// others are left to the tree.
const OPERANDS_A_BYTE: usize = 2;
const SPARE_OPERANDS: usize = 1024;

/// A record. Positions are bits of the stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Item {
    pub(super) code: u32,
    /// The number of the abbreviation in effect that it has, if it has one.
    pub(super) abbreviation: Option<u32>,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) first: usize,
    pub(super) count: usize,
}

impl Item {
    pub(super) fn range(&self) -> Range<usize> {
        self.first..self.first + self.count
    }
}

impl Coded for Item {
    fn code(&self) -> u32 {
        self.code
    }

    fn count(&self) -> usize {
        self.count
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// A node of a list of named metadata.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) name: Item,
    pub(super) nodes: Item,
}

/// Records of a module of one body, by what they are, and their operands.
#[derive(Debug, Default)]
pub(super) struct Flat {
    pub(super) operands: Vec<u64>,
    limit: usize,
    pub(super) globals: Vec<Item>,
    /// How many names of sections there are.
    pub(super) sections: usize,
    pub(super) types: Vec<Item>,
    pub(super) attributes: Vec<Item>,
    pub(super) groups: Vec<Item>,
    /// Constants with the numbers of their types: the module's, then the function's.
    pub(super) constants: Vec<(Item, u32)>,
    /// How many of them are the module's.
    pub(super) module_constants: usize,
    /// Metadata, none for a string: the module's, then the function's.
    pub(super) metadata: Vec<Option<Item>>,
    /// How much of it is the module's.
    pub(super) module_metadata: usize,
    pub(super) lists: Vec<List>,
    /// The function's value id, and its body.
    pub(super) function: usize,
    pub(super) instructions: Vec<Item>,
    pub(super) attachments: Vec<Item>,
}

impl Flat {
    /// Forgets the last module; the next one's stream has so many bytes.
    pub(super) fn begin(&mut self, bytes: usize) {
        self.limit = bytes.saturating_mul(OPERANDS_A_BYTE).saturating_add(SPARE_OPERANDS);
        self.operands.clear();
        self.constants.clear();
        self.metadata.clear();
        self.lists.clear();
        let items = [
            &mut self.globals,
            &mut self.types,
            &mut self.attributes,
            &mut self.groups,
            &mut self.instructions,
            &mut self.attachments,
        ];
        items.into_iter().for_each(Vec::clear);
        (self.sections, self.module_constants, self.module_metadata) = (0, 0, 0);
        self.function = usize::MAX;
    }

    /// A record whose operands are those behind the first so many; none if there are too many.
    pub(super) fn item(&self, item: Item, first: usize) -> Option<Item> {
        let count = self.operands.len().checked_sub(first)?;
        (self.operands.len() <= self.limit).then_some(Item { first, count, ..item })
    }

    pub(super) fn of(&self, item: &Item) -> &[u64] {
        self.operands.get(item.range()).unwrap_or_default()
    }

    /// Whether the operands are the characters of a text.
    pub(super) fn is_text(&self, item: &Item, text: &[u8]) -> bool {
        self.of(item).iter().copied().eq(text.iter().map(|&byte| u64::from(byte)))
    }

    /// The first operands of a record, zeros for what it has not.
    pub(super) fn first<const N: usize>(&self, item: &Item) -> [u64; N] {
        let mut first = [0; N];
        first.iter_mut().zip(self.of(item)).for_each(|(slot, &operand)| *slot = operand);
        first
    }

    /// The metadata that is no string with this id.
    pub(super) fn node(&self, id: u64) -> Option<Item> {
        self.metadata.get(size(id)).copied().flatten()
    }
}
