//! Writes what edits of a module have in common: the name of its source, and where its bodies are.

use super::frame::Span;
use super::splice::Splice;
use super::{Definitions, Inner, Step, Tail, Text, Walk};
use crate::abbrev::FIRST_ID;
use crate::bits::BitWriter;
use crate::block::END_BLOCK;
use crate::ids::{module as codes, vst};
use crate::record::UNABBREVIATED;

/// Writes the record of the source file's name, in a module block of these abbreviations.
pub(crate) fn source_name(
    writer: &mut BitWriter<'_>,
    width: u32,
    own: &Definitions,
    name: &[u8],
) -> Option<()> {
    // The abbreviation that LLVM would choose: the only one that is made for it, if the
    // name fits.
    let mut made: Option<(u32, Text)> = None;
    for (id, short) in (FIRST_ID..).zip(own.iter()) {
        match short.literal() {
            Some(codes::SOURCE_FILENAME) if made.is_none() => made = Some((id, short.text()?)),
            Some(codes::SOURCE_FILENAME) | None => return None,
            _ => {}
        }
    }
    match made {
        Some((id, text)) if text.fits(name) => {
            writer.fixed(id.into(), width);
            text.write(writer, name);
        }
        _ => {
            writer.fixed(UNABBREVIATED.into(), width);
            writer.vbr(codes::SOURCE_FILENAME.into(), 6);
            writer.vbr(name.len() as u64, 6);
            name.iter().for_each(|&byte| writer.vbr(byte.into(), 6));
        }
    }
    Some(())
}

/// Writes the module's value symbol table, which tells where the bodies are: in words from
/// `origin`, for the functions with these value ids. It begins at `start`, and where it does
/// itself is written into the field at `offset` of the output.
pub(crate) fn write_table<'a>(
    splice: &mut Splice<'_, 'a>,
    (table, outer, origin): (&Inner<'a>, u32, u64),
    (start, offset): (u64, u64),
    walk: &mut Walk<'a, '_>,
    (defined, bodies): (&[u64], &[u64]),
) -> Option<()> {
    let here = splice.word(start, origin)?;
    splice.to(start)?;
    splice.head(outer, table.id, table.width);
    splice.writer.patch(offset, here, 32);
    let block = Span::of(table);
    splice.skip_to(block.length)?;
    let length = splice.open(block)?;
    let bit = |position: u64| table.body.offset() + position;
    loop {
        match walk.next()? {
            Step::Block(_) => return None,
            Step::Record(vst::FNENTRY) => {
                let (mut values, short) = walk.values()?;
                let short = short.filter(|short| short.literal().is_some())?;
                let (&[first, second], Tail::None) = (short.rooms(), short.tail()) else {
                    return None;
                };
                let start = values.offset();
                let value = first.value(&mut values)?;
                second.value(&mut values)?;
                let body = *bodies.get(defined.binary_search(&value).ok()?)?;
                splice.to(start)?;
                first.write(&mut splice.writer, value)?;
                second.write(&mut splice.writer, body)?;
                splice.skip_to(values.offset())?;
            }
            Step::Record(_) => return None,
            Step::End => break,
        }
    }
    splice.to(bit(walk.start()))?;
    splice.writer.fixed(END_BLOCK.into(), table.width);
    splice.writer.align();
    splice.skip_to(block.end)?;
    splice.close(block, length)
}
