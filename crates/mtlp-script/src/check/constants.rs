//! Values of function constants against the constants that functions have.

use std::collections::{HashMap, HashSet};

use super::references::Resolver;
use crate::constant::ConstantType;
use crate::facts::{Constant as Fact, Function};
use crate::finding::{Findings, Rule, shown};
use crate::json::Span;
use crate::model::{Constant, ConstantId, Model, NamedConstants, Target};

/// The constants of a function, for quick look-up: a hostile library can have thousands of them,
/// and a script thousands of specialised functions.
struct Index<'l> {
    function: &'l Function,
    by_name: HashMap<&'l str, usize>,
    by_index: HashMap<u16, usize>,
    required: usize,
}

/// Indexes by the address of their function.
#[derive(Default)]
struct Indexes<'l>(HashMap<*const Function, Index<'l>>);

impl<'l> Indexes<'l> {
    fn of(&mut self, function: &'l Function) -> &Index<'l> {
        self.0.entry(std::ptr::from_ref(function)).or_insert_with(|| Index::new(function))
    }
}

impl<'l> Index<'l> {
    fn new(function: &'l Function) -> Self {
        let facts = || function.constants.iter().enumerate();
        Self {
            function,
            by_name: facts().map(|(at, fact)| (fact.name.as_str(), at)).collect(),
            by_index: facts().map(|(at, fact)| (fact.index, at)).collect(),
            required: facts().filter(|(_, fact)| fact.required).count(),
        }
    }

    fn position(&self, id: ConstantId<'_>) -> Option<usize> {
        match id {
            ConstantId::Index(index) => self.by_index.get(&index).copied(),
            ConstantId::Name(name) => self.by_name.get(name).copied(),
        }
    }

    /// Required constants at none of these positions: the first few as text.
    fn missing(&self, given: &HashSet<usize>) -> Option<String> {
        let facts = self.function.constants.iter().enumerate();
        let required = facts.filter(|(_, fact)| fact.required);
        let is_required =
            |at: &&usize| self.function.constants.get(**at).is_some_and(|fact| fact.required);
        let missing = self.required - given.iter().filter(is_required).count();
        let first: Vec<String> = required
            .filter(|(at, _)| !given.contains(at))
            .take(SHOWN.min(missing))
            .map(|(_, fact)| described(fact))
            .collect();
        let more = missing - first.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        (missing > 0).then(|| first.join(", ") + &more)
    }
}

/// The constants of a function that have values.
#[derive(Clone)]
struct Given {
    positions: HashSet<usize>,
    /// Whether all values are known: what is wrong with one explains why another is missing.
    is_known: bool,
}

impl Given {
    fn complete(is_known: bool) -> Self {
        Self { positions: HashSet::new(), is_known }
    }

