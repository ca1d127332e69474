//! Decoding blocks, as far as asked.

use std::collections::BTreeMap;

use crate::abbrev::Inherited;
use crate::block::{Block, Body, Item, Open};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, block_name};
use crate::items::{Items, SPARE_ITEMS};

/// Blocks may be nested this deep to be decoded; LLVM's own are at most four deep.
pub const MAX_DEPTH: usize = 64;

/// Items that room is made for at first.
const FIRST_ITEMS: usize = 48;

impl<'a> Block<'a> {
    /// Decodes the block's items; nested blocks stay bytes. BLOCKINFO is taken into `info`.
    ///
    /// # Errors
    /// If the content makes no sense; the block is then as it was.
    pub fn open(&mut self, info: &mut BlockInfo<'a>) -> Result<&mut Vec<Item<'a>>> {
        if matches!(self.body, Body::Stored(_)) {
            self.decode(info.get(self.id())?, FIRST_ITEMS, |_| false)?;
            self.blockinfo().for_each(|inner| info.add(inner));
        }
        self.opened()
    }

    /// Decodes items up to the first that `last` says yes to and that ends on a 32-bit
    /// border (a block, or a record with a blob). What follows stays bytes.
    ///
    /// # Errors
    /// As [`Block::open`].
    pub fn open_until(
        &mut self,
        info: &mut BlockInfo<'a>,
        last: impl FnMut(&Item<'a>) -> bool,
    ) -> Result<&mut Vec<Item<'a>>> {
        if matches!(self.body, Body::Stored(_)) {
            self.decode(info.get(self.id())?, 0, last)?;
            self.blockinfo().for_each(|inner| info.add(inner));
        }
        self.opened()
    }

    /// Decodes a block in which no abbreviations are in effect at first.
    pub(crate) fn open_alone(&mut self) -> Result<&mut Vec<Item<'a>>> {
        self.decode(Inherited::default(), FIRST_ITEMS, |_| false)?;
        self.opened()
    }

    /// BLOCKINFO among the decoded items.
    pub(crate) fn blockinfo(&self) -> impl Iterator<Item = &Block<'a>> {
        self.items().unwrap_or_default().iter().filter_map(|item| match item {
            Item::Block(inner) if inner.id() == block::BLOCKINFO => Some(inner),
            _ => None,
        })
    }

    fn opened(&mut self) -> Result<&mut Vec<Item<'a>>> {
        let missing = || Error::nowhere(ErrorKind::Missing { what: "decoded block" });
        self.items_mut().ok_or_else(missing)
    }

    /// Decodes items, `expected` or more; does nothing if it was done before.
    fn decode(
        &mut self,
        inherited: Inherited,
        expected: usize,
        mut last: impl FnMut(&Item<'a>) -> bool,
    ) -> Result<()> {
        let Some(source) = self.stored() else { return Ok(()) };
        let size = source.data().len();
        let mut found = Items::new(self, inherited.clone());
        let mut items = Vec::with_capacity((size / 4).min(expected));
        let mut rest = None;
        while found.push_next(&mut items)? {
            if items.len() > size + SPARE_ITEMS {
                let (what, found) = ("items in a block of so many bytes", items.len() as u64);
                return Err(source.error(ErrorKind::TooMany { what, found, limit: found - 1 }));
            }
            if found.is_aligned() && items.last().is_some_and(&mut last) {
                rest = Some(found.rest());
                break;
            }
        }
        self.body = Body::Open(Box::new(Open { items, inherited, source, rest }));
        Ok(())
    }

    /// Decodes the block and all blocks in it.
    ///
    /// # Errors
    /// If anything in it makes no sense, or blocks are nested more than [`MAX_DEPTH`] deep.
    pub fn open_all(&mut self, info: &mut BlockInfo<'a>) -> Result<()> {
        self.open_deep(info, 1)
    }

    fn open_deep(&mut self, info: &mut BlockInfo<'a>, depth: usize) -> Result<()> {
        if let Some(body) = self.stored() {
            if depth > MAX_DEPTH {
                return Err(body.error(ErrorKind::TooDeep { limit: MAX_DEPTH }));
            }
            self.decode(info.get(self.id())?, FIRST_ITEMS, |_| false)?;
        }
        let mut counts = BTreeMap::new();
        for item in self.items_mut().into_iter().flatten() {
            let Item::Block(inner) = item else { continue };
            if inner.id() == block::BLOCKINFO {
                info.add(inner);
            }
            let count = counts.entry(inner.id()).or_insert(0u32);
            let name = block_name(inner.id());
            inner.open_deep(info, depth + 1).within(|| format!("{name} {count}"))?;
            *count += 1;
        }
        Ok(())
    }
}
