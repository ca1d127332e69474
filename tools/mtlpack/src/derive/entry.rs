//! The entry itself: NAME and TYPE, VERS, LAYR, TESS.

use std::collections::HashSet;

use air_bitcode::{EntryKind, EntryLists, GlobalKind, Linkage, Term};
use metallib::{DataType, FourCc, FunctionType, Version, Versions};

use super::keys::{Keys, shown};
use super::types::type_of;
use super::{Derivation, DeriveError, Result, Subject};

/// The output that LAYR is of.
const LAYER: &[u8] = b"air.render_target_array_index";

/// The most control points that TESS has room for.
const CONTROL_POINTS: i64 = 63;

/// The type of functions of an entry list; none for lists that are not known here.
pub(crate) fn type_of_list(kind: EntryKind) -> Option<FunctionType> {
    Some(match kind {
        EntryKind::Vertex => FunctionType::VERTEX,
        EntryKind::Fragment => FunctionType::FRAGMENT,
        EntryKind::Kernel => FunctionType::KERNEL,
        EntryKind::Visible => FunctionType::VISIBLE,
        EntryKind::CoreImage => FunctionType::EXTERN,
        EntryKind::Intersection => FunctionType::INTERSECTION,
        EntryKind::Mesh => FunctionType::MESH,
        EntryKind::Object => FunctionType::OBJECT,
        _ => return None,
    })
}

impl<'a> Derivation<'_, 'a> {
    /// The functions that a library lists, in the order of Apple's linker.
    pub(crate) fn subjects(&mut self) -> Result<Vec<Subject<'a>>> {
        self.check_entries()?;
        self.check_lists()?;
        let subjects = match self.info.entries[..] {
            [] => self.offered().collect(),
            _ => self.listed()?,
        };
        self.functions = subjects.len();
        let mut names = HashSet::with_capacity(subjects.len());
        for subject in &subjects {
            let name = name_of(subject, FourCc::NAME, &subject.name)?;
            if name.is_empty() {
                return Err(subject.refuse(FourCc::NAME, "the function has no name"));
            }
            if !names.insert(name) {
                return Err(subject.refuse(FourCc::NAME, "two functions have this name"));
            }
        }
        Ok(subjects)
    }

    /// The functions that lists name.
    fn listed(&self) -> Result<Vec<Subject<'a>>> {
        let mut known = HashSet::new();
        let entries = self.info.entries.iter();
        let subjects = entries.map(|entry| {
            let refuse = |what: &str| {
                let what = format!("it is in list {}, {what}", entry.kind.list());
                DeriveError::function(&entry.name, FourCc::TYPE, what)
            };
            match self.air.global(entry.value) {
                Some(global) if global.kind == GlobalKind::Function && global.is_definition => {}
                Some(_) => return Err(refuse("and no function that the module defines")),
                None => return Err(refuse("and no function of the module")),
            }
            if !known.insert(entry.value) {
                return Err(refuse("and in another one, too"));
            }
            let Some(function_type) = type_of_list(entry.kind) else {
                return Err(refuse("whose type is not known"));
            };
            let (name, value) = (entry.name.clone(), entry.value);
            Ok(Subject { name, function_type, value, entry: Some(entry.clone()) })
        });
        subjects.collect()
    }

    /// The functions that the module defines for others.
    fn offered(&self) -> impl Iterator<Item = Subject<'a>> {
        let globals = self.air.globals().iter().filter(|global| {
            let is_function = global.kind == GlobalKind::Function && global.is_definition;
            is_function && global.linkage == Linkage::External
        });
        globals.map(|global| Subject {
            name: global.name.clone(),
            function_type: FunctionType::UNQUALIFIED,
            value: global.value.into(),
            entry: None,
        })
    }

    /// Refuses an entry point whose function is gone.
    fn check_entries(&self) -> Result<()> {
        for list in EntryKind::ALL.map(EntryKind::list) {
            for &node in self.air.metadata().named(list).unwrap_or_default() {
                let operands = self.air.metadata().operands(node)?.unwrap_or_default();
                if operands.first().is_none_or(|operand| operand.value().is_none()) {
                    return Err(DeriveError::NoFunction { list, node });
                }
            }
        }
        Ok(())
    }

    /// Refuses a list of a kind that is not known: it would name functions that get no entry.
    fn check_lists(&self) -> Result<()> {
        let is_known = |name: &str| {
            !name.starts_with("air.") || EntryKind::ALL.iter().any(|kind| kind.list() == name)
        };
        for list in self.air.metadata().names().filter(|name| !is_known(name)) {
            for terms in self.air.named_terms(&list)? {
                let Some(Term::Value(value)) = terms.first() else { continue };
                let global = self.air.global(*value);
                let defined = global.filter(|global| {
                    global.kind == GlobalKind::Function
                        && global.is_definition
                        && matches!(terms[..], [_, Term::Node(_), Term::Node(_), ..])
                });
                if let Some(global) = defined {
                    let what =
                        format!("it is in list {}, which is not known", shown(list.as_bytes()));
                    return Err(DeriveError::function(&global.name, FourCc::TYPE, what));
                }
            }
        }
        Ok(())
    }

    /// AIR and language version of the module.
    pub(super) fn versions(&self, subject: &Subject<'_>) -> Result<Versions> {
        let language = self.info.language.as_ref().map(|language| language.version);
        Ok(Versions {
            air: version(subject, self.info.version, "air.version")?,
            language: version(subject, language, "air.language_version")?,
        })
    }
}

