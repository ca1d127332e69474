//! What a decoded module numbers, in the order in which its ids are given.
//!
//! Values: globals, the module's constants; then for each function its arguments, its
//! constants, and instructions that give a value. Metadata: the module's strings, values and
//! nodes in the order of their records; then for each function its own. Types, lists of
//! attributes and names of sections: in the order of their records.

use std::collections::HashMap;

use crate::block::{Block, Item};
use crate::blockinfo::BlockInfo;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, block_name, constants, function, metadata, module as codes};
use crate::items::Items;
use crate::module::Module;
use crate::record::Record;
use crate::renumber::instructions::Reader;
use crate::renumber::types::{Types, makes_type};
use crate::renumber::unknown_block;
use crate::strings::Strings;
use crate::symbols::{defines_body, is_global};

/// Metadata: the record that makes it, none for one of many strings.
pub(crate) type Entry<'m, 'a> = Option<&'m Record<'a>>;

/// What must be known of a module to read its records.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) version: u64,
    pub(crate) types: Types,
    /// Type numbers of the functions among the globals.
    pub(crate) callees: Vec<Option<u64>>,
    /// Groups of attributes by the ids that they give themselves.
    pub(crate) groups: HashMap<u64, usize>,
}

/// Constants, and the numbers of their types.
#[derive(Debug, Default)]
pub(crate) struct Constants<'m, 'a> {
    pub(crate) records: Vec<&'m Record<'a>>,
    /// The fewest bytes: a type's number that is larger is none.
    pub(crate) types: Vec<u32>,
}

impl Tables {
    /// The tables of a module that is not decoded.
    pub(crate) fn read<'a>(module: &Module<'a>, info: &mut BlockInfo<'a>) -> Result<Self> {
        let mut tables = Self { version: module.version()?, ..Self::default() };
        for block in module.blocks(block::TYPE) {
            let mut items = Items::new(block, info.get(block.id())?);
            while let Some(record) = items.next_record().within(|| "TYPE")? {
                tables.types.add_record(&record)?;
            }
        }
        for item in module.items() {
            if let Item::Record(record) = item
                && is_global(record.code())
            {
                tables.add_global(record)?;
            }
        }
        Ok(tables)
    }

    /// Takes in the record of the next global; gives a function's type.
    fn add_global(&mut self, record: &Record<'_>) -> Result<Option<u64>> {
        let (operands, _) = record.first::<3>()?;
        let of_type = if self.version >= 2 { operands[2] } else { operands[0] };
        let callee = (record.code() == codes::FUNCTION).then_some(of_type);
        self.callees.push(callee);
        Ok(callee)
    }

    /// How many arguments a function has; none if its type is not known.
    pub(crate) fn parameters(&self, function: u64) -> Option<usize> {
        let of_type = self.callees.get(crate::bits::size(function)).copied().flatten()?;
        Some(self.types.signature(of_type)?.parameters.len())
    }

    /// What reads instructions.
    pub(crate) fn reader(&self) -> Reader<'_> {
        let relative = self.version >= 1;
        Reader { types: &self.types, callees: &self.callees, relative }
    }
}

/// The ids of a module.
#[derive(Debug, Default)]
pub(crate) struct Numbers<'m, 'a> {
    pub(crate) tables: Tables,
    pub(crate) globals: Vec<&'m Record<'a>>,
    pub(crate) constants: Constants<'m, 'a>,
    pub(crate) metadata: Vec<Entry<'m, 'a>>,
    pub(crate) types: Vec<&'m Record<'a>>,
    pub(crate) attributes: Vec<&'m Record<'a>>,
    /// Groups of attributes, and their ids.
    pub(crate) groups: Vec<(&'m Record<'a>, u64)>,
    /// How many names of sections there are.
    pub(crate) sections: usize,
    pub(crate) bodies: Vec<Body<'m, 'a>>,
}

/// The ids of a function.
#[derive(Debug)]
pub(crate) struct Body<'m, 'a> {
    pub(crate) block: &'m Block<'a>,
    /// The function's value id.
    pub(crate) function: usize,
    pub(crate) arguments: u64,
    pub(crate) constants: Constants<'m, 'a>,
    pub(crate) metadata: Vec<Entry<'m, 'a>>,
}

impl<'m, 'a> Numbers<'m, 'a> {
    /// Counts a module that is decoded.
    pub(crate) fn of(module: &'m Module<'a>) -> Result<Self> {
        let mut numbers = Self::default();
        let tables = &mut numbers.tables;
        tables.version = module.version()?;
        module.blocks(block::TYPE).try_for_each(|types| tables.types.add(types))?;
        let mut defined = Vec::new();
        let mut bodies = false;
        for item in module.items() {
            match item {
                Item::Block(inner) if bodies && has_ids(inner) => {
                    let what = format!("{} behind function bodies", block_name(inner.id()));
                    return Err(Error::nowhere(ErrorKind::Value { what }));
                }
                Item::Record(record) if is_global(record.code()) => {
                    numbers.global(record, &mut defined)?;
                }
                Item::Block(inner) => {
                    bodies |= inner.id() == block::FUNCTION;
                    numbers.block(inner)?;
                }
                Item::Record(record) => {
                    numbers.sections += usize::from(record.code() == codes::SECTIONNAME);
                }
                Item::Define(_) => {}
            }
        }
        let mut defined = defined.into_iter();
        for (index, inner) in module.blocks(block::FUNCTION).enumerate() {
            let body = Body::of(inner, defined.next(), &numbers.tables);
            numbers.bodies.push(body.within(|| format!("FUNCTION {index}"))?);
        }
        Ok(numbers)
    }

