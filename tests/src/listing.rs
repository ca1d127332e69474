//! LLVM's text of a module, taken apart: what each of its lines names, and what leads where.
//!
//! It knows nothing of bitcode, so that what `air-bitcode` leaves in a module and takes out of
//! it can be judged by what LLVM says of it.

use std::collections::{BTreeMap, HashMap, HashSet};

use air_bitcode::EntryKind;

/// A text: what is declared, by its name (`@f`, `%struct.s`, `#1`, `!2`), and named metadata.
#[derive(Debug, Default)]
pub struct Listing {
    items: BTreeMap<String, String>,
    /// Nodes of named metadata, in order.
    lists: Vec<(String, Vec<String>)>,
}

/// What is reached from some names, in the order in which it is.
#[derive(Debug, Default)]
pub struct Reached {
    order: Vec<String>,
    known: HashSet<String>,
}

impl Listing {
    /// Takes a text of `llvm-dis` apart.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut listing = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let declared = line.split_once(" = ").map(|(name, _)| name);
            if line.starts_with("define ") || line.starts_with("declare ") {
                let mut item = line.to_owned();
                while line.starts_with("define ") && !item.ends_with("\n}") {
                    let Some(next) = lines.next() else { break };
                    item += "\n";
                    item += uncommented(next);
                }
                let names = names(line);
                let name = names.into_iter().find(|name| name.starts_with('@'));
                listing.items.insert(name.expect("a function has a name"), item);
            } else if let Some(number) = line.strip_prefix("attributes ") {
                let (name, _) = number.split_once(' ').expect("attributes have a number");
                listing.items.insert(name.to_owned(), line.to_owned());
            } else if let Some(name) = declared {
                if name.starts_with('!') && !name[1..].starts_with(|c: char| c.is_ascii_digit()) {
                    listing.lists.push((name.to_owned(), names(&line[name.len()..])));
                } else if name.starts_with(['@', '%', '!', '$']) {
                    listing.items.insert(name.to_owned(), line.to_owned());
                }
            }
        }
        listing
    }

    /// Names of all that is declared.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    /// The lines of what has this name.
    #[must_use]
    pub fn item(&self, name: &str) -> Option<&str> {
        self.items.get(name).map(String::as_str)
    }

    /// Named metadata and its nodes.
    #[must_use]
    pub fn lists(&self) -> &[(String, Vec<String>)] {
        &self.lists
    }

    /// Globals that the line of a node names itself.
    #[must_use]
    pub fn globals(&self, node: &str) -> Vec<String> {
        let line = self.item(node).unwrap_or_default();
        names(line).into_iter().filter(|name| name.starts_with('@')).collect()
    }

    /// Adds a name, and all that it leads to.
    pub fn reach(&self, name: &str, reached: &mut Reached) {
        let mut pending = vec![name.to_owned()];
        while let Some(name) = pending.pop() {
            let Some(item) = self.items.get(&name) else { continue };
            if reached.known.contains(&name) {
                continue;
            }
            reached.known.insert(name.clone());
            reached.order.push(name);
            pending.extend(names(item).into_iter().rev());
        }
    }

    /// The lines of what was reached, with metadata and attributes numbered in that order.
    /// `edit` may change each.
    #[must_use]
    pub fn render(&self, reached: &Reached, edit: impl Fn(&str, String) -> String) -> Vec<String> {
        let numbers = reached.numbers();
        let other = |name: &str| numbers.get(name).map_or(name.to_owned(), Clone::clone);
        let line = |name: &String| edit(name, replaced(&self.items[name], other));
        reached.order.iter().map(line).collect()
    }

    /// The same with structures in the places of their names.
    #[must_use]
    pub fn structural(&self, reached: &Reached) -> Vec<String> {
        let numbers = reached.numbers();
        let other = |name: &str| match numbers.get(name) {
            Some(number) => number.clone(),
            None => self.structure(name, &mut Vec::new()),
        };
        let others = reached.order.iter().filter(|name| !name.starts_with('%'));
        others.map(|name| replaced(&self.items[name], other)).collect()
    }

    /// What a type is made of, whatever it is called; any other name stays.
    fn structure(&self, name: &str, around: &mut Vec<String>) -> String {
        if let Some(outside) = around.iter().position(|other| other == name) {
            return format!("%{outside}");
        }
        let Some(item) = self.items.get(name).filter(|_| name.starts_with('%')) else {
            return name.to_owned();
        };
        // What is behind the name; an opaque type is only its name.
        let Some((_, body)) = item.split_once(" = type ").filter(|(_, body)| *body != "opaque")
        else {
            return name.to_owned();
        };
        around.push(name.to_owned());
        let body = replaced(body, |part| self.structure(part, around));
        around.pop();
        body
    }
}