fn version(subject: &Subject<'_>, found: Option<[i64; 3]>, list: &str) -> Result<Version> {
    let Some([major, minor, patch]) = found else {
        let what = format!("the module has no {list} of three numbers");
        return Err(subject.refuse(FourCc::VERS, what));
    };
    match (u16::try_from(major), u16::try_from(minor)) {
        (Ok(major), Ok(minor)) => Ok(Version::new(major, minor)),
        _ => {
            let what = format!("{list} is {major}.{minor}.{patch}, expected numbers below 65,536");
            Err(subject.refuse(FourCc::VERS, what))
        }
    }
}

/// The type of a vertex function's render target array index.
pub(super) fn layer(subject: &Subject<'_>, lists: &EntryLists<'_>) -> Result<Option<u8>> {
    let mut outputs = lists.outputs.iter().map(|terms| Keys::new(terms));
    let Some(output) = outputs.find(|keys| keys.kind == LAYER) else { return Ok(None) };
    let name = output.text("air.arg_type_name").unwrap_or_default();
    match type_of(name) {
        Some(data_type) => Ok(Some(data_type.code())),
        None => Err(subject.refuse(FourCc::LAYR, unknown_type(name))),
    }
}

/// What a vertex function's node `air.patch` says: kind of patch and number of control points.
pub(super) fn tessellation(
    subject: &Subject<'_>,
    patch: Option<Vec<Term<'_>>>,
) -> Result<Option<u8>> {
    let Some(terms) = patch else { return Ok(None) };
    let kind: u8 = match terms.get(1) {
        Some(Term::Text(b"triangle")) => 1,
        Some(Term::Text(b"quad")) => 2,
        other => {
            let other = other.and_then(|term| term.text()).unwrap_or_default();
            let what = format!("air.patch {}, expected `triangle` or `quad`", shown(other));
            return Err(subject.refuse(FourCc::TESS, what));
        }
    };
    let points = Keys::new(&terms).integer("air.patch_control_point").unwrap_or_default();
    match u8::try_from(points) {
        Ok(count) if points <= CONTROL_POINTS => Ok(Some(count << 2 | kind)),
        _ => {
            let what = format!("{points} control points, expected at most {CONTROL_POINTS}");
            Err(subject.refuse(FourCc::TESS, what))
        }
    }
}

/// What is said of a type whose code is not known.
pub(super) fn unknown_type(name: &[u8]) -> String {
    format!("type {} is not known", shown(name))
}

/// The code of a type; refuses one that is not known.
pub(super) fn data_type(subject: &Subject<'_>, tag: FourCc, name: &[u8]) -> Result<DataType> {
    type_of(name).ok_or_else(|| subject.refuse(tag, unknown_type(name)))
}

/// A name as tags hold it, closed by a NUL; refuses one that holds a NUL itself.
pub(super) fn name_of(subject: &Subject<'_>, tag: FourCc, name: &[u8]) -> Result<Vec<u8>> {
    if name.contains(&0) {
        return Err(subject.refuse(tag, format!("name {} holds a NUL", shown(name))));
    }
    Ok(name.to_vec())
}