    fn add(
        &mut self,
        constants: &[Constant<'_>],
        index: &Index<'_>,
        reported: &mut HashSet<Span>,
        findings: &mut Findings,
    ) {
        for constant in constants {
            self.positions.extend(index.position(constant.id));
            let Some((rule, message)) = value(constant, index, findings) else { continue };
            self.is_known &= rule != Rule::UnknownConstant;
            if reported.insert(constant.span) {
                findings.error(rule, constant.span, message);
            }
        }
    }
}

/// How many constants a message names.
const SHOWN: usize = 4;

pub(super) fn check(model: &Model<'_>, resolver: &Resolver<'_, '_, '_>, findings: &mut Findings) {
    let named: HashMap<&str, &NamedConstants<'_>> =
        model.named_constants.iter().map(|one| (one.name.text, one)).collect();
    let lists = model.named_constants.iter().map(|one| &one.constants);
    for constants in lists.chain(model.specialized.iter().map(|one| &one.constants)) {
        twice(constants, findings);
    }
    let mut indexes = Indexes::default();
    // A value of a list that several functions use is reported once, and a list is looked through
    // once for each function, however often it is specialised.
    let mut reported = HashSet::new();
    let mut inherited = HashMap::new();
    for one in &model.specialized {
        let Ok(resolved) = resolver.resolve(&one.function, &[], findings) else { continue };
        let Some(function) = resolved.function else { continue };
        let index = indexes.of(function);
        let mut given = match one.named_values.map(|word| named.get(word.text)) {
            None => Given::complete(true),
            Some(None) => Given::complete(false),
            Some(Some(list)) => inherited
                .entry((list.name.text, std::ptr::from_ref(function)))
                .or_insert_with(|| {
                    let mut given = Given::complete(list.is_complete);
                    given.add(&list.constants, index, &mut reported, findings);
                    given
                })
                .clone(),
        };
        given.is_known &= one.is_complete;
        given.add(&one.constants, index, &mut reported, findings);
        if let Some(names) = index.missing(&given.positions).filter(|_| given.is_known) {
            let message = format!("{} gives no value for {names}", shown(one.label.text));
            findings.error(Rule::MissingConstant, one.label.span, message);
        }
    }
    not_specialized(model, resolver, &mut indexes, findings);
}

/// A list holds a constant once. One by name and one by index are told apart here.
fn twice(constants: &[Constant<'_>], findings: &mut Findings) {
    let mut seen = HashSet::new();
    for constant in constants.iter().filter(|constant| !seen.insert(constant.id)) {
        let message = format!("{} has a value already", called(constant.id));
        findings.error(Rule::DuplicateConstant, constant.span, message);
    }
}

fn called(id: ConstantId<'_>) -> String {
    match id {
        ConstantId::Index(index) => format!("the constant of index {index}"),
        ConstantId::Name(name) => format!("the constant {}", shown(name)),
    }
}

/// What is wrong with a value.
fn value(
    constant: &Constant<'_>,
    index: &Index<'_>,
    findings: &Findings,
) -> Option<(Rule, String)> {
    let constants = &index.function.constants;
    let Some(fact) = index.position(constant.id).and_then(|at| constants.get(at)) else {
        let names = constants.iter().map(|fact| fact.name.as_str());
        let hint = match constant.id {
            ConstantId::Name(name) => findings.nearest.hint(name, names),
            ConstantId::Index(_) => String::new(),
        };
        let (function, called) = (shown(&index.function.name), called(constant.id));
        let message = format!("{function} does not have {called}{hint}");
        return Some((Rule::UnknownConstant, message));
    };
    // Types that no script can say are left alone.
    let expected = ConstantType::of_name(&fact.data_type)?;
    let given = ConstantType::of_value_type(constant.value_type.text)?;
    (expected != given).then(|| {
        let called = called(constant.id);
        (Rule::WrongConstantType, format!("{called} is of type {expected}, not {given}"))
    })
}

fn described(fact: &Fact) -> String {
    format!("{} (index {}, {})", shown(&fact.name), fact.index, fact.data_type)
}

/// Functions that need constants are used by way of a specialised function.
fn not_specialized<'l>(
    model: &Model<'_>,
    resolver: &Resolver<'_, '_, 'l>,
    indexes: &mut Indexes<'l>,
    findings: &mut Findings,
) {
    let stages = model.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    for stage in stages.chain(&model.listed) {
        let Ok(resolved) = resolver.resolve(&stage.reference, stage.kinds, findings) else {
            continue;
        };
        let (Some(function), None) = (resolved.function, resolved.specialized) else { continue };
        if let Some(names) = indexes.of(function).missing(&HashSet::new()) {
            let by = match stage.reference.target {
                Target::Descriptor(_) => "fnd:LABEL",
                _ => "alias:LABEL#NAME",
            };
            let message = format!(
                "{} needs a value for {names}: refer to a specialised function by `{by}`",
                shown(&function.name)
            );
            findings.error(Rule::NotSpecialized, stage.reference.span, message);
        }
    }
}
