//! One module against the functions that use it: NAME, TYPE, VERS, DEBI.

use std::collections::{BTreeMap, HashMap};

use air_bitcode::{EntryPoint, Global, GlobalKind, Head, Linkage, Module};
use metallib::{FourCc, Function, FunctionType, Library, Versions, printable};

use super::super::findings::{Findings, Kind, Severity};
use crate::derive::type_of_list;

/// The most faults of one kind in one module that are put into words; `Findings` keeps no more.
const WORDED: usize = 100;

/// What is wrong with the functions of one module.
#[derive(Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
    counts: BTreeMap<Kind, usize>,
}

struct Fault {
    severity: Severity,
    kind: Kind,
    function: usize,
    /// The tag that says otherwise; the module itself if none does.
    tag: Option<FourCc>,
    /// Empty behind the first [`WORDED`].
    what: String,
}

impl Faults {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn add(
        &mut self,
        (severity, kind): (Severity, Kind),
        function: usize,
        tag: Option<FourCc>,
        what: impl FnOnce() -> String,
    ) {
        let count = self.counts.entry(kind).or_insert(0);
        *count += 1;
        let what = if *count <= WORDED { what() } else { String::new() };
        self.list.push(Fault { severity, kind, function, tag, what });
    }

    /// Adds them to the findings.
    pub(super) fn tell(&self, library: &Library<'_>, module: usize, findings: &mut Findings) {
        let module = library.modules().get(module).map_or(0, metallib::Module::offset);
        for fault in &self.list {
            let Some(function) = library.functions().get(fault.function) else { continue };
            let tag = fault.tag.and_then(|id| {
                [&function.tags, &function.public, &function.private]
                    .into_iter()
                    .find_map(|tags| tags.get(id))
            });
            let place = || match tag {
                Some(tag) => format!("{} > tag {}", function.place(fault.function), tag.id),
                None => format!("{} > module", function.place(fault.function)),
            };
            let offset = tag.map_or(module, |tag| tag.offset);
            findings.add((fault.severity, fault.kind), offset, place, || fault.what.clone());
        }
    }
}

/// Compares a module with its functions.
pub(super) fn check<'l, 'a: 'l>(
    functions: impl Iterator<Item = (usize, &'l Function<'a>)>,
    head: &Head<'_>,
    module: &[u8],
) -> Faults {
    let mut check = Check::new(head, module);
    for (position, (index, function)) in functions.enumerate() {
        if position == 0 {
            check.count(index, function);
        }
        check.name_and_type(index, function);
        check.versions(index, function);
        check.debug_info(index, function);
    }
    check.faults
}

struct Check<'h, 'm> {
    head: &'h Head<'m>,
    module: &'m [u8],
    /// Entry points by name, where there are several.
    entries: HashMap<&'h [u8], &'h EntryPoint<'m>>,
    /// The module's functions by name, once they are asked for.
    globals: Option<HashMap<Vec<u8>, Global<'m>>>,
    faults: Faults,
}

impl<'h, 'm> Check<'h, 'm> {
    fn new(head: &'h Head<'m>, module: &'m [u8]) -> Self {
        let several = head.entries.iter().filter(|_| head.entries.len() > 1);
        let entries = several.map(|entry| (&*entry.name, entry)).collect();
        Self { head, module, entries, globals: None, faults: Faults::default() }
    }

    /// The entry point with this name.
    fn entry(&self, name: &[u8]) -> Option<&'h EntryPoint<'m>> {
        match &*self.head.entries {
            [one] => Some(one).filter(|entry| entry.name == name),
            _ => self.entries.get(name).copied(),
        }
    }

    /// A module has one entry point, but those of TYPE 3 have none.
    fn count(&mut self, index: usize, function: &Function<'_>) {
        let entries = &self.head.entries;
        let expected = function.function_type() != Some(FunctionType::UNQUALIFIED);
        if entries.is_empty() && expected {
            let what = || "the module has no entry point, expected one".to_owned();
            self.faults.add((Severity::Error, Kind::Entry), index, None, what);
        } else if entries.len() > 1 {
            let what = || format!("the module has {}, expected one", named(entries));
            self.faults.add((Severity::Warning, Kind::Entry), index, None, what);
        }
    }

