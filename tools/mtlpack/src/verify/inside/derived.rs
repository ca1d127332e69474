//! One module against the functions that use it: every tag that the module's metadata gives.
//!
//! NAME, TYPE, VERS and whether DEBI is there are compared in `functions`, with less of a module.

use std::collections::HashMap;

use air_bitcode::Module;
use metallib::metadata::encode_debug_info;
use metallib::{FourCc, Function};

use super::super::findings::{Kind, Severity};
use super::functions::Faults;
use crate::derive::{Debug, Derivation, DeriveError, Payload};
use crate::inspect::tag_words;

/// Compares a module with its functions.
pub(super) fn check<'l, 'a: 'l>(
    functions: impl Iterator<Item = (usize, &'l Function<'a>)>,
    module: &[u8],
    faults: &mut Faults,
) {
    let functions: Vec<_> = functions.collect();
    let derived = Module::parse(module).map_err(DeriveError::from);
    let done = derived.and_then(|module| compare(&functions, &module, faults));
    if let (Err(error), Some((index, _))) = (done, functions.first()) {
        refused(*index, &error, faults);
    }
}

fn compare(
    functions: &[(usize, &Function<'_>)],
    module: &Module<'_>,
    faults: &mut Faults,
) -> Result<(), DeriveError> {
    let mut derivation = Derivation::new(module)?;
    let subjects = derivation.subjects()?;
    let by_name: HashMap<&[u8], usize> =
        (0..).zip(&subjects).map(|(number, subject)| (&*subject.name, number)).collect();
    // Any number of functions may say that they are the same one.
    let mut known: Vec<Option<Known>> = subjects.iter().map(|_| None).collect();
    for (index, function) in functions {
        let named = by_name.get(function.name_bytes()).copied();
        // That the name is another one is told elsewhere.
        let only = || (subjects.len() == 1 && functions.len() == 1).then_some(0);
        let Some(number) = named.or_else(only) else { continue };
        let (Some(subject), Some(known)) = (subjects.get(number), known.get_mut(number)) else {
            continue;
        };
        let (tags, debug) =
            known.get_or_insert_with(|| (derivation.tags(subject), derivation.debug(subject)));
        match tags {
            Ok(tags) => tags.iter().for_each(|tag| compare_tag(*index, function, tag, faults)),
            Err(error) => refused(*index, error, faults),
        }
        match debug {
            Ok(debug) => compare_debug(*index, function, debug, faults),
            Err(error) => refused(*index, error, faults),
        }
    }
    Ok(())
}

/// What is derived for one function of a module.
type Known = (Result<Vec<Payload>, DeriveError>, Result<Debug, DeriveError>);

/// What cannot be derived is not known to be wrong.
fn refused(function: usize, error: &DeriveError, faults: &mut Faults) {
    let (tag, what) = match error {
        DeriveError::Module(_) | DeriveError::NoFunction { .. } => (None, error.to_string()),
        DeriveError::Function { tag, what, .. } => (Some(*tag), what.clone()),
    };
    faults.add((Severity::Note, Kind::Derived), function, tag, || {
        let tag = tag.map_or_else(|| "tags".to_owned(), |tag| format!("tag {tag}"));
        format!("{tag} cannot be derived from the module: {what}")
    });
}

fn compare_tag(
    index: usize,
    function: &Function<'_>,
    (id, derived): &Payload,
    faults: &mut Faults,
) {
    let derived = match derived {
        Ok(derived) => derived.as_deref(),
        Err(error) => return refused(index, error, faults),
    };
    let list = match *id {
        FourCc::LAYR | FourCc::TESS => &function.tags,
        _ => &function.public,
    };
    let stored = list.payload(*id);
    if stored == derived {
        return;
    }
    faults.add((Severity::Error, Kind::Derived), index, Some(*id), || match (stored, derived) {
        (Some(stored), Some(derived)) => difference(*id, stored, derived),
        (Some(stored), None) => {
            format!("{}, the module gives no tag {id}", shown(&tag_words(*id, stored)))
        }
        (None, derived) => {
            let words = tag_words(*id, derived.unwrap_or_default());
            format!("tag {id} is missing, the module gives {}", shown(&words))
        }
    });
}

/// That the tag is missing, or is there without debug information, is told elsewhere.
fn compare_debug(index: usize, function: &Function<'_>, debug: &Debug, faults: &mut Faults) {
    let Debug::Info(info) = debug else { return };
    let Some(stored) = function.private.payload(FourCc::DEBI) else { return };
    let derived = encode_debug_info(info);
    if stored != derived {
        let what = || difference(FourCc::DEBI, stored, &derived);
        faults.add((Severity::Warning, Kind::Derived), index, Some(FourCc::DEBI), what);
    }
}

/// What a tag says and what it should say: of a list the first entry that differs.
fn difference(id: FourCc, stored: &[u8], derived: &[u8]) -> String {
    let (stored, derived) = (tag_words(id, stored), tag_words(id, derived));
    let pairs = stored.iter().zip(&derived);
    let differs = pairs.enumerate().find(|(_, (stored, derived))| stored != derived);
    match differs {
        _ if stored.len() != derived.len() => {
            let counts = format!("{} entries, the module gives {}", stored.len(), derived.len());
            format!("{counts}: {}", shown(&derived))
        }
        Some((entry, (stored, derived))) => {
            let entry = if is_list(id) { format!("entry {entry}: ") } else { String::new() };
            let words = |words: &String| shown(std::slice::from_ref(words));
            format!("{entry}{}, the module gives {}", words(stored), words(derived))
        }
        None => format!("other bytes than the module gives for {}", shown(&derived)),
    }
}

/// Whether a tag is a list.
fn is_list(id: FourCc) -> bool {
    matches!(id, FourCc::VATT | FourCc::VATY | FourCc::CNST | FourCc::ARGR)
}

/// Entries in a message.
fn shown(words: &[String]) -> String {
    match words {
        [] => "an empty list".to_owned(),
        words => format!("`{}`", metallib::printable(words.join("; ").as_bytes())),
    }
}
