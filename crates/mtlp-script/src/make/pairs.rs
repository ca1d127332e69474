//! Which functions make a render pipeline together.

use std::collections::HashMap;

use super::Named;
use crate::facts::Kind;
use crate::finding::shown;
use crate::nearest::Nearest;

/// Words in names that tell the stage, not what is drawn.
const STAGE_WORDS: [&str; 17] = [
    "vertex", "vert", "vtx", "vs", "v", "fragment", "frag", "fs", "f", "pixel", "ps", "mesh", "ms",
    "object", "obj", "os", "task",
];

/// Functions that belong together, by their positions.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Vertex and fragment functions.
    pub(super) render: Vec<(usize, usize)>,
    /// Mesh functions with object and fragment functions.
    pub(super) mesh: Vec<(usize, Option<usize>, Option<usize>)>,
}

impl Pairs {
    /// Pairs that are given, and for functions in none of these, pairs by their names: what is left
    /// of them without the words for stages is the same, and only one vertex or one fragment
    /// function has it.
    pub(super) fn of(
        functions: &[Named<'_>],
        given: &[String],
        nearest: &Nearest,
    ) -> Result<Self, String> {
        let mut pairs = Self::default();
        let mut used = vec![false; functions.len()];
        for text in given {
            let (vertex, fragment) = split(text, functions, nearest)?;
            for index in [vertex, fragment] {
                if let Some(flag) = used.get_mut(index) {
                    *flag = true;
                }
            }
            pairs.render.push((vertex, fragment));
        }
        for stem in stems(functions, &used) {
            if stem.vertices.len().min(stem.fragments.len()) == 1 {
                let all = stem.vertices.iter();
                let all = all.flat_map(|&v| stem.fragments.iter().map(move |&f| (v, f)));
                pairs.render.extend(all);
            }
            let only = |list: &[usize]| match list {
                [one] => Some(*one),
                _ => None,
            };
            let (object, fragment) = (only(&stem.objects), only(&stem.fragments));
            pairs.mesh.extend(stem.meshes.iter().map(|&mesh| (mesh, object, fragment)));
        }
        let (_, found) = pairs.render.split_at_mut(given.len());
        found.sort_unstable();
        pairs.mesh.sort_unstable();
        Ok(pairs)
    }

    /// The functions that are in a pair.
    pub(super) fn used(&self) -> impl Iterator<Item = usize> {
        let mesh = self.mesh.iter().flat_map(|&(mesh, object, fragment)| {
            [Some(mesh), object, fragment].into_iter().flatten()
        });
        self.render.iter().flat_map(|&(vertex, fragment)| [vertex, fragment]).chain(mesh)
    }
}

/// Functions of one stem.
#[derive(Debug, Default)]
struct Stem {
    vertices: Vec<usize>,
    fragments: Vec<usize>,
    meshes: Vec<usize>,
    objects: Vec<usize>,
}

fn stems(functions: &[Named<'_>], used: &[bool]) -> Vec<Stem> {
    let mut stems: HashMap<String, Stem> = HashMap::new();
    for (index, (named, used)) in functions.iter().zip(used).enumerate() {
        let kind = named.function.kind;
        if *used || !matches!(kind, Kind::Vertex | Kind::Fragment | Kind::Mesh | Kind::Object) {
            continue;
        }
        let stem = stems.entry(stem(&named.function.name)).or_default();
        match kind {
            Kind::Vertex => stem.vertices.push(index),
            Kind::Fragment => stem.fragments.push(index),
            Kind::Mesh => stem.meshes.push(index),
            _ => stem.objects.push(index),
        }
    }
    stems.into_values().collect()
}

/// A name without the words for stages: `quad` for `quad_vertex`, `QuadFragment` and `vs_quad`.
fn stem(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let begins = !before.is_alphanumeric()
            || (c.is_uppercase() && !before.is_uppercase())
            || (c.is_numeric() != before.is_numeric());
        if c.is_alphanumeric() {
            match words.last_mut() {
                Some(word) if !begins => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    words.retain(|word| !STAGE_WORDS.contains(&word.as_str()));
    words.join(" ")
}

/// The functions of a `VERTEX:FRAGMENT`; names may hold colons themselves.
fn split(text: &str, functions: &[Named<'_>], nearest: &Nearest) -> Result<(usize, usize), String> {
    let find = |name: &str, kind| {
        functions.iter().position(|named| named.is(kind) && named.function.name == name)
    };
    let mut unknown = None;
    for (at, _) in text.match_indices(':') {
        let (Some(vertex), Some(fragment)) = (text.get(..at), text.get(at + 1..)) else { continue };
        match (find(vertex, Kind::Vertex), find(fragment, Kind::Fragment)) {
            (Some(vertex), Some(fragment)) => return Ok((vertex, fragment)),
            (None, _) => unknown = unknown.or(Some((vertex, Kind::Vertex))),
            (Some(_), None) => unknown = Some((fragment, Kind::Fragment)),
        }
    }
    let Some((name, kind)) = unknown else {
        return Err(format!("{} is no pair: expected VERTEX:FRAGMENT", shown(text)));
    };
    let names = functions.iter().filter(|named| named.is(kind));
    let hint = nearest.hint(name, names.map(|named| named.function.name.as_str()));
    Err(format!("there is no {kind} function {}{hint}", shown(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_their_stage() {
        for name in ["quad_vertex", "QuadFragment", "vs_quad", "quad::fs", "fragQuad", "QUAD_VS"] {
            assert_eq!(stem(name), "quad", "{name}");
        }
        assert_eq!(stem("vertexShader"), stem("fragmentShader"));
        assert_eq!(stem("vertex"), "");
        assert_ne!(stem("v1_main"), stem("f2_main"));
    }
}
