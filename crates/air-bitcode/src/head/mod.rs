//! The head of a module: what the directory of a container says of it too.
//!
//! [`Module::air_info`] decodes all metadata and all constants. A checker that reads tens of
//! thousands of modules needs a dozen records of them, and goes to these by the index that
//! metadata holds of itself. Modules of another form (old ones above all) are read in full.

mod frame;
mod nodes;

use std::borrow::Cow;

use crate::entry::EntryPoint;
use crate::error::Result;
use crate::module::Module;
use crate::skim::Definitions;
use crate::wrapper::Envelope;
use frame::Frame;
use nodes::Nodes;

/// What a module says of itself that a container says of it too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head<'a> {
    /// The target triple.
    pub triple: Option<Cow<'a, [u8]>>,
    /// Entry points in the order of [`EntryKind::ALL`](crate::EntryKind::ALL), within a kind in the
    /// order of the list.
    pub entries: Vec<EntryPoint<'a>>,
    /// AIR version: major, minor, patch.
    pub version: Option<[i64; 3]>,
    /// Source language: name, and major, minor, patch.
    pub language: Option<(Cow<'a, [u8]>, [i64; 3])>,
    /// What made the module (`llvm.ident`).
    pub producer: Option<Cow<'a, [u8]>>,
    /// Version of the debug information (module flag `Debug Info Version`), where there is any.
    pub debug_info: Option<i64>,
}

impl<'a> Head<'a> {
    /// The head by way of the views of the whole module.
    ///
    /// # Errors
    /// As [`Module::parse`] and [`Module::air_info`].
    pub fn full(bytes: &'a [u8]) -> Result<Self> {
        let module = Module::parse(bytes)?;
        let info = module.air_info()?;
        let text = |text: String| Cow::Owned(text.into_bytes());
        Ok(Self {
            triple: module.triple()?.map(text),
            entries: info.entries,
            version: info.version,
            language: info.language.map(|language| (text(language.name), language.version)),
            producer: info.producer.map(text),
            debug_info: info.debug_info,
        })
    }
}

/// Reads heads of modules, one after the other, with the same buffers.
#[derive(Debug, Default)]
pub struct HeadReader {
    frame: frame::Buffers,
    nodes: nodes::Buffers,
    own: Definitions,
}

impl HeadReader {
    /// A reader with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the head of a module, in its wrapper or without.
    ///
    /// It is [`Head::full`], but records that are not needed are not looked at.
    ///
    /// # Errors
    /// As [`Head::full`].
    pub fn read<'a>(&mut self, bytes: &'a [u8]) -> Result<Head<'a>> {
        self.quick(bytes).map_or_else(|| Head::full(bytes), Ok)
    }

    /// The head by its index; none if the module is of another form, or damaged.
    fn quick<'a>(&mut self, bytes: &'a [u8]) -> Option<Head<'a>> {
        let frame = Frame::read(&Envelope::parse(bytes).ok()?, &mut self.frame)?;
        let nodes = Nodes::read(&frame.metadata, &mut self.nodes, &mut self.own)?;
        let [a, b, c] = nodes.operands(nodes.version?)?;
        let [name, d, e, f] = nodes.operands(nodes.language?)?;
        let debug = nodes.debug_info()?;
        let mut numbers = [0; 7];
        for (slot, id) in numbers.iter_mut().zip([a, b, c, d, e, f].into_iter().chain(debug)) {
            *slot = nodes.value(id)?;
        }
        let known = if debug.is_some() { 7 } else { 6 };
        frame.integers(numbers.get_mut(..known)?, &mut self.frame)?;
        let [a, b, c, d, e, f, flag] = numbers.map(u64::cast_signed);
        let mut entries = Vec::with_capacity(nodes.entries().len());
        for &(kind, node) in nodes.entries() {
            let [function] = nodes.operands(node)?;
            let value = nodes.value(function)?;
            let name = frame.name(value, &self.frame)?.into();
            entries.push(EntryPoint { kind, value, name, node });
        }
        entries.sort_by_key(|entry| entry.kind);
        let producer = match nodes.producer {
            Some(node) => Some(nodes.string(nodes.operands::<1>(node)?[0])?.into()),
            None => None,
        };
        Some(Head {
            triple: frame.has_triple.then(|| Cow::Owned(self.frame.triple.clone())),
            entries,
            version: Some([a, b, c]),
            language: Some((nodes.string(name)?.into(), [d, e, f])),
            producer,
            debug_info: debug.map(|_| flag),
        })
    }
}
