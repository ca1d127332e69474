//! Everything that can be told of a script without a GPU.

mod constants;
mod graphs;
mod labels;
mod predicates;
mod references;
mod vertices;

use crate::Script;
use crate::facts::Known;
use crate::finding::{Findings, Report};
use crate::structure;
use references::Resolver;

/// Checks a script: by its schema, in itself, and against the libraries that are known.
#[must_use]
pub fn check(script: &Script, known: &Known<'_>) -> Report {
    let mut findings = Findings::default();
    structure::check(script, &mut findings);
    let model = script.model();
    predicates::check(&model, &mut findings);
    labels::check(&model, &mut findings);
    graphs::check(&model, &mut findings);
    let resolver = Resolver::new(&model, known);
    references::check(&model, &resolver, &mut findings);
    constants::check(&model, &resolver, &mut findings);
    vertices::check(&model, &resolver, &mut findings);
    findings.report()
}
