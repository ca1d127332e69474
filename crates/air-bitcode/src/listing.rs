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
        Self::list_quickly(bytes).map_or_else(|| Self::list_of_any(bytes), Ok)
    }

    /// The list of a module as LLVM has written them since 2018; none if it is of another form,
    /// or damaged.
    fn list_quickly(bytes: &'a [u8]) -> Option<Vec<Self>> {
        let mut own = Definitions::default();
        let Top { module, strings } = Top::read(&Envelope::parse(bytes).ok()?, &mut own)?;
        let mut globals = Vec::with_capacity(FIRST_GLOBALS);
        let mut walk = Walk::new(&module, &[], &mut own);
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
