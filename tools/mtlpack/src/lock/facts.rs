//! What is locked: the facts of a library and of each of its functions, one a line.

use std::collections::HashMap;

use air_bitcode::{EntryPoint, Integers, Metadata, Module, Operand};
use metallib::metadata;
use metallib::{FourCc, Function, Library, TagList};
use metallib_write::module_hash;

use crate::error::{Error, Result};
use crate::floor::{Limits, floor};
use crate::io::Input;
use crate::modules::{self, Users};
use crate::names::escape_fact as word;
use crate::text::hex;

/// How deep nodes of arguments are followed: structures in structures.
const DEPTH: u32 = 64;

/// The longest text of a node inside of another one; of a longer one its digest stands there. So
/// structures whose nodes are shared many times over take no more room than they have nodes.
const LONGEST: usize = 400;

/// Facts of the library as a whole.
pub(super) fn library(input: &Input, library: &Library<'_>, threads: usize) -> Result<Vec<String>> {
    let report = floor(input, library, &Limits::default(), threads)?;
    let words = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    Ok(vec![
        format!("platform {}", words(report.platform.map(|platform| platform.to_string()))),
        format!("floor {}", words(report.os.map(|os| os.to_string()))),
        format!("kind {}", library.identity().file_type()),
    ])
}

/// Facts of one function.
pub(super) fn function(
    library: &Library<'_>,
    function: &Function<'_>,
    arguments: Option<&Vec<String>>,
) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(found) = function.function_type() {
        facts.push(format!("type {found}"));
    }
    if let Some(versions) = function.versions() {
        facts.push(format!("versions AIR {} Metal {}", versions.air, versions.language));
    }
    if let Some(layer) = function.layer() {
        facts.push(format!("layer {layer}"));
    }
    if let Some((patch, points)) = function.tessellation() {
        facts.push(format!("tessellation {patch} {points}"));
    }
    public(&function.public, &mut facts);
    facts.extend(arguments.into_iter().flatten().cloned());
    let entry = function.reflection.zip(library.reflection());
    let entry = entry.and_then(|(id, list)| list.entries().get(id.index()));
    if let Some(buffer) = entry.and_then(metallib::BufferEntry::buffer) {
        facts.push(format!("reflection sha256:{}", hex(&module_hash(&buffer))));
    }
    facts
}

/// Facts of public metadata, as a lock has them.
pub(crate) fn public_facts(tags: &TagList<'_>) -> Vec<String> {
    let mut facts = Vec::new();
    public(tags, &mut facts);
    facts
}

/// Facts of the public metadata. A tag that is not known, or cannot be read, is locked as it is.
fn public(tags: &TagList<'_>, facts: &mut Vec<String>) {
    for tag in tags.iter() {
        let before = facts.len();
        let read = match tag.id {
            FourCc::CNST => constants(tag.payload, facts),
            FourCc::VATT => attributes(tags, tag.payload, facts),
            // Its types stand with the attributes.
            FourCc::VATY if tags.get(FourCc::VATT).is_some() => Ok(()),
            _ => Err(()),
        };
        if read.is_err() {
            facts.truncate(before);
            facts.push(format!("tag {} {}", word(tag.id.to_string().as_bytes()), hex(tag.payload)));
        }
    }
}

fn constants(payload: &[u8], facts: &mut Vec<String>) -> Result<(), ()> {
    for found in metadata::function_constants(payload, 0).map_err(drop)? {
        let required = match found.required {
            1 => "required".to_owned(),
            0 => "optional".to_owned(),
            other => format!("flag({other})"),
        };
        let (index, name, kind) = (found.index, word(&found.name), found.data_type);
        facts.push(format!("constant {index} {name} {kind} {required}"));
    }
    Ok(())
}

fn attributes(tags: &TagList<'_>, payload: &[u8], facts: &mut Vec<String>) -> Result<(), ()> {
    let types =
        tags.payload(FourCc::VATY).map(|payload| metadata::vertex_attribute_types(payload, 0));
    let types = types.ok_or(())?.map_err(drop)?;
    let attributes = metadata::vertex_attributes(payload, 0).map_err(drop)?;
    if attributes.len() != types.len() {
        return Err(());
    }
    for (found, kind) in attributes.iter().zip(types) {
        let usage = match found.usage() {
            0 => String::new(),
            other => format!(" use({other})"),
        };
        let active = if found.is_active() { "active" } else { "unused" };
        let (index, name) = (found.index(), word(&found.name));
        facts.push(format!("attribute {index} {name} {kind} {active}{usage}"));
    }
    Ok(())
}

