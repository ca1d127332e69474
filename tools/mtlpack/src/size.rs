//! `size`: where the bytes of a library are.

use std::collections::HashMap;

use metallib::{ExtensionTag, ExtensionValue, Function, HEADER_SIZE, Library};

use crate::families::Families;

/// Bytes of one function, or of a family of functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FunctionSize {
    /// The function's name, or the stem of the family with `*`; what is not UTF-8 is replaced.
    pub name: String,
    /// How many functions they are.
    pub functions: u64,
    /// Bytes of the modules. One that several functions use counts for the first of them alone.
    pub modules: u64,
    /// Bytes of the entries in the function list and of both metadata groups.
    pub metadata: u64,
    /// Bytes of the reflection entries, counted as modules are.
    pub reflection: u64,
    /// All of these.
    pub size: u64,
}

impl FunctionSize {
    pub(crate) fn add(&mut self, other: &Self) {
        self.functions += other.functions;
        self.modules += other.modules;
        self.metadata += other.metadata;
        self.reflection += other.reflection;
        self.size += other.size;
    }
}

/// Bytes of a part of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SectionSize {
    /// Which part; sections behind the bitcode have the name of their tag.
    pub name: String,
    /// Its bytes.
    pub size: u64,
}

/// The bytes of each function, in the order of the library.
#[must_use]
pub fn function_sizes(library: &Library<'_>) -> Vec<FunctionSize> {
    let mut counter = Counter::new(library);
    library.functions().iter().map(|function| counter.count(library, function)).collect()
}

/// The bytes of each family of functions, the largest first.
///
/// A family are functions whose names begin with the same words: the first two where eight
/// functions or more share them, else the first; a name that shares none stands for itself.
///
/// ```
/// # let bytes = include_bytes!("../../../examples/quad.metallib");
/// let library = mtlpack::metallib::Library::parse(bytes).unwrap();
/// let families = mtlpack::family_sizes(&library);
/// assert_eq!((families[0].name.as_str(), families[0].functions), ("quad_*", 2));
/// ```
#[must_use]
pub fn family_sizes(library: &Library<'_>) -> Vec<FunctionSize> {
    let families = Families::new(library.functions().iter().map(Function::name_bytes));
    let mut sums = HashMap::<_, FunctionSize>::new();
    for (function, size) in library.functions().iter().zip(function_sizes(library)) {
        let family = families.of(function.name_bytes());
        let sum = sums.entry(family).or_insert_with(|| FunctionSize {
            name: family.text().into_owned(),
            ..FunctionSize::default()
        });
        sum.add(&size);
    }
    let mut sums: Vec<_> = sums.into_values().collect();
    sums.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.name.cmp(&b.name)));
    sums
}

/// The bytes of each part of a library that was read from a file, in the order of the file.
///
/// They add up to the file's size, with a part `unused` for bytes that nothing refers to. Only
/// where parts of an irregular library overlap they add up to more.
#[must_use]
pub fn section_sizes(library: &Library<'_>) -> Vec<SectionSize> {
    let mut sizes = Vec::new();
    let mut add = |name: String, size: u64| {
        if size > 0 {
            sizes.push(SectionSize { name, size });
        }
    };
    let (Some(header), Some(file)) = (library.header(), library.source_bytes()) else {
        return sizes;
    };
    add("header".to_owned(), HEADER_SIZE);
    // With its count, which the size in the header leaves out.
    add("function list".to_owned(), header.functions.size.saturating_add(4));
    let extension = library.extension().map_or(0, metallib::Extension::encoded_size);
    add("header extension".to_owned(), extension);
    add("public metadata".to_owned(), header.public.size);
    add("private metadata".to_owned(), header.private.size);
    add("bitcode".to_owned(), header.bitcode.size);
    for tag in library.extension().into_iter().flat_map(|extension| &extension.tags) {
        if let (ExtensionTag { id, range, .. }, ExtensionValue::Section(_)) = (tag, &tag.value) {
            add(id.to_string(), range.size);
        }
    }
    let sum = sizes.iter().fold(0_u64, |sum, part| sum.saturating_add(part.size));
    let unused = (file.len() as u64).saturating_sub(sum);
    if unused > 0 {
        sizes.push(SectionSize { name: "unused".to_owned(), size: unused });
    }
    sizes
}

/// Counts what functions share for the first of them alone.
pub(crate) struct Counter {
    modules: Vec<bool>,
    entries: Vec<bool>,
}

/// Takes note of an index; says whether that is new.
fn is_first(seen: &mut [bool], index: usize) -> bool {
    seen.get_mut(index).is_some_and(|seen| !std::mem::replace(seen, true))
}

impl Counter {
    pub(crate) fn new(library: &Library<'_>) -> Self {
        let entries = library.reflection().map_or(0, |list| list.entries().len());
        Self { modules: vec![false; library.modules().len()], entries: vec![false; entries] }
    }

    /// Bytes of a function's module, if no other one before it has the same.
    pub(crate) fn module(&mut self, library: &Library<'_>, function: &Function<'_>) -> u64 {
        let id = function.module.filter(|id| is_first(&mut self.modules, id.index()));
        let module = id.and_then(|id| library.modules().get(id.index()));
        module.map_or(0, |module| (module.bytes().len() + module.tail().len()) as u64)
    }

    fn count(&mut self, library: &Library<'_>, function: &Function<'_>) -> FunctionSize {
        let group = |tags: &metallib::TagList<'_>| tags.as_bytes().len() as u64 + 8;
        // What has no OFFT has no groups of metadata.
        let groups = match function.module {
            Some(_) => group(&function.public) + group(&function.private),
            None => 0,
        };
        let id = function.reflection.filter(|id| is_first(&mut self.entries, id.index()));
        let entry =
            id.zip(library.reflection()).and_then(|(id, list)| list.entries().get(id.index()));
        let modules = self.module(library, function);
        let metadata = group(&function.tags) + groups;
        let reflection = entry.map_or(0, |entry| group(&entry.tags));
        FunctionSize {
            name: function.name().into_owned(),
            functions: 1,
            modules,
            metadata,
            reflection,
            size: modules + metadata + reflection,
        }
    }
}
