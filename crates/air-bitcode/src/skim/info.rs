//! Abbreviations that BLOCKINFO has for other blocks.

use super::{Definitions, Inner, Short, Step, Walk};
use crate::bits::low_word;
use crate::ids::blockinfo;

/// How many different bodies of BLOCKINFO are remembered, and how large they may be.
const KNOWN: usize = 8;
const KNOWN_SIZE: usize = 1024;

/// Kinds of blocks that may have abbreviations, and how many each; LLVM's has four of four.
const MOST: usize = 16;

/// Abbreviations by block id.
#[derive(Debug, Default)]
pub(crate) struct Shorts(Vec<(u32, Vec<Short>)>);

/// What BLOCKINFO blocks say: those of the modules of one library hardly differ.
#[derive(Debug, Default)]
pub(crate) struct Infos(Vec<(Vec<u8>, Shorts)>);

impl Infos {
    /// What a block says.
    pub(crate) fn get(&mut self, info: &Inner<'_>) -> Option<&Shorts> {
        let body = info.body.data();
        let index = self.0.iter().position(|(other, _)| other == body);
        let index = match index.filter(|_| info.width == 2) {
            Some(index) => index,
            None => {
                let found = Shorts::read(info)?;
                if self.0.len() == KNOWN || body.len() > KNOWN_SIZE {
                    self.0.clear();
                }
                self.0.push((body.to_vec(), found));
                self.0.len() - 1
            }
        };
        self.0.get(index).map(|(_, found)| found)
    }
}

impl Shorts {
    /// Those for blocks of an id.
    pub(crate) fn of(&self, id: u32) -> &[Short] {
        self.0.iter().find(|(other, _)| *other == id).map_or(&[], |(_, found)| found)
    }

    fn read(info: &Inner<'_>) -> Option<Self> {
        let (mut own, mut found) = (Definitions::default(), Self::default());
        let mut current = None;
        let mut walk = Walk::new(info, &[], &mut own);
        loop {
            let step = walk.next()?;
            // Definitions are for the block that was named last.
            if walk.has_definitions() {
                walk.take_definitions(found.list(current?)?);
            }
            match step {
                Step::Record(code) => {
                    // Its own definitions are not for its own records.
                    walk.operands_start()?;
                    if code == blockinfo::SETBID {
                        let id = walk.first()?;
                        current = Some(low_word(id)).filter(|&low| u64::from(low) == id);
                    }
                }
                Step::End => {
                    let few = found.0.iter().all(|(_, list)| list.len() <= MOST);
                    return few.then_some(found);
                }
                Step::Block(_) => {}
            }
        }
    }

    /// The list for an id, made if there is none.
    fn list(&mut self, id: u32) -> Option<&mut Vec<Short>> {
        let index = self.0.iter().position(|(other, _)| *other == id);
        let index = index.unwrap_or_else(|| {
            self.0.push((id, Vec::new()));
            self.0.len() - 1
        });
        let (_, list) = self.0.get_mut(index).filter(|_| index < MOST)?;
        Some(list)
    }
}
