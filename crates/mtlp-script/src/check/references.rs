//! References: what they name is there, and of the right type.

use std::collections::{HashMap, HashSet};

use crate::facts::{Function, Kind, Known, Library};
use crate::finding::{Findings, Rule, shown};
use crate::model::{Model, Reference, Target};

/// What a reference names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved<'l> {
    /// The function; `None` for a stitched one, which no library holds.
    pub(super) function: Option<&'l Function>,
    /// Of which kind it is.
    pub(super) kind: Kind,
    /// Which specialised function of the script it is.
    pub(super) specialized: Option<usize>,
}

/// Why a reference names nothing.
#[derive(Debug)]
pub(super) enum Unresolved {
    /// Nobody said where its library is.
    NotLookedUp,
    /// It is reported elsewhere.
    Reported,
    /// It cannot work.
    Error(Rule, String),
    /// It may work.
    Warning(Rule, String),
}

/// Looks up references.
pub(super) struct Resolver<'r, 's, 'l> {
    model: &'r Model<'s>,
    known: &'r Known<'l>,
    libraries: HashMap<&'s str, &'s str>,
    specialized: HashMap<&'s str, usize>,
    /// The names of their graphs.
    stitched: HashMap<&'s str, HashSet<&'s str>>,
    descriptors: HashMap<&'s str, usize>,
}

/// How many specialised functions may refer to each other.
const CHAIN: u32 = 16;

type Result<'l> = std::result::Result<Resolved<'l>, Unresolved>;

impl<'r, 's, 'l> Resolver<'r, 's, 'l> {
    pub(super) fn new(model: &'r Model<'s>, known: &'r Known<'l>) -> Self {
        let indexed = |(index, label): (usize, &'s str)| (label, index);
        let specialized = model.specialized.iter().map(|one| one.label.text);
        let stitched = model
            .stitched
            .iter()
            .map(|one| (one.label.text, one.graphs.iter().map(|graph| graph.name.text).collect()));
        let descriptors = model.descriptors.iter().map(|one| one.label.text);
        Self {
            model,
            known,
            libraries: model.libraries.iter().map(|l| (l.label.text, l.path.text)).collect(),
            specialized: specialized.enumerate().map(indexed).collect(),
            stitched: stitched.collect(),
            descriptors: descriptors.enumerate().map(indexed).collect(),
        }
    }

    /// What a reference names; of several functions of a name one of these kinds.
    pub(super) fn resolve(
        &self,
        reference: &Reference<'s>,
        kinds: &[Kind],
        findings: &Findings,
    ) -> Result<'l> {
        self.target(reference.target, kinds, findings, 0)
    }