impl Reached {
    /// Metadata and attributes by their new names.
    fn numbers(&self) -> HashMap<String, String> {
        let mut numbers = HashMap::new();
        for name in self.order.iter().filter(|name| name.starts_with(['!', '#'])) {
            numbers.insert(name.clone(), format!("{}{}", &name[..1], numbers.len()));
        }
        numbers
    }

    /// Whether a name was reached.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// How many names were.
    #[must_use]
    pub fn count(&self) -> usize {
        self.order.len()
    }
}

/// A global's name as LLVM writes it.
#[must_use]
pub fn written(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
    match name.chars().all(is_plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("@{name}"),
        false => format!("@\"{name}\""),
    }
}

/// Named metadata that belongs to a function, with the number of its nodes, and all that the
/// function and they lead to.
#[must_use]
pub fn belonging(listing: &Listing, entry: &str) -> (Vec<(String, usize)>, Reached) {
    let is_entry_list = |name: &str| EntryKind::ALL.iter().any(|kind| name[1..] == *kind.list());
    let mut reached = Reached::default();
    listing.reach(entry, &mut reached);
    let (mut lists, mut waiting) = (Vec::new(), Vec::new());
    let mut all: Vec<&(String, Vec<String>)> = listing.lists().iter().collect();
    all.sort();
    for (name, nodes) in all {
        for node in nodes {
            let globals = listing.globals(node);
            match is_entry_list(name) {
                true if globals.first().is_none_or(|first| first != entry) => {}
                false if name == "!air.source_file_name" => {}
                false if !globals.is_empty() => waiting.push((name.clone(), node, globals)),
                _ => {
                    listing.reach(node, &mut reached);
                    lists.push(name.clone());
                }
            }
        }
    }
    loop {
        let ready = |(_, _, globals): &(_, _, Vec<String>)| globals.iter().all(|g| reached.has(g));
        let Some(index) = waiting.iter().position(ready) else { break };
        let (name, node, _) = waiting.remove(index);
        listing.reach(node, &mut reached);
        lists.push(name);
    }
    lists.sort();
    let mut counted: Vec<(String, usize)> = Vec::new();
    for name in lists {
        match counted.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => counted.push((name, 1)),
        }
    }
    (counted, reached)
}

/// A line without a comment behind it, such as of which blocks come before.
fn uncommented(line: &str) -> &str {
    match line.split_once("; preds") {
        Some((before, _)) => before.trim_end(),
        None => line,
    }
}

/// Whether a character may be in a name that has no quotes.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-$._".contains(character)
}

/// Names in a text, each once, in order; those of values inside functions, too.
fn names(text: &str) -> Vec<String> {
    let (mut known, mut names) = (HashSet::new(), Vec::new());
    replaced(text, |name| {
        if known.insert(name.to_owned()) {
            names.push(name.to_owned());
        }
        String::new()
    });
    names
}

/// A text with other names.
fn replaced(text: &str, mut other: impl FnMut(&str) -> String) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let quoted = |from: usize| {
            let end = rest.get(from..).and_then(|inside| inside.find('"'));
            end.map_or(rest.len(), |end| from + end + 1)
        };
        let is_name = "@%#!$".contains(first);
        let length = match rest[first.len_utf8()..].chars().next() {
            _ if first == '"' => quoted(1),
            Some('"') if is_name => quoted(2),
            Some(next) if is_name && is_plain(next) => {
                1 + rest[1..].find(|c| !is_plain(c)).unwrap_or(rest.len() - 1)
            }
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let is_string = token.starts_with("!\"");
        if is_name && length > 1 && !is_string {
            made += &other(token);
        } else {
            made += token;
        }
        rest = after;
    }
    made
}
