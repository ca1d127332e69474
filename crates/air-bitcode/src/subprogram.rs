//! Where a function stands in its source: its subprogram in the debug information.

use std::collections::HashMap;

use crate::bodies::{Bodies, node_of};
use crate::entry::AirMetadata;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, metadata as codes};
use crate::items::Items;
use crate::metadata::{Entry, Metadata};
use crate::module::Module;
use crate::record::Record;
use crate::terms::Term;

/// Number of the kind of attachments that is `dbg`, in every module.
const DBG: u64 = 0;

/// `DW_TAG_subprogram`, in the low half of the first number of an old node.
const OLD_TAG: i64 = 0x2e;

/// Place of the list of subprograms in an old node of a compile unit.
const OLD_LIST: usize = 9;

/// What debug information says of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subprogram {
    /// Line of its declaration.
    pub line: u64,
    /// Name of the source file.
    pub file: Vec<u8>,
    /// Folder of the compilation, in which a relative name is.
    pub folder: Vec<u8>,
    /// Whether it is a plain node below `llvm.dbg.cu`, as LLVM 3.5 had it.
    pub is_old: bool,
}

/// Subprograms of functions by way of what a module has for all of them.
#[derive(Debug)]
pub struct Subprograms {
    /// Nodes of the module's own attachments.
    attached: HashMap<u64, u64>,
    old: HashMap<u64, Subprogram>,
}

impl AirMetadata<'_> {
    /// Reads what the module says of all its functions: attachments outside of bodies, and the
    /// nodes of old modules (`Debug Info Version` 1).
    ///
    /// # Errors
    /// If a record cannot be read.
    pub fn subprograms(&self, module: &Module<'_>) -> Result<Subprograms> {
        let mut attached = HashMap::new();
        let mut info = module.block_info();
        for found in module.blocks(block::METADATA) {
            let mut items = Items::new(found, info.get(found.id())?);
            while let Some(record) = items.next_record().within(|| "MODULE > METADATA")? {
                if record.code() == codes::GLOBAL_DECL_ATTACHMENT {
                    let operands = record.values()?.operands;
                    if let (Some(&value), Some(node)) =
                        (operands.first(), node_of(&operands, 1, DBG))
                    {
                        attached.entry(value).or_insert(node);
                    }
                }
            }
        }
        Ok(Subprograms { attached, old: self.old_subprograms()? })
    }

    /// Subprograms that are plain nodes, by their functions.
    fn old_subprograms(&self) -> Result<HashMap<u64, Subprogram>> {
        let mut found = HashMap::new();
        for unit in self.nodes("llvm.dbg.cu") {
            // A unit that is no plain node has its subprograms attached to the functions.
            if self.metadata.operands(unit)?.is_none() {
                continue;
            }
            let unit = self.terms(unit)?;
            let Some(Term::Node(list)) = unit.get(OLD_LIST) else { continue };
            for terms in self.lists(*list)? {
                if let Some((function, subprogram)) = self.old_subprogram(&terms)? {
                    found.entry(function).or_insert(subprogram);
                }
            }
        }
        Ok(found)
    }

    /// Tag, file, scope, name, shown name, linkage name, line, type, local, definition,
    /// virtuality, virtual index, containing type, flags, optimized, function, …
    fn old_subprogram(&self, terms: &[Term<'_>]) -> Result<Option<(u64, Subprogram)>> {
        let term = |index: usize| terms.get(index).copied().unwrap_or(Term::None);
        let is_subprogram = term(0).integer().is_some_and(|tag| tag & 0xffff == OLD_TAG);
        let (true, Term::Node(file), Some(line), Term::Value(function)) =
            (is_subprogram, term(1), term(6).integer(), term(15))
        else {
            return Ok(None);
        };
        let [Term::Text(file), Term::Text(folder), ..] = self.terms(file)?[..] else {
            return Ok(None);
        };
        let line = u64::try_from(line).unwrap_or_default();
        let (file, folder) = (file.to_vec(), folder.to_vec());
        Ok(Some((function, Subprogram { line, file, folder, is_old: true })))
    }

    /// The subprogram of a function; none if the module has none of it.
    ///
    /// # Errors
    /// If its body or its nodes cannot be read, or make no sense.
    pub fn subprogram(
        &self,
        function: u64,
        all: &Subprograms,
        bodies: &mut Bodies<'_, '_>,
    ) -> Result<Option<Subprogram>> {
        if let Some(old) = all.old.get(&function) {
            return Ok(Some(old.clone()));
        }
        let attached = all.attached.get(&function).map(|&node| (node, Vec::new()));
        let found = bodies.attachment(function, DBG)?.or(attached);
        let Some((node, own)) = found else { return Ok(None) };
        let scope = Scope { metadata: &self.metadata, own: &own };
        scope.subprogram(node).within(|| format!("metadata {node}")).map(Some)
    }
}

/// The module's metadata and that of one function, which has the numbers behind it.
struct Scope<'s, 'a> {
    metadata: &'s Metadata<'a>,
    own: &'s [Entry<'a>],
}

impl<'s, 'a> Scope<'s, 'a> {
    fn entry(&self, id: u64) -> Option<&'s Entry<'a>> {
        let own = crate::bits::size(id).checked_sub(self.metadata.count());
        own.map_or_else(|| self.metadata.entry(id), |index| self.own.get(index))
    }

    /// flags, scope, name, linkage name, file, line, …
    fn subprogram(&self, node: u64) -> Result<Subprogram> {
        let record = self.record(Some(node), codes::SUBPROGRAM, "a subprogram")?;
        let ([.., file, line], count) = record.first::<6>()?;
        if count < 6 {
            return Err(record.error("subprogram without a line"));
        }
        let record = self.record(file.checked_sub(1), codes::FILE, "a file")?;
        let ([_, file, folder], _) = record.first::<3>()?;
        let (file, folder) = (self.text(file)?, self.text(folder)?);
        Ok(Subprogram { line, file, folder, is_old: false })
    }

    fn record(&self, id: Option<u64>, code: u32, expected: &str) -> Result<&'s Record<'a>> {
        match id.and_then(|id| self.entry(id)) {
            Some(Entry::Record(record)) if record.code() == code => Ok(record),
            _ => {
                let what = match id {
                    Some(id) => format!("metadata {id} is not {expected}"),
                    None => format!("nothing, expected {expected}"),
                };
                Err(Error::nowhere(ErrorKind::Value { what }))
            }
        }
    }

    /// A string by its number + 1; empty for 0.
    fn text(&self, plus_one: u64) -> Result<Vec<u8>> {
        let Some(id) = plus_one.checked_sub(1) else { return Ok(Vec::new()) };
        match self.entry(id) {
            Some(Entry::String(text)) => Ok(text.to_vec()),
            _ => {
                let what = format!("metadata {id} is no string, expected a path");
                Err(Error::nowhere(ErrorKind::Value { what }))
            }
        }
    }
}
