//! Stitching graphs for people: as the body of a function, and as DOT.

use crate::model::{Graph, Id, NodeKind};

/// What people call a node: `Input1` for an argument, `N0` for the first call.
fn names(graph: &Graph<'_>) -> Vec<String> {
    let mut calls = 0..;
    let name = |node: &Option<crate::model::GraphNode<'_>>| match node.as_ref().map(|n| &n.kind) {
        Some(NodeKind::Input(index)) => format!("Input{index}"),
        Some(NodeKind::Call(_)) => format!("N{}", calls.next().unwrap_or_default()),
        None => "?".to_owned(),
    };
    graph.nodes.iter().map(name).collect()
}

fn of(id: Id, names: &[String]) -> &str {
    names.get(id.index).map_or("?", String::as_str)
}

fn all(ids: &[Id], names: &[String]) -> String {
    ids.iter().map(|&id| of(id, names)).collect::<Vec<_>>().join(", ")
}

/// A graph as the body of a function:
///
/// ```
/// use mtlp_script::{Form, Script, graph};
///
/// let text = br#"{ "libraries": { "stitched_libraries": [ { "label": "L", "function_graphs": [ {
///     "function_name": "twice",
///     "nodes": [
///         { "node_type": "InputNode", "node": { "index": 0 } },
///         { "node_type": "FunctionNode", "node": { "name": "add",
///             "arguments": [ { "id": 0 }, { "id": 0 } ] } }
///     ],
///     "output_node": { "id": 1 } } ] } ] } }"#;
/// let script = Script::parse(text, Form::Mtlp).unwrap();
/// let model = script.model();
/// let body = graph::to_text(&model.stitched[0].graphs[0]);
/// assert_eq!(body, "twice(Input0)\n  N0 = add(Input0, Input0)\n  return N0\n");
/// ```
#[must_use]
pub fn to_text(graph: &Graph<'_>) -> String {
    let names = names(graph);
    let mut out = format!("{}({})\n", plain(graph.name.text), inputs(graph).join(", "));
    for (node, name) in graph.nodes.iter().zip(&names) {
        let Some(NodeKind::Call(call)) = node.as_ref().map(|node| &node.kind) else { continue };
        let arguments = all(&call.arguments, &names);
        out += &format!("  {name} = {}({arguments})", plain(call.name.text));
        if !call.control.is_empty() {
            out += &format!(" after {}", all(&call.control, &names));
        }
        out.push('\n');
    }
    if let Some(output) = graph.output {
        out += &format!("  return {}\n", of(output, &names));
    }
    out
}

/// The arguments of the function, by index, each once.
fn inputs(graph: &Graph<'_>) -> Vec<String> {
    let index = |node: &crate::model::GraphNode<'_>| match node.kind {
        NodeKind::Input(index) => Some(index),
        NodeKind::Call(_) => None,
    };
    let mut inputs: Vec<u64> = graph.nodes.iter().flatten().filter_map(index).collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs.into_iter().map(|index| format!("Input{index}")).collect()
}

/// Graphs in the language of Graphviz, each a cluster. Values go along full lines, order along
/// dashed ones.
#[must_use]
pub fn to_dot<'g, 's: 'g>(graphs: impl IntoIterator<Item = &'g Graph<'s>>) -> String {
    let mut out = "digraph stitching {\n  node [shape=box];\n".to_owned();
    for (number, graph) in graphs.into_iter().enumerate() {
        cluster(&mut out, number, graph);
    }
    out + "}\n"
}

fn cluster(out: &mut String, number: usize, graph: &Graph<'_>) {
    let names = names(graph);
    *out += &format!("  subgraph cluster_{number} {{\n    label={};\n", quoted(graph.name.text));
    for (index, (node, name)) in graph.nodes.iter().zip(&names).enumerate() {
        let node = node.as_ref().map(|node| &node.kind);
        let (label, shape) = match node {
            Some(NodeKind::Call(call)) => (format!("{name} = {}", call.name.text), ""),
            _ => (name.clone(), ", shape=ellipse"),
        };
        *out += &format!("    g{number}n{index} [label={}{shape}];\n", quoted(&label));
        let Some(NodeKind::Call(call)) = node else { continue };
        for (place, id) in call.arguments.iter().enumerate() {
            let label = if call.arguments.len() > 1 { place.to_string() } else { String::new() };
            *out +=
                &format!("    g{number}n{} -> g{number}n{index} [label=\"{label}\"];\n", id.index);
        }
        for id in &call.control {
            *out += &format!("    g{number}n{} -> g{number}n{index} [style=dashed];\n", id.index);
        }
    }
    if let Some(output) = graph.output {
        *out += &format!("    g{number}out [label=\"return\", shape=ellipse];\n");
        *out += &format!("    g{number}n{} -> g{number}out;\n", output.index);
    }
    out.push_str("  }\n");
}

/// A name on one line.
fn plain(text: &str) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// A string of DOT.
fn quoted(text: &str) -> String {
    let escaped = plain(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
