//! Abbreviations that a BLOCKINFO block defines for other blocks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::abbrev::Inherited;
use crate::block::{Block, Item};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::blockinfo;
use crate::items::Items;

/// Abbreviations by block id.
type Known = Arc<BTreeMap<u32, Inherited>>;

/// What the BLOCKINFO blocks passed so far define.
///
/// They are decoded when a block's abbreviations are first asked for.
#[derive(Clone, Debug, Default)]
pub struct BlockInfo<'a> {
    pending: Vec<Block<'a>>,
    known: Known,
}

/// Bodies of BLOCKINFO up to this many bytes are remembered.
const REMEMBERED_SIZE: usize = 1024;

thread_local! {
    /// The last BLOCKINFO body that was decoded, and what it defines: the modules of one
    /// library all have the same.
    static LAST: RefCell<(Vec<u8>, Known)> = RefCell::default();
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
        Ok(self.known.get(&id).cloned().unwrap_or_default())
    }

    fn decode(&mut self, block: &Block<'a>) -> Result<()> {
        let mut current = None;
        if let Some(items) = block.items() {
            return items.iter().try_for_each(|item| self.item(item, &mut current));
        }
        let body = block.stored().map(|body| body.data()).unwrap_or_default();
        let first = self.known.is_empty() && body.len() <= REMEMBERED_SIZE && block.width() == 2;
        if first
            && let Some(known) = LAST.with_borrow(|last| (last.0 == body).then(|| last.1.clone()))
        {
            self.known = known;
            return Ok(());
        }
        let mut items = Items::new(block, Inherited::default());
        while let Some(item) = items.next()? {
            self.item(&item, &mut current)?;
        }
        if first {
            LAST.set((body.to_vec(), self.known.clone()));
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
                let known = Arc::make_mut(&mut self.known);
                let list = known.entry(current.ok_or_else(missing)?).or_default();
                list.push(definition.get()?)?;
            }
        }
        Ok(())
    }
}
