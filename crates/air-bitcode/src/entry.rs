//! What AIR's metadata says of a module: entry points, versions, options, producer.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

use crate::constants::Integers;
use crate::error::Result;
use crate::metadata::{Metadata, Operand};
use crate::module::Module;
use crate::symbols::Global;

/// The kind of an entry point, by the list that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is the list of its name")]
pub enum EntryKind {
    Kernel,
    Vertex,
    Fragment,
    Visible,
    Intersection,
    Mesh,
    Object,
    CoreImage,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Kernel,
        Self::Vertex,
        Self::Fragment,
        Self::Visible,
        Self::Intersection,
        Self::Mesh,
        Self::Object,
        Self::CoreImage,
    ];

    /// Name of the metadata list.
    #[must_use]
    pub fn list(self) -> &'static str {
        match self {
            Self::Kernel => "air.kernel",
            Self::Vertex => "air.vertex",
            Self::Fragment => "air.fragment",
            Self::Visible => "air.visible",
            Self::Intersection => "air.intersection",
            Self::Mesh => "air.mesh",
            Self::Object => "air.object",
            Self::CoreImage => "air.ci",
        }
    }
}

/// A function that programs can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint<'a> {
    /// Its kind.
    pub kind: EntryKind,
    /// Its value number.
    pub value: u64,
    /// Its name; empty if the value is no global of the module.
    pub name: Cow<'a, [u8]>,
    /// Number of the node that describes it: function, outputs, inputs.
    pub node: u64,
}

/// A source language and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// `Metal`; in modules of 2015 `METAL`.
    pub name: String,
    /// Major, minor and patch.
    pub version: [i64; 3],
}

/// What the metadata of a module says of the whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AirInfo<'a> {
    /// Entry points in the order of [`EntryKind::ALL`], within a kind in the list's order; a
    /// function that a list names again is not repeated.
    pub entries: Vec<EntryPoint<'a>>,
    /// AIR version: major, minor, patch.
    pub version: Option<[i64; 3]>,
    /// Source language and its version.
    pub language: Option<Language>,
    /// Compile options, such as `air.compile.fast_math_enable`, each once.
    pub compile_options: Vec<String>,
    /// What made the module (`llvm.ident`).
    pub producer: Option<String>,
    /// Version of the debug information (module flag `Debug Info Version`), where there is any.
    pub debug_info: Option<i64>,
}

impl<'a> Module<'a> {
    /// Reads what the module's metadata says of the whole of it.
    ///
    /// # Errors
    /// If metadata, constants or names cannot be read.
    pub fn air_info(&self) -> Result<AirInfo<'a>> {
        self.air_metadata()?.info()
    }

    /// Reads the module's metadata with the integers and globals that it refers to.
    ///
    /// # Errors
    /// If metadata, constants or names cannot be read.
    pub fn air_metadata(&self) -> Result<AirMetadata<'a>> {
        let budget = self.envelope.stream.len().saturating_mul(TERMS_A_BYTE) + SPARE_TERMS;
        Ok(AirMetadata {
            metadata: self.metadata()?,
            integers: self.integers()?,
            globals: self.globals()?,
            budget: Cell::new(budget),
        })
    }
}

/// Terms that are read of lists for each byte of the module. Lists may share nodes, so that a
/// crafted module could have any number of them; real modules have far less than one.
const TERMS_A_BYTE: usize = 4;

/// Terms that are read of any module.
const SPARE_TERMS: usize = 1024;

/// A module's metadata with the integers and globals that it refers to.
///
/// Entry points, function constants and debug information are views of it; each is read when
/// it is asked for.
#[derive(Clone, Debug)]
pub struct AirMetadata<'a> {
    pub(crate) metadata: Metadata<'a>,
    pub(crate) integers: Integers,
    pub(crate) globals: Vec<Global<'a>>,
    /// Terms that may still be read.
    pub(crate) budget: Cell<usize>,
}

impl<'a> AirMetadata<'a> {
    /// Strings, nodes, and names that lead to them.
    #[must_use]
    pub fn metadata(&self) -> &Metadata<'a> {
        &self.metadata
    }

    /// The global values, in the order of their numbers.
    #[must_use]
    pub fn globals(&self) -> &[Global<'a>] {
        &self.globals
    }

    /// The global with this value number, if it is one.
    #[must_use]
    pub fn global(&self, value: u64) -> Option<&Global<'a>> {
        self.globals.get(crate::bits::size(value))
    }

    /// What the metadata says of the whole module.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub fn info(&self) -> Result<AirInfo<'a>> {
        let mut info = AirInfo { entries: self.entries()?, ..AirInfo::default() };
        if let Some(operands) = self.first("air.version")? {
            info.version = self.version(&operands);
        }
        if let Some(operands) = self.first("air.language_version")?
            && let Some((name, version)) = operands.split_first()
        {
            info.language = name
                .string()
                .map(text)
                .zip(self.version(version))
                .map(|(name, version)| Language { name, version });
        }
        let mut known = HashSet::new();
        for node in self.nodes("air.compile_options") {
            let operands = self.metadata.operands(node)?.unwrap_or_default();
            let strings = operands.iter().filter_map(|operand| operand.string());
            // One string may be named any number of times.
            let new = strings.filter(|string| known.insert((string.as_ptr(), string.len())));
            info.compile_options.extend(new.map(text));
        }
        let ident = self.first("llvm.ident")?.unwrap_or_default();
        info.producer = ident.first().and_then(|operand| operand.string()).map(text);
        for node in self.nodes("llvm.module.flags") {
            let flag = self.metadata.operands(node)?.unwrap_or_default();
            if let [_, Operand::String(b"Debug Info Version"), Operand::Value(value), ..] = flag[..]
            {
                info.debug_info = self.integers.get(value);
            }
        }
        Ok(info)
    }

    fn entries(&self) -> Result<Vec<EntryPoint<'a>>> {
        let mut entries = Vec::new();
        for kind in EntryKind::ALL {
            let mut known = HashSet::new();
            for node in self.nodes(kind.list()) {
                let operands = self.metadata.operands(node)?.unwrap_or_default();
                let Some(value) = operands.first().and_then(|operand| operand.value()) else {
                    continue;
                };
                if !known.insert(value) {
                    continue;
                }
                let global = self.global(value);
                let name = global.map(|global| global.name.clone()).unwrap_or_default();
                entries.push(EntryPoint { kind, value, name, node });
            }
        }
        Ok(entries)
    }

    /// The nodes of a list, each once: a list may name one any number of times.
    pub(crate) fn nodes(&self, list: &str) -> impl Iterator<Item = u64> {
        let nodes = self.metadata.named(list).unwrap_or_default().iter().copied();
        let mut known = HashSet::new();
        nodes.filter(move |node| known.insert(*node))
    }

    fn first(&self, list: &str) -> Result<Option<Vec<Operand<'_>>>> {
        match self.metadata.named(list).and_then(<[u64]>::first) {
            Some(&node) => self.metadata.operands(node),
            None => Ok(None),
        }
    }

    /// Three integers.
    fn version(&self, operands: &[Operand<'_>]) -> Option<[i64; 3]> {
        let number = |operand: &Operand<'_>| self.integers.get(operand.value()?);
        let [major, minor, patch] = operands.first_chunk()?;
        Some([number(major)?, number(minor)?, number(patch)?])
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