    fn target(
        &self,
        target: Target<'s>,
        kinds: &[Kind],
        findings: &Findings,
        depth: u32,
    ) -> Result<'l> {
        if depth > CHAIN {
            let message = format!(
                "specialised functions refer to each other in a circle, or {CHAIN} times in a row"
            );
            return Err(Unresolved::Error(Rule::CyclicReference, message));
        }
        match target {
            Target::Name(name) => self.in_command_line(name, kinds, findings),
            Target::File { path, name } => self.in_path(path, name, kinds, findings, false),
            Target::Descriptor(label) => self.descriptor(label, kinds, findings, depth),
            Target::Alias { label, name } => {
                if let Some(path) = self.libraries.get(label) {
                    return self.in_path(path, name, kinds, findings, true);
                }
                if let Some(&index) = self.specialized.get(label) {
                    return self.in_specialized(index, Some(name), kinds, findings, depth);
                }
                match self.stitched.get(label) {
                    Some(graphs) => in_stitched(graphs, name, findings),
                    None => Err(self.no_label(label, name, kinds, findings)),
                }
            }
        }
    }

    fn in_command_line(&self, name: &str, kinds: &[Kind], findings: &Findings) -> Result<'l> {
        let libraries = &self.known.command_line;
        if libraries.is_empty() {
            return Err(Unresolved::NotLookedUp);
        }
        let found = libraries.iter().find_map(|library| library.function(name, kinds));
        found.map(plain).ok_or_else(|| no_function(name, libraries, findings))
    }

    fn in_path(
        &self,
        path: &str,
        name: &str,
        kinds: &[Kind],
        findings: &Findings,
        is_listed: bool,
    ) -> Result<'l> {
        match self.known.by_path.get(path) {
            None => Err(Unresolved::NotLookedUp),
            Some(None) if is_listed => Err(Unresolved::Reported),
            Some(None) => Err(Unresolved::Error(Rule::UnknownLibrary, no_library(path))),
            Some(Some(library)) => library
                .function(name, kinds)
                .map(plain)
                .ok_or_else(|| no_function(name, &[library], findings)),
        }
    }

    fn in_specialized(
        &self,
        index: usize,
        name: Option<&str>,
        kinds: &[Kind],
        findings: &Findings,
        depth: u32,
    ) -> Result<'l> {
        let Some(one) = self.model.specialized.get(index) else {
            return Err(Unresolved::Reported);
        };
        let own = one.name.map_or_else(|| one.function.name(), |name| name.text);
        if let Some(name) = name.filter(|name| *name != own) {
            let message = format!(
                "the specialised function {} is called {}, not {}",
                shown(one.label.text),
                shown(own),
                shown(name)
            );
            return Err(Unresolved::Error(Rule::UnknownFunction, message));
        }
        match self.target(one.function.target, kinds, findings, depth + 1) {
            Ok(resolved) => Ok(Resolved { specialized: Some(index), ..resolved }),
            Err(circle @ Unresolved::Error(Rule::CyclicReference, _)) => Err(circle),
            // Its own `function` is checked where it stands.
            Err(_) => Err(Unresolved::Reported),
        }
    }

    /// Apple's article itself has an alias to a label that is not there.
    fn no_label(&self, label: &str, name: &str, kinds: &[Kind], findings: &Findings) -> Unresolved {
        let labels = self.libraries.keys().chain(self.specialized.keys());
        let labels = labels.chain(self.stitched.keys()).copied();
        let hint = findings.nearest.hint(label, labels);
        let message = format!(
            "nothing has the label {}{hint}; in the manual an alias names a label of `paths`, \
             `specialized_functions` or `stitched_libraries`",
            shown(label)
        );
        // The function may still be meant to come from the command line.
        let libraries = &self.known.command_line;
        let may_be = |library: &&Library| library.function(name, kinds).is_some();
        match libraries.is_empty() || libraries.iter().any(may_be) {
            true => Unresolved::Warning(Rule::UnknownLabel, message),
            false => Unresolved::Error(Rule::UnknownLabel, message),
        }
    }

    fn descriptor(
        &self,
        label: &str,
        kinds: &[Kind],
        findings: &Findings,
        depth: u32,
    ) -> Result<'l> {
        if let Some(&index) = self.specialized.get(label) {
            return self.in_specialized(index, None, kinds, findings, depth);
        }
        let found =
            self.descriptors.get(label).and_then(|&index| self.model.descriptors.get(index));
        let Some(found) = found else {
            let labels = self.descriptors.keys().chain(self.specialized.keys()).copied();
            let hint = findings.nearest.hint(label, labels);
            let message = format!("no function has the label {}{hint}", shown(label));
            return Err(Unresolved::Error(Rule::UnknownLabel, message));
        };
        let name = found.name.text;
        match found.library {
            None => self.in_command_line(name, kinds, findings),
            Some(library) => match self.libraries.get(library.text) {
                Some(path) => self.in_path(path, name, kinds, findings, true),
                None => Err(Unresolved::Reported),
            },
        }
        // The descriptor itself is checked where it stands.
        .map_err(|unresolved| match unresolved {
            Unresolved::NotLookedUp => Unresolved::NotLookedUp,
            _ => Unresolved::Reported,
        })
    }
}

fn plain(function: &Function) -> Resolved<'_> {
    Resolved { function: Some(function), kind: function.kind, specialized: None }
}

fn in_stitched<'l>(graphs: &HashSet<&str>, name: &str, findings: &Findings) -> Result<'l> {
    if graphs.contains(name) {
        // A stitched function is called like a visible one.
        return Ok(Resolved { function: None, kind: Kind::Visible, specialized: None });
    }
    let hint = findings.nearest.hint(name, graphs.iter().copied());
    let message = format!("the stitched library has no graph {}{hint}", shown(name));
    Err(Unresolved::Error(Rule::UnknownFunction, message))
}

fn no_library(path: &str) -> String {
    format!("the library {} was not found; -L names the folders of libraries", shown(path))
}