    /// The number of the first instruction's value in a body.
    pub(crate) fn first_instruction(&self, body: &Body<'_, '_>) -> u64 {
        let constants = [&self.constants, &body.constants].map(|constants| constants.records.len());
        let counts = [self.globals.len(), constants[0], constants[1]];
        counts.into_iter().map(|count| count as u64).sum::<u64>() + body.arguments
    }

    fn global(&mut self, record: &'m Record<'a>, defined: &mut Vec<usize>) -> Result<()> {
        if !self.constants.records.is_empty() {
            return Err(record.error("global behind constants, whose numbers it would take"));
        }
        let callee = self.tables.add_global(record)?;
        if callee.is_some() && defines_body(record, self.tables.version)? {
            defined.push(self.globals.len());
        }
        self.globals.push(record);
        Ok(())
    }

    fn block(&mut self, inner: &'m Block<'a>) -> Result<()> {
        match inner.id() {
            block::CONSTANTS => return self.constants.add(inner).within(|| "CONSTANTS"),
            block::METADATA => {
                return add_metadata(inner, &mut self.metadata).within(|| "METADATA");
            }
            block::TYPE if self.types.is_empty() => {
                self.types.extend(records(inner).filter(|record| makes_type(record.code())));
            }
            block::PARAMATTR if self.attributes.is_empty() => {
                self.attributes.extend(records(inner));
            }
            block::PARAMATTR_GROUP if self.groups.is_empty() => {
                return self.groups(inner).within(|| "PARAMATTR_GROUP");
            }
            block::TYPE | block::PARAMATTR | block::PARAMATTR_GROUP => {
                let what = format!("second block {}, expected one", block_name(inner.id()));
                return Err(Error::nowhere(ErrorKind::Value { what }));
            }
            _ => {}
        }
        Ok(())
    }

    fn groups(&mut self, inner: &'m Block<'a>) -> Result<()> {
        for record in records(inner) {
            let ([id], _) = record.first()?;
            if self.tables.groups.insert(id, self.groups.len()).is_some() {
                return Err(record.error(format!("second group of attributes with the id {id}")));
            }
            self.groups.push((record, id));
        }
        Ok(())
    }
}

impl<'m, 'a> Body<'m, 'a> {
    /// Counts the body of a function.
    fn of(block: &'m Block<'a>, function: Option<usize>, tables: &Tables) -> Result<Self> {
        let of_type = function.and_then(|id| tables.callees.get(id).copied().flatten());
        let signature = of_type.and_then(|number| tables.types.signature(number));
        let (Some(function), Some(signature)) = (function, signature) else {
            let what = "body of a function whose type is not known".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        let arguments = signature.parameters.len() as u64;
        let (constants, metadata) = (Constants::default(), Vec::new());
        let mut body = Self { block, function, arguments, constants, metadata };
        let mut begun = false;
        for item in block.items().unwrap_or_default() {
            match item {
                Item::Record(record) => begun |= record.code() != function::DECLAREBLOCKS,
                Item::Block(inner) => body.block(inner, begun)?,
                Item::Define(_) => {}
            }
        }
        Ok(body)
    }

    fn block(&mut self, inner: &'m Block<'a>, begun: bool) -> Result<()> {
        match inner.id() {
            block::CONSTANTS | block::METADATA if begun => {
                let what = "constants or metadata behind instructions, expected in front";
                let kind = ErrorKind::Value { what: what.to_owned() };
                return Err(Error::nowhere(kind));
            }
            block::CONSTANTS => return self.constants.add(inner).within(|| "CONSTANTS"),
            block::METADATA => {
                return add_metadata(inner, &mut self.metadata).within(|| "METADATA");
            }
            block::VALUE_SYMTAB | block::METADATA_ATTACHMENT => {}
            _ => return Err(unknown_block(inner, "FUNCTION")),
        }
        Ok(())
    }
}

/// Whether a block of the module gives ids.
fn has_ids(inner: &Block<'_>) -> bool {
    matches!(inner.id(), block::CONSTANTS | block::METADATA)
}

/// Records of a block that is decoded.
fn records<'m, 'a>(block: &'m Block<'a>) -> impl Iterator<Item = &'m Record<'a>> {
    block.items().unwrap_or_default().iter().filter_map(|item| match item {
        Item::Record(record) => Some(record),
        _ => None,
    })
}

impl<'m, 'a> Constants<'m, 'a> {
    fn add(&mut self, block: &'m Block<'a>) -> Result<()> {
        let mut of_type = u32::MAX;
        for record in records(block) {
            if record.code() == constants::SETTYPE {
                of_type = u32::try_from(record.first::<1>()?.0[0]).unwrap_or(u32::MAX);
            } else {
                self.records.push(record);
                self.types.push(of_type);
            }
        }
        Ok(())
    }
}

fn add_metadata<'m, 'a>(block: &'m Block<'a>, to: &mut Vec<Entry<'m, 'a>>) -> Result<()> {
    for record in records(block) {
        if record.code() == metadata::STRINGS {
            to.extend(std::iter::repeat_n(None, count_strings(record)?));
        } else if metadata::makes_id(record.code()) {
            to.push(Some(record));
        }
    }
    Ok(())
}

/// How many strings a record holds, each of which is there.
pub(crate) fn count_strings(record: &Record<'_>) -> Result<usize> {
    let blob = record.blob()?;
    let mut count = 0;
    Strings::of(record.first()?, blob.as_deref())?.walk(|_| count += 1)?;
    Ok(count)
}
