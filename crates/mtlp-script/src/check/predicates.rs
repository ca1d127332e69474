//! Predicates name families and earlier predicates.

use std::collections::HashSet;

use crate::finding::{Findings, Rule, shown};
use crate::model::{Model, Word};
use crate::predicate::{self, Named};
use crate::values::FAMILIES;

pub(super) fn check(model: &Model<'_>, findings: &mut Findings) {
    let mut defined: HashSet<&str> = HashSet::new();
    for (name, text) in &model.named_predicates {
        one(*text, &defined, findings);
        if !defined.insert(name.text) {
            let message = format!("there are two predicates of the name {}", shown(name.text));
            findings.error(Rule::DuplicateLabel, name.span, message);
        }
    }
    model.enables.iter().for_each(|text| one(*text, &defined, findings));
}

fn one(word: Word<'_>, defined: &HashSet<&str>, findings: &mut Findings) {
    // What cannot be read was reported by the schema.
    for named in predicate::read(word.text).unwrap_or_default() {
        let message = match named {
            Named::Family(family) if !predicate::is_family(family) => {
                let hint = findings.nearest.hint(family, FAMILIES.names.iter().copied());
                format!("there is no GPU family {}{hint}", shown(family))
            }
            Named::Predicate(name) if !defined.contains(name) => {
                let hint = findings.nearest.hint(name, defined.iter().copied());
                format!("no predicate {} is defined before this{hint}", shown(name))
            }
            _ => continue,
        };
        findings.error(Rule::BadPredicate, word.span, message);
    }
}
