//! The module block as far as a head needs it: where things are.

use crate::bits::{BitReader, size};
use crate::constants::signed;
use crate::ids::{block, constants, module as codes};
use crate::skim::{Definitions, Infos, Inner, Step, Top, Walk, once};
use crate::symbols::is_global;
use crate::wrapper::Envelope;

/// Blocks and records of a module whose names are in STRTAB.
pub(super) struct Frame<'a> {
    pub(super) metadata: Inner<'a>,
    constants: Option<Inner<'a>>,
    info: Option<Inner<'a>>,
    /// The body of the module block.
    body: BitReader<'a>,
    strings: &'a [u8],
    /// Whether there is a triple, which is then in the buffers.
    pub(super) has_triple: bool,
}

/// What is used again for the next module.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    own: Own,
    pub(super) triple: Vec<u8>,
    /// Positions of the operands of the globals' records in the body; 0 for abbreviated ones.
    globals: Vec<u64>,
    infos: Infos,
}

/// Abbreviations by the kind of their block.
#[derive(Debug, Default)]
struct Own {
    module: Definitions,
    strings: Definitions,
    constants: Definitions,
}

impl<'a> Frame<'a> {
    /// None if the module is of another form, or damaged.
    pub(super) fn read(envelope: &Envelope<'a>, buffers: &mut Buffers) -> Option<Self> {
        let top = Top::read(envelope, &mut buffers.own.strings)?;
        Self::of(&top.module, top.strings, buffers)
    }

    fn of(module: &Inner<'a>, strings: &'a [u8], buffers: &mut Buffers) -> Option<Self> {
        let (mut version, mut has_triple) = (0, false);
        let (mut info, mut metadata, mut constants) = (None, None, None);
        buffers.globals.clear();
        let mut walk = Walk::new(module, &[], &mut buffers.own.module);
        loop {
            match walk.next()? {
                Step::End => break,
                Step::Record(codes::VERSION) => version = walk.first()?,
                Step::Record(codes::TRIPLE) if !has_triple => {
                    has_triple = true;
                    walk.text(&mut buffers.triple)?;
                }
                Step::Record(code) if is_global(code) => {
                    buffers.globals.push(walk.operands_start().unwrap_or(0));
                }
                Step::Record(_) => {}
                Step::Block(block) => match block.id {
                    block::BLOCKINFO => once(&mut info, block)?,
                    block::METADATA => once(&mut metadata, block)?,
                    block::CONSTANTS => once(&mut constants, block)?,
                    _ => {}
                },
            }
        }
        let body = module.body;
        let found = Self { metadata: metadata?, constants, info, body, strings, has_triple };
        (version == 2).then_some(found)
    }

    /// The name of a global value.
    pub(super) fn name(&self, value: u64, buffers: &Buffers) -> Option<&'a [u8]> {
        let &position = buffers.globals.get(size(value)).filter(|&&position| position != 0)?;
        let mut reader = self.body;
        reader.skip(position, "record").ok()?;
        if reader.vbr(6, "number of operands").ok()? < 2 {
            return None;
        }
        let offset = size(reader.vbr(6, "operand").ok()?);
        let length = size(reader.vbr(6, "operand").ok()?);
        self.strings.get(offset..)?.get(..length)
    }

    /// Puts integers in place of their value numbers; none if one is no integer.
    pub(super) fn integers(&self, numbers: &mut [u64], buffers: &mut Buffers) -> Option<()> {
        let last = *numbers.iter().max()?;
        let mut found = [None; 7];
        // Globals have the first numbers.
        let mut value = buffers.globals.len() as u64;
        let inherited = match &self.info {
            Some(info) => buffers.infos.get(info)?.of(block::CONSTANTS),
            None => &[],
        };
        let mut walk = Walk::new(&self.constants?, inherited, &mut buffers.own.constants);
        while value <= last {
            let Step::Record(code) = walk.next()? else { return None };
            let integer = match code {
                constants::SETTYPE => continue,
                constants::NULL => Some(0),
                constants::INTEGER if numbers.contains(&value) => Some(signed(walk.first()?)),
                _ => None,
            };
            for (_, slot) in numbers.iter().zip(&mut found).filter(|(n, _)| **n == value) {
                *slot = integer;
            }
            value += 1;
        }
        for (number, integer) in numbers.iter_mut().zip(found) {
            *number = integer?.cast_unsigned();
        }
        Some(())
    }
}