/// Entry points of a module by name, with their facts.
type Entries = Vec<(Vec<u8>, Vec<String>)>;

/// Results and arguments of every function, as the nodes of its entry point in the module say.
pub(super) fn arguments(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
) -> Result<Vec<Vec<String>>> {
    let users = Users::new(library);
    let mut facts = vec![Vec::new(); library.functions().len()];
    let each = |some: &mut Vec<(usize, air_bitcode::Result<Entries>)>, index, bytes: &[u8]| {
        if !bytes.is_empty() {
            some.push((index, entries(bytes)));
        }
    };
    modules::fold(input, library, threads, each, |some| {
        for (index, found) in some {
            let found = found.map_err(|source| Error::Module {
                input: input.name().to_owned(),
                place: modules::place(library, &users, index),
                source,
            })?;
            for (_, function) in users.of(Some(index)) {
                let name = library.functions().get(*function).map(Function::name_bytes);
                let own = found.iter().find(|(entry, _)| Some(entry.as_slice()) == name);
                if let Some((place, (_, own))) = facts.get_mut(*function).zip(own) {
                    own.clone_into(place);
                }
            }
        }
        Ok(())
    })?;
    Ok(facts)
}

/// The entry points of a module by name, with their facts.
fn entries(bytes: &[u8]) -> air_bitcode::Result<Entries> {
    let module = Module::parse(bytes)?;
    let info = module.air_info()?;
    let (metadata, integers) = (module.metadata()?, module.integers()?);
    let mut reader = Reader { metadata: &metadata, integers: &integers, texts: HashMap::new() };
    info.entries.iter().map(|entry| Ok((entry.name.to_vec(), reader.entry(entry)?))).collect()
}

struct Reader<'r, 'a> {
    metadata: &'r Metadata<'a>,
    integers: &'r Integers,
    /// Texts of nodes inside of others, by their number.
    texts: HashMap<u64, String>,
}

impl Reader<'_, '_> {
    /// An entry point is a function, its results and its arguments, and what follows.
    fn entry(&mut self, entry: &EntryPoint<'_>) -> air_bitcode::Result<Vec<String>> {
        let metadata = self.metadata;
        let mut facts = Vec::new();
        let operands = metadata.operands(entry.node)?.unwrap_or_default();
        for (name, list) in ["result", "argument"].into_iter().zip(operands.iter().skip(1)) {
            let Some(list) = list.node() else { continue };
            let nodes = metadata.operands(list)?.unwrap_or_default();
            for (number, node) in nodes.iter().enumerate() {
                // An argument has its number first.
                let words = match node.node().map(|node| metadata.operands(node)).transpose()? {
                    Some(Some(words)) => {
                        self.words(words.get(usize::from(name == "argument")..), DEPTH)?
                    }
                    _ => self.word(*node, DEPTH)?,
                };
                facts.push(format!("{name} {number} {words}").trim_end().to_owned());
            }
        }
        let more = self.words(operands.get(3..), DEPTH)?;
        if !more.is_empty() {
            facts.push(format!("properties {more}"));
        }
        Ok(facts)
    }

    fn words(
        &mut self,
        operands: Option<&[Operand<'_>]>,
        depth: u32,
    ) -> air_bitcode::Result<String> {
        let words = operands.unwrap_or_default().iter().map(|operand| self.word(*operand, depth));
        Ok(words.collect::<air_bitcode::Result<Vec<_>>>()?.join(" "))
    }

    fn word(&mut self, operand: Operand<'_>, depth: u32) -> air_bitcode::Result<String> {
        Ok(match operand {
            Operand::None => "null".to_owned(),
            Operand::String(text) => word(text),
            Operand::Value(value) => {
                self.integers.get(value).map_or_else(|| "value".to_owned(), |i| i.to_string())
            }
            Operand::Node(node) => self.node(node, depth)?,
        })
    }

    /// The text of a node inside of another one, in parentheses.
    fn node(&mut self, node: u64, depth: u32) -> air_bitcode::Result<String> {
        if let Some(known) = self.texts.get(&node) {
            return Ok(known.clone());
        }
        let Some(depth) = depth.checked_sub(1) else { return Ok("…".to_owned()) };
        // A node that leads back to itself ends there.
        self.texts.insert(node, "…".to_owned());
        let metadata = self.metadata;
        let operands = metadata.operands(node)?;
        let mut text = format!("( {} )", self.words(operands.as_deref(), depth)?);
        if text.len() > LONGEST {
            text = format!("( sha256:{} )", hex(&module_hash(text.as_bytes())));
        }
        self.texts.insert(node, text.clone());
        Ok(text)
    }
}
