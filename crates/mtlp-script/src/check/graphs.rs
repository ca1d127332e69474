//! Stitching graphs: acyclic, complete, of functions that are there.

use std::collections::HashSet;

use crate::finding::{Findings, Rule, shown};
use crate::model::{Graph, GraphNode, Id, Model, NodeKind, Reference, Stitched};

pub(super) fn check(model: &Model<'_>, findings: &mut Findings) {
    for stitched in &model.stitched {
        let mut names = HashSet::new();
        let listed = stitched.functions.iter().map(Reference::name).collect();
        for graph in &stitched.graphs {
            if !names.insert(graph.name.text) {
                let message =
                    format!("there are two graphs of the name {}", shown(graph.name.text));
                findings.error(Rule::DuplicateLabel, graph.name.span, message);
            }
            calls(stitched, &listed, graph, findings);
            let is_ordered = order(graph, findings);
            let is_read = graph.nodes.iter().all(Option::is_some);
            // What is wrong before would only be said again.
            if output(graph, findings) && is_ordered && is_read {
                reached(graph, findings);
            }
        }
    }
}

/// Calls are of functions that the library lists.
fn calls(
    stitched: &Stitched<'_>,
    listed: &HashSet<&str>,
    graph: &Graph<'_>,
    findings: &mut Findings,
) {
    for node in graph.nodes.iter().flatten() {
        if let NodeKind::Call(call) = &node.kind
            && !listed.contains(call.name.text)
        {
            let hint = findings.nearest.hint(call.name.text, listed.iter().copied());
            let (name, label) = (shown(call.name.text), shown(stitched.label.text));
            let message = format!("{name} is none of the `functions` of {label}{hint}");
            findings.error(Rule::UnlistedFunction, call.name.span, message);
        }
    }
}

/// What a node needs comes before it. Gives whether all is so.
fn order(graph: &Graph<'_>, findings: &mut Findings) -> bool {
    let mut is_ordered = true;
    for (index, node) in graph.nodes.iter().enumerate() {
        for id in node.iter().flat_map(GraphNode::needs).filter(|id| id.index >= index) {
            let what = match id.index < graph.nodes.len() {
                true => format!("node {index} takes node {}, which must come before it", id.index),
                false => missing(graph, id),
            };
            findings.error(Rule::GraphOrder, id.span, what);
            is_ordered = false;
        }
    }
    is_ordered
}

fn missing(graph: &Graph<'_>, id: Id) -> String {
    format!("there is no node {}; the graph has {}", id.index, graph.nodes.len())
}

/// The value that is returned is that of a call. Gives whether it is, or none is returned.
fn output(graph: &Graph<'_>, findings: &mut Findings) -> bool {
    let Some(id) = graph.output else { return true };
    let message = match graph.nodes.get(id.index) {
        None => missing(graph, id),
        Some(Some(node)) if matches!(node.kind, NodeKind::Input(_)) => {
            format!("the output must be a call, and node {} is an input", id.index)
        }
        Some(_) => return true,
    };
    findings.error(Rule::GraphOutput, id.span, message);
    false
}

/// What the output needs, directly or not; without an output, what any call needs.
fn reached(graph: &Graph<'_>, findings: &mut Findings) {
    let mut needed = vec![graph.output.is_none(); graph.nodes.len()];
    if graph.output.is_none() {
        // Calls have effects; inputs have none.
        for (flag, node) in needed.iter_mut().zip(&graph.nodes) {
            *flag = !matches!(node, Some(node) if matches!(node.kind, NodeKind::Input(_)));
        }
    }
    if let Some(flag) = graph.output.and_then(|id| needed.get_mut(id.index)) {
        *flag = true;
    }
    // Needs come before: one pass from the end is enough.
    for (index, node) in graph.nodes.iter().enumerate().rev() {
        if needed.get(index) != Some(&true) {
            continue;
        }
        for id in node.iter().flat_map(GraphNode::needs).filter(|id| id.index < index) {
            if let Some(flag) = needed.get_mut(id.index) {
                *flag = true;
            }
        }
    }
    for (index, (node, needed)) in graph.nodes.iter().zip(needed).enumerate() {
        if let (Some(node), false) = (node, needed) {
            let message = match node.kind {
                NodeKind::Input(_) => format!("node {index} is an input that no call takes"),
                NodeKind::Call(_) => format!(
                    "node {index} is a call that the output does not need: neither its value, nor \
                     by `control_dependencies`"
                ),
            };
            findings.warn(Rule::UnusedNode, node.span, message);
        }
    }
}
