//! Labels and names that are there once, and are used.

use std::collections::HashSet;

use crate::finding::{Findings, Rule, shown};
use crate::model::{Model, Reference, Target, Word};

pub(super) fn check(model: &Model<'_>, findings: &mut Findings) {
    let libraries = model.libraries.iter().map(|one| one.label);
    let functions = model.specialized.iter().map(|one| one.label);
    let stitched = model.stitched.iter().map(|one| one.label);
    let descriptors = model.descriptors.iter().map(|one| one.label);
    match model.descriptors.is_empty() {
        // An alias names any of them.
        true => unique("labels", libraries.chain(functions).chain(stitched), findings),
        // Metal 4 tells libraries from functions.
        false => {
            unique("labels", libraries, findings);
            unique("labels", descriptors.chain(functions), findings);
        }
    }
    let constants = model.named_constants.iter().map(|one| one.name);
    unique("lists of constants", constants, findings);
    unused(model, findings);
    linked(model, findings);
}

fn unique<'s>(what: &str, words: impl Iterator<Item = Word<'s>>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for word in words.filter(|word| !seen.insert(word.text)) {
        let message = format!("there are two {what} {}", shown(word.text));
        findings.error(Rule::DuplicateLabel, word.span, message);
    }
}

fn unused(model: &Model<'_>, findings: &mut Findings) {
    let label = |reference: Reference<'_>| match reference.target {
        Target::Alias { label, .. } | Target::Descriptor(label) => Some(label.to_owned()),
        _ => None,
    };
    let used: HashSet<String> = model.references().filter_map(label).collect();
    let named: HashSet<&str> =
        model.specialized.iter().filter_map(|one| Some(one.named_values?.text)).collect();
    let of_descriptors: HashSet<&str> =
        model.descriptors.iter().filter_map(|one| Some(one.library?.text)).collect();
    let is_used = |text| used.contains(text) || of_descriptors.contains(text);
    let stitched = model.stitched.iter().map(|one| ("stitched library", one.label));
    let libraries = model.libraries.iter().map(|one| ("library", one.label));
    let descriptors = model.descriptors.iter().map(|one| ("function", one.label));
    let all = libraries.chain(stitched).chain(descriptors);
    for (what, word) in all.filter(|(_, word)| !is_used(word.text)) {
        let message = format!("nothing refers to the {what} {}", shown(word.text));
        findings.warn(Rule::UnusedLabel, word.span, message);
    }
    let constants = || model.named_constants.iter().map(|one| one.name);
    let known: HashSet<&str> = constants().map(|name| name.text).collect();
    // A name that is not there may be meant for the one that is not used.
    let is_told = named.is_subset(&known);
    for word in constants().filter(|word| is_told && !named.contains(word.text)) {
        let message = format!("nothing uses the constants {}", shown(word.text));
        findings.warn(Rule::UnusedLabel, word.span, message);
    }
    for word in model.specialized.iter().map(|one| one.label) {
        if !used.contains(word.text) {
            let message = format!(
                "no pipeline uses the specialised function {}; what is not compiled ahead is \
                 compiled when the program runs",
                shown(word.text)
            );
            findings.warn(Rule::UnusedSpecialization, word.span, message);
        }
    }
}

/// Names in `binary_functions` are those of listed functions, names in groups those of linked ones.
fn linked(model: &Model<'_>, findings: &mut Findings) {
    let listed: HashSet<&str> = model.listed.iter().map(|stage| stage.reference.name()).collect();
    for linked in model.pipelines.iter().flat_map(|pipeline| &pipeline.linked) {
        let own: HashSet<&str> = linked.functions.iter().map(Reference::name).collect();
        let binary = linked.binary.iter().map(|word| (word, &listed));
        let grouped = linked.grouped.iter().map(|word| (word, &own));
        for (word, names) in
            binary.chain(grouped).filter(|(word, names)| !names.contains(word.text))
        {
            let hint = findings.nearest.hint(word.text, names.iter().copied());
            let place = match std::ptr::eq(names, &listed) {
                true => "is not listed under the key `functions` of the script",
                false => "is none of the functions that are linked here",
            };
            let message = format!("{} {place}{hint}", shown(word.text));
            findings.error(Rule::UnlistedFunction, word.span, message);
        }
    }
}