    /// NAME is the symbol of the entry point, and TYPE the list that it is in.
    fn name_and_type(&mut self, index: usize, function: &Function<'_>) {
        let (head, name) = (self.head, function.name_bytes());
        let Some(code) = function.function_type() else { return };
        if code == FunctionType::UNQUALIFIED && head.entries.is_empty() {
            return self.definition(index, name);
        }
        let has_name = function.tags.get(FourCc::NAME).is_some();
        let entry = match (self.entry(name), &*head.entries) {
            (Some(entry), _) => entry,
            (None, []) => return,
            (None, [first, ..]) => {
                if has_name {
                    let what = || format!("the module has {}", named(&head.entries));
                    self.faults.add(
                        (Severity::Error, Kind::Entry),
                        index,
                        Some(FourCc::NAME),
                        what,
                    );
                }
                first
            }
        };
        if type_of_list(entry.kind).is_some_and(|expected| expected != code) {
            let what = || {
                format!("TYPE is {code}, the module lists the function as {}", entry.kind.list())
            };
            self.faults.add((Severity::Error, Kind::Entry), index, Some(FourCc::TYPE), what);
        }
    }

    /// NAME is a function that the module defines for others.
    fn definition(&mut self, index: usize, name: &[u8]) {
        let found = match self.globals() {
            Ok(globals) => globals.get(name),
            Err(error) => {
                let what = format!("the module's symbols cannot be read: {error}");
                return self.faults.add((Severity::Error, Kind::Bitcode), index, None, || what);
            }
        };
        let what = match found {
            None => "the module has no function of this name",
            Some(global) if !global.is_definition => "the module only declares this function",
            Some(global) if !is_offered(global.linkage) => {
                "the module keeps this function to itself (its linkage is internal)"
            }
            Some(_) => return,
        };
        self.faults
            .add((Severity::Error, Kind::Entry), index, Some(FourCc::NAME), || what.to_owned());
    }

    fn globals(&mut self) -> air_bitcode::Result<&HashMap<Vec<u8>, Global<'_>>> {
        let globals = match self.globals.take() {
            Some(globals) => globals,
            None => Module::parse(self.module)?
                .globals()?
                .into_iter()
                .filter(|global| global.kind == GlobalKind::Function)
                .map(|global| (global.name.to_vec(), global))
                .collect(),
        };
        Ok(self.globals.insert(globals))
    }

    /// VERS is what the module says.
    fn versions(&mut self, index: usize, function: &Function<'_>) {
        let Some(stored) = function.versions() else { return };
        let language = self.head.language.as_ref().map(|(_, version)| *version);
        let (Some(air), Some(language)) = (self.head.version, language) else {
            let what = || "the module does not say its AIR and language version".to_owned();
            return self.faults.add((Severity::Error, Kind::Versions), index, None, what);
        };
        if !says(stored, air, language) {
            let what = || {
                let [a, b, _] = air;
                let [c, d, _] = language;
                let Versions { air, language } = stored;
                format!(
                    "AIR {air} with language {language}, the module says AIR {a}.{b} with \
                     language {c}.{d}"
                )
            };
            self.faults.add((Severity::Error, Kind::Versions), index, Some(FourCc::VERS), what);
        }
    }

    /// DEBI is there exactly if the module says that it has, or had, debug information.
    fn debug_info(&mut self, index: usize, function: &Function<'_>) {
        let tag = function.private.get(FourCc::DEBI).is_some();
        if tag == self.head.debug_info.is_some() {
            return;
        }
        let (tag, what) = if tag {
            (Some(FourCc::DEBI), "tag DEBI, but the module has no flag `Debug Info Version`")
        } else {
            (None, "the module has the flag `Debug Info Version`, but there is no tag DEBI")
        };
        self.faults.add((Severity::Warning, Kind::DebugInfo), index, tag, || what.to_owned());
    }
}

fn is_offered(linkage: Linkage) -> bool {
    linkage.is_visible() && linkage != Linkage::AvailableExternally
}

/// Whether VERS says the same as the module.
fn says(stored: Versions, air: [i64; 3], language: [i64; 3]) -> bool {
    let pair = |version: metallib::Version| [version.major, version.minor].map(i64::from);
    let [a, b, _] = air;
    let [c, d, _] = language;
    pair(stored.air) == [a, b] && pair(stored.language) == [c, d]
}

/// Entry points in words.
fn named(entries: &[EntryPoint<'_>]) -> String {
    const SHOWN: usize = 3;
    let name =
        |entry: &EntryPoint<'_>| format!("`{}` ({})", printable(&entry.name), entry.kind.list());
    let names: Vec<String> = entries.iter().take(SHOWN).map(name).collect();
    let more = match entries.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match entries {
        [_] => format!("the entry point {}", names.concat()),
        _ => format!("{} entry points: {}{more}", entries.len(), names.join(", ")),
    }
}