fn no_function(name: &str, libraries: &[&Library], findings: &Findings) -> Unresolved {
    let names = libraries.iter().flat_map(|library| library.functions());
    let hint = findings.nearest.hint(name, names.map(|function| function.name.as_str()));
    let place = match libraries {
        [library] => shown(library.name()),
        _ => "the libraries of the command line".to_owned(),
    };
    let message = format!("there is no function {} in {place}{hint}", shown(name));
    Unresolved::Error(Rule::UnknownFunction, message)
}

/// All kinds, for references that take any.
const ANY: &[Kind] = &[];

/// Kinds of functions that others are linked with.
const LINKED: &[Kind] = &[Kind::Visible, Kind::Intersection];

pub(super) fn check(model: &Model<'_>, resolver: &Resolver<'_, '_, '_>, findings: &mut Findings) {
    for library in &model.libraries {
        if let Some(None) = resolver.known.by_path.get(library.path.text) {
            let message = no_library(library.path.text);
            findings.error(Rule::UnknownLibrary, library.path.span, message);
        }
    }
    let mut each = |reference: &Reference<'_>, key: &str, kinds: &[Kind]| {
        one(resolver, reference, key, kinds, findings);
    };
    model.specialized.iter().for_each(|one| each(&one.function, "function", ANY));
    for reference in model.stitched.iter().flat_map(|one| &one.functions) {
        each(reference, "functions", &[Kind::Visible]);
    }
    model.listed.iter().for_each(|stage| each(&stage.reference, stage.key, stage.kinds));
    for pipeline in &model.pipelines {
        pipeline.stages.iter().for_each(|stage| each(&stage.reference, stage.key, stage.kinds));
        let linked = pipeline.linked.iter().flat_map(|linked| &linked.functions);
        linked.for_each(|reference| each(reference, "linked functions", LINKED));
    }
    descriptors(model, resolver, findings);
    let labels: HashMap<&str, ()> =
        model.named_constants.iter().map(|one| (one.name.text, ())).collect();
    for word in model.specialized.iter().filter_map(|one| one.named_values) {
        if !labels.contains_key(word.text) {
            let hint = findings.nearest.hint(word.text, labels.keys().copied());
            let message = format!("no list of constants has the name {}{hint}", shown(word.text));
            findings.error(Rule::UnknownLabel, word.span, message);
        }
    }
}

/// The functions that a Metal 4 script takes out of libraries.
fn descriptors(model: &Model<'_>, resolver: &Resolver<'_, '_, '_>, findings: &mut Findings) {
    for one in &model.descriptors {
        let (word, found) = match one.library {
            None => (one.name, resolver.in_command_line(one.name.text, ANY, findings)),
            Some(library) => match resolver.libraries.get(library.text) {
                Some(path) => {
                    (one.name, resolver.in_path(path, one.name.text, ANY, findings, true))
                }
                None => {
                    let labels = resolver.libraries.keys().copied();
                    let hint = findings.nearest.hint(library.text, labels);
                    let what = format!("no library has the label {}{hint}", shown(library.text));
                    (library, Err(Unresolved::Error(Rule::UnknownLabel, what)))
                }
            },
        };
        // References to it are counted as not looked up.
        if let Err(unresolved) = found {
            report(unresolved, word.span, findings, false);
        }
    }
}

fn one<'s>(
    resolver: &Resolver<'_, 's, '_>,
    reference: &Reference<'s>,
    key: &str,
    kinds: &[Kind],
    findings: &mut Findings,
) {
    match resolver.resolve(reference, kinds, findings) {
        Ok(resolved) if kinds.is_empty() || kinds.contains(&resolved.kind) => {}
        Ok(resolved) => {
            let takes: Vec<String> = kinds.iter().map(ToString::to_string).collect();
            let message = format!(
                "{} is a function of type {}; `{key}` takes {}",
                shown(reference.name()),
                resolved.kind,
                takes.join(" or ")
            );
            findings.error(Rule::WrongFunctionType, reference.span, message);
        }
        // A circle is reported where it is, not where it is used.
        Err(Unresolved::Error(Rule::CyclicReference, _)) if key != "function" => {}
        Err(unresolved) => report(unresolved, reference.span, findings, true),
    }
}

fn report(
    unresolved: Unresolved,
    span: crate::json::Span,
    findings: &mut Findings,
    is_counted: bool,
) {
    match unresolved {
        Unresolved::NotLookedUp => findings.not_looked_up += u64::from(is_counted),
        Unresolved::Reported => {}
        Unresolved::Error(rule, message) => findings.error(rule, span, message),
        Unresolved::Warning(rule, message) => findings.warn(rule, span, message),
    }
}
