//! Global values, read without a [`Module`](crate::Module).

use std::borrow::Cow;

use crate::abbrev::Inherited;
use crate::bits::low_word;
use crate::error::{Result, Within};
use crate::ids::{block, module as codes};
use crate::items::Items;
use crate::module::Module;
use crate::skim::{Definitions, Step, Top, Walk};
use crate::stream::Stream;
use crate::symbols::{Global, GlobalRecord, is_global};
use crate::wrapper::Envelope;

/// Global values that room is made for at first.
const FIRST_GLOBALS: usize = 16;

impl<'a> Global<'a> {
    /// The global values of a module, in the order of their value ids: what
    /// [`Module::globals`] gives, for who needs nothing else, in less time.
    ///
    /// The module block is read up to the first function body, since LLVM has all global
    /// values before it; what follows is not looked at.
    ///
    /// # Errors
    /// As [`Module::parse`] and [`Module::globals`], for what is read.
    pub fn list(bytes: &'a [u8]) -> Result<Vec<Self>> {
        GlobalReader::new().list(bytes)
    }

    /// The list of any module.
    fn list_of_any(bytes: &'a [u8]) -> Result<Vec<Self>> {
        let envelope = Envelope::parse(bytes)?;
        let stream = Stream::parse(envelope.stream, envelope.stream_offset())?;
        let index = stream.only(block::MODULE)?;
        let mut globals = Vec::with_capacity(FIRST_GLOBALS);
        let Some(module) = stream.blocks.get(index) else { return Ok(globals) };
        let mut items = Items::new(module, Inherited::default());
        let mut version = None;
        let mut strings = None;
        while let Some(record) =
            items.next_record_until(Some(block::FUNCTION)).within(|| "MODULE")?
        {
            if record.code() == codes::VERSION && version.is_none() {
                version = Some(record.first::<1>()?.0[0]);
            }
            let version = version.unwrap_or(0);
            let place = || format!("MODULE > value {}", globals.len());
            let Some(found) = GlobalRecord::read(&record, version).within(place)? else { continue };
            if version < 2 {
                return Module::parse(bytes)?.globals();
            }
            let strings = match strings {
                Some(strings) => strings,
                None => *strings.insert(stream.blob(block::STRTAB)?.unwrap_or_default()),
            };
            let name = Cow::Borrowed(found.name_in(strings).within(place)?);
            globals.push(found.global(low_word(globals.len() as u64), name));
        }
        Ok(globals)
    }
}

/// Lists the global values of modules, one after the other, with the same buffers.
#[derive(Debug, Default)]
pub struct GlobalReader {
    module: Definitions,
    strings: Definitions,
}

impl GlobalReader {
    /// A reader with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`Global::list`].
    ///
    /// # Errors
    /// As [`Global::list`].
    pub fn list<'a>(&mut self, bytes: &'a [u8]) -> Result<Vec<Global<'a>>> {
        self.quick(bytes).map_or_else(|| Global::list_of_any(bytes), Ok)
    }

    /// The list of a module as LLVM has written them since 2018; none if it is of another form,
    /// or damaged.
    fn quick<'a>(&mut self, bytes: &'a [u8]) -> Option<Vec<Global<'a>>> {
        let envelope = Envelope::parse(bytes).ok()?;
        let Top { module, strings } = Top::read(&envelope, &mut self.strings)?;
        let mut globals = Vec::with_capacity(FIRST_GLOBALS);
        let mut walk = Walk::new(&module, &[], &mut self.module);
        let mut version = None;
        loop {
            match walk.next()? {
                Step::End => break,
                Step::Block(inner) if inner.id == block::FUNCTION => break,
                Step::Record(codes::VERSION) if version.is_none() => version = walk.first(),
                Step::Record(code) if is_global(code) => {
                    let found =
                        GlobalRecord::of(code, walk.fields()?, version.filter(|&v| v >= 2)?)?;
                    let name = Cow::Borrowed(found.name_in(strings).ok()?);
                    globals.push(found.global(low_word(globals.len() as u64), name));
                }
                _ => {}
            }
        }
        Some(globals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abbrev::{Abbreviation, Definition, Scalar, Tail, Values};
    use crate::{Block, Item, Record, WriteOptions};

    /// A module of one variable `x`, whose record has so many fields and then a literal.
    fn module(fields: usize) -> Vec<u8> {
        let operands: Vec<u64> =
            [0, 1, 0, 0, 1, 3, 0].into_iter().take(fields).chain([0]).collect();
        let scalars = vec![Scalar::Vbr(6); fields].into_iter().chain([Scalar::Literal(0)]);
        let short = Abbreviation::new(Scalar::Literal(7), scalars.collect(), Tail::None).unwrap();
        let short = Definition::new(short);
        let values = Values { operands, blob: None };
        let variable = Record::with_abbreviation(4, short.get().unwrap(), 7, values).unwrap();
        let version = Item::Record(Record::new(codes::VERSION, vec![2]));
        let items = vec![version, Item::Define(short), Item::Record(variable)];
        let blob = Abbreviation::new(Scalar::Literal(1), Vec::new(), Tail::Blob).unwrap();
        let blob = Definition::new(blob);
        let values = Values { operands: Vec::new(), blob: Some(b"x".into()) };
        let text = Record::with_abbreviation(4, blob.get().unwrap(), 1, values).unwrap();
        let strings = vec![Item::Define(blob), Item::Record(text)];
        let strings = Block::new(block::STRTAB, 3, strings);
        let stream = Stream { blocks: vec![Block::new(block::MODULE, 3, items), strings] };
        let mut bytes = Vec::new();
        stream.write(&mut bytes, WriteOptions::default()).unwrap();
        bytes
    }

    /// LLVM writes such where no variable of a module has an alignment or a section.
    #[test]
    fn literals_behind_what_is_wanted_are_no_reason_to_be_slow() {
        for fields in [6, 7] {
            let bytes = module(fields);
            let list = GlobalReader::new().quick(&bytes).unwrap();
            assert_eq!(list, Module::parse(&bytes).unwrap().globals().unwrap());
            assert_eq!((list.len(), list[0].name_text().as_ref()), (1, "x"));
        }
    }
}
