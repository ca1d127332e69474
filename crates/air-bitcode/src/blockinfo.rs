//! Abbreviations that a BLOCKINFO block defines for other blocks.

use std::cell::RefCell;
use std::sync::Arc;

use crate::abbrev::Inherited;
use crate::block::{Block, Item};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::blockinfo;
use crate::items::Items;

/// Abbreviations by block id, of which there are few.
type Known = Option<Arc<Vec<(u32, Inherited)>>>;

/// What the BLOCKINFO blocks passed so far define.
///
/// They are decoded when a block's abbreviations are first asked for.
#[derive(Clone, Debug, Default)]
pub struct BlockInfo<'a> {
    pending: Vec<Block<'a>>,
    known: Known,
}

/// Kinds of blocks that BLOCKINFO may have abbreviations for; LLVM's has four.
const MAX_BLOCKS: usize = 256;

/// Bodies of BLOCKINFO up to this many bytes are remembered, and so many of them.
const REMEMBERED_SIZE: usize = 1024;
const REMEMBERED: usize = 4;

thread_local! {
    /// BLOCKINFO bodies that were decoded lately, the last one first, and what they define:
    /// the modules of one library have the same few.
    static LATELY: RefCell<Vec<(Vec<u8>, Known)>> = const { RefCell::new(Vec::new()) };
}

/// What a body of BLOCKINFO defines, if it was decoded lately.
fn remembered(body: &[u8]) -> Option<Known> {
    LATELY.with_borrow_mut(|lately| {
        let index = lately.iter().position(|(known, _)| known == body)?;
        lately.swap(0, index);
        lately.first().map(|(_, known)| known.clone())
    })
}

fn remember(body: &[u8], known: Known) {
    LATELY.with_borrow_mut(|lately| {
        lately.truncate(REMEMBERED - 1);
        lately.insert(0, (body.to_vec(), known));
    });
}

impl<'a> BlockInfo<'a> {
    /// Takes in what a BLOCKINFO block defines.
    pub fn add(&mut self, block: &Block<'a>) {
        self.pending.push(block.clone());
    }

    /// Abbreviations for blocks of this id.
    pub(crate) fn get(&mut self, id: u32) -> Result<Inherited> {
        for block in std::mem::take(&mut self.pending) {
            self.decode(&block).map_err(|error| error.within("BLOCKINFO"))?;
        }
        let mut known = self.known.iter().flat_map(|known| known.iter());
        Ok(known.find(|known| known.0 == id).map(|known| known.1.clone()).unwrap_or_default())
    }

    fn decode(&mut self, block: &Block<'a>) -> Result<()> {
        let mut current = None;
        if let Some(items) = block.items() {
            return items.iter().try_for_each(|item| self.item(item, &mut current));
        }
        let body = block.stored().map(|body| body.data()).unwrap_or_default();
        let first = self.known.is_none() && body.len() <= REMEMBERED_SIZE && block.width() == 2;
        if first && let Some(known) = remembered(body) {
            self.known = known;
            return Ok(());
        }
        let mut items = Items::new(block, Inherited::default());
        while let Some(item) = items.next()? {
            self.item(&item, &mut current)?;
        }
        if first {
            remember(body, self.known.clone());
        }
        Ok(())
    }

    fn item(&mut self, item: &Item<'a>, current: &mut Option<u32>) -> Result<()> {
        match item {
            Item::Record(record) if record.code() == blockinfo::SETBID => {
                let ([id], _) = record.first()?;
                *current = u32::try_from(id).ok();
            }
            Item::Record(_) | Item::Block(_) => {}
            Item::Define(definition) => {
                let what = "abbreviation in BLOCKINFO before any block id (SETBID)".to_owned();
                let missing = || Error::nowhere(ErrorKind::Value { what });
                let id = current.ok_or_else(missing)?;
                let known = Arc::make_mut(self.known.get_or_insert_default());
                let index = known.iter().position(|known| known.0 == id).unwrap_or(known.len());
                if index == known.len() {
                    check_blocks(index)?;
                    known.push((id, Inherited::default()));
                }
                if let Some((_, list)) = known.get_mut(index) {
                    list.push(definition.get()?)?;
                }
            }
        }
        Ok(())
    }
}

/// Refuses abbreviations for more kinds of blocks than there may be.
fn check_blocks(before: usize) -> Result<()> {
    if before < MAX_BLOCKS {
        return Ok(());
    }
    let (what, limit) = ("kinds of blocks with abbreviations in BLOCKINFO", MAX_BLOCKS as u64);
    Err(Error::nowhere(ErrorKind::TooMany { what, found: before as u64 + 1, limit }))
}
