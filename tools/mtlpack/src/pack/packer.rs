//! Inputs in, library out.

use std::thread;

use indexmap::IndexSet;
use metallib::{
    BufferId, Container, Dialect, ExtensionTag, FileType, FourCc, Function, LibraryBuilder, Section,
};
use metallib_write::{UuidAction, UuidForm};

use air_bitcode::{HeadReader, Keeper};

use super::functions::{self, Linked};
use super::header;
use super::imports::{self, Dylib, Imports};
use super::inputs::{self, Content};
use super::options::PackOptions;
use super::order::Order;
use super::unit::Unit;
use crate::edited::{Edited, Named};
use crate::error::{Error, Result};
use crate::io::IoError;
use crate::merge::{Form, MergeOptions, merge_as};
use crate::permute::{entries_mut, new_ids, permuted};

/// Packs modules and libraries into one library: what a linker does.
///
/// The bytes of the output follow from those of the inputs, their order and the options; the
/// names of the inputs are for messages alone.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use mtlpack::{PackOptions, Packer};
///
/// # let library = include_bytes!("../../../../examples/vector_add.metallib");
/// # let library = mtlpack::metallib::Library::parse(library)?;
/// # let bitcode = library.modules()[0].bytes().to_vec();
/// // `bitcode` is what a compiler made: AIR, in its wrapper or without.
/// let mut packer = Packer::new(PackOptions::default());
/// packer.add("vector_add.air", &bitcode)?;
/// let packed = packer.finish()?;
/// assert_eq!(packed.library.functions()[0].name(), "vector_add");
/// let bytes: Vec<u8> = packed.to_vec()?;
/// # assert!(bytes.starts_with(b"MTLB"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Packer<'a> {
    options: PackOptions,
    sources: Vec<inputs::Source<'a>>,
    dylibs: Vec<Dylib>,
}

impl<'a> Packer<'a> {
    /// A packer without inputs.
    #[must_use]
    pub fn new(options: PackOptions) -> Self {
        Self { options, sources: Vec::new(), dylibs: Vec::new() }
    }

    /// Adds an input behind those that are there: AIR bitcode, a library, or a static archive
    /// of bitcode.
    ///
    /// # Errors
    /// If it is something else, saying what; if a library or an archive does not parse.
    pub fn add(&mut self, name: &str, bytes: &'a [u8]) -> Result<&mut Self> {
        self.sources.extend(inputs::read(name, bytes)?);
        Ok(self)
    }

    /// Adds a dynamic library from which the inputs may import functions. It does not become
    /// a part of the output, which names it.
    ///
    /// # Errors
    /// If it is no dynamic library, or has no install name.
    pub fn add_dylib(&mut self, name: &str, bytes: &[u8]) -> Result<&mut Self> {
        self.dylibs.push(Dylib::read(name, bytes)?);
        Ok(self)
    }

    /// Packs the inputs. The notes say what was decided on the caller's behalf.
    ///
    /// # Errors
    /// If there is no input or no function; if a module cannot be read, has no entry point, or
    /// says what no known library shows how to write; if platforms differ, names clash, or
    /// modules use what others define; if the container or dialect asked for has no room for
    /// what the inputs hold.
    pub fn finish(self) -> Result<Edited<'a>> {
        let Self { options, sources, dylibs } = self;
        let threads = options.threads.max(1);
        let units: Vec<Option<Unit<'a>>> =
            in_order(threads, &sources, HeadReader::new, |reader, source| {
                let Content::Module(bytes) = source.content else { return Ok(None) };
                Unit::read(reader, &source.name, bytes).map(Some)
            })?;
        let mut notes = Vec::new();
        let plan = Plan::new(&sources, &units, &dylibs, options, &mut notes)?;
        let made: Vec<Option<Linked<'a>>> =
            in_order(threads, &units, Keeper::new, |keeper, unit| match unit {
                Some(unit) => functions::link(unit, keeper, plan.form, &plan.options).map(Some),
                None => Ok(None),
            })?;
        notes.extend(made.iter().flatten().flat_map(|linked| linked.notes.iter().cloned()));
        let named: Vec<Named<'_, 'a>> = sources
            .iter()
            .zip(&made)
            .filter_map(|(source, linked)| {
                let library = match (&source.content, linked) {
                    (Content::Library(library), _) => library,
                    (Content::Module(_), Some(linked)) => &linked.library,
                    (Content::Module(_), None) => return None,
                };
                Some(Named { name: &source.name, library })
            })
            .collect();
        let mut edited = plan.unite(&named)?;
        notes.append(&mut edited.notes);
        edited.notes = notes;
        Ok(edited)
    }
}

/// What is decided before functions are made.
struct Plan {
    options: PackOptions,
    form: Form,
    imports: Imports,
    /// Whether an input is a module.
    has_modules: bool,
}

impl Plan {
    fn new(
        sources: &[inputs::Source<'_>],
        units: &[Option<Unit<'_>>],
        dylibs: &[Dylib],
        options: PackOptions,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let units: Vec<&Unit<'_>> = units.iter().flatten().collect();
        let libraries: Vec<Named<'_, '_>> = sources
            .iter()
            .filter_map(|source| match &source.content {
                Content::Library(library) => Some(Named { name: &source.name, library }),
                Content::Module(_) => None,
            })
            .collect();
        check_kinds(&units, &libraries, &options)?;
        let imports = imports::resolve(&units, dylibs, notes)?;
        let form = header::choose(&units, &libraries, &options, !imports.is_empty())?;
        Ok(Self { options, form, imports, has_modules: !units.is_empty() })
    }

    /// Merges the libraries of all inputs, and adds what the output has as a whole.
    fn unite<'a>(self, named: &[Named<'_, 'a>]) -> Result<Edited<'a>> {
        let options = MergeOptions {
            on_duplicate: self.options.on_duplicate.clone(),
            name: self.name(named),
            output_name: self.options.output_name.clone(),
            new_layout: self.options.new_layout,
            ..MergeOptions::default()
        };
        let mut edited = merge_as(named, &options, Some(self.form))?;
        if !self.has_modules && self.options.order != Order::Name && self.imports.is_empty() {
            return Ok(edited);
        }
        let wrong = || Error::library("output");
        let mut builder = edited.library.edit(true).map_err(wrong())?;
        if self.options.order == Order::Name {
            sort_by_name(&mut builder);
        }
        self.extend(&mut builder, &mut edited.uuid).map_err(wrong())?;
        edited.library = builder.finish().map_err(wrong())?;
        Ok(edited)
    }

    /// NAME of the dynamic header, where the output has one of its own.
    fn name(&self, named: &[Named<'_, '_>]) -> Option<String> {
        if self.options.install_name.is_some() {
            return self.options.install_name.clone();
        }
        // Executables have it from container 1.2.9 on: the file name; Core Image: nothing.
        let is_usual = self.form.dialect == Dialect::Linker && self.form.container >= NAMED;
        let kind = named.first().map(|named| named.library.identity().file_type());
        let file = self.options.output_name.clone().filter(|_| kind == Some(FileType::Executable));
        (self.has_modules && is_usual).then(|| file.unwrap_or_default())
    }

    /// Adds what no part brings: linked libraries, imported symbols, the UUID.
    fn extend(
        &self,
        builder: &mut LibraryBuilder<'_>,
        uuid: &mut UuidAction,
    ) -> metallib::Result<()> {
        if !self.imports.is_empty() {
            let extension = builder.extension_mut()?;
            let mut header = extension.dynamic_header().cloned().unwrap_or_default();
            self.imports.link(&mut header)?;
            let symbols = self.imports.list(extension.symbols(FourCc::ILST))?;
            builder.set_dynamic_header(header)?;
            if let Some(symbols) = symbols {
                let list = ExtensionTag::section(FourCc::ILST, Section::Symbols(symbols));
                builder.extension_mut()?.set(list);
            }
        }
        let has_uuid = builder.dialect == Dialect::Linker
            && builder.identity.container.has_extension()
            && (self.has_modules || !self.imports.is_empty());
        if has_uuid {
            let extension = builder.extension_mut()?;
            if extension.get(FourCc::UUID).is_none() {
                extension.set(ExtensionTag::data(FourCc::UUID, vec![0; 16]));
                *uuid = UuidAction::Recompute(UuidForm::Sha256);
            }
        }
        Ok(())
    }
}

/// The container from which on executables say their name.
const NAMED: Container = Container::new(9);

/// Refuses a dynamic library among the inputs of an executable, and the reverse.
fn check_kinds(
    units: &[&Unit<'_>],
    libraries: &[Named<'_, '_>],
    options: &PackOptions,
) -> Result<()> {
    let is_dynamic = options.install_name.is_some();
    if let (true, [first, second, ..]) = (is_dynamic, units) {
        return Err(Error::refused(format!(
            "a dynamic library has one module for all its functions, and joining {} and {} is not \
             supported; join their bitcode before (`llvm-link`)",
            first.name, second.name
        )));
    }
    let dynamic = libraries.iter().find(|named| named.library.is_dynamic());
    match (dynamic, units.first()) {
        (Some(library), Some(unit)) if !is_dynamic => Err(Error::refused(format!(
            "{} is a dynamic library, {} makes an executable; to import its functions, give it \
             with --dylib",
            library.name, unit.name
        ))),
        _ => Ok(()),
    }
}

/// Sorts functions by their names, and reflection entries by the functions that refer to them
/// first; those that none refers to follow.
fn sort_by_name(builder: &mut LibraryBuilder<'_>) {
    builder.functions.sort_by(|a, b| a.name_bytes().cmp(b.name_bytes()));
    let id = |function: &Function<'_>| function.reflection.map(BufferId::index);
    let used: Vec<usize> = builder.functions.iter().filter_map(id).collect();
    let Some(list) = entries_mut(builder) else { return };
    let entries = std::mem::take(list).entries().to_vec();
    let order: IndexSet<usize> = used.into_iter().chain(0..entries.len()).collect();
    let order: Vec<usize> = order.into_iter().collect();
    permuted(entries, &order).into_iter().for_each(|entry| list.push(entry));
    let new = new_ids(&order);
    for function in &mut builder.functions {
        let id = function.reflection.and_then(|old| new.get(old.index()).copied());
        function.reflection = id.map(BufferId::from_index);
    }
}

/// Does the same with every item, on some threads, each with what it makes for itself; the results
/// are in the order of the items, and of several errors the first one counts.
fn in_order<T: Sync, R: Send, S>(
    threads: usize,
    items: &[T],
    begin: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let all = |items: &[T]| {
        let mut state = begin();
        items.iter().map(|item| each(&mut state, item)).collect::<Result<Vec<R>>>()
    };
    let size = items.len().div_ceil(threads).max(1);
    if threads < 2 || items.len() < 2 {
        return all(items);
    }
    thread::scope(|scope| {
        let mut running = Vec::with_capacity(threads);
        for chunk in items.chunks(size) {
            let work = || all(chunk);
            running.push(thread::Builder::new().spawn_scoped(scope, work).map_err(IoError::from)?);
        }
        let mut results = Vec::with_capacity(items.len());
        for thread in running {
            let died = |_| Error::refused("a thread that reads modules died");
            results.extend(thread.join().map_err(died)??);
        }
        Ok(results)
    })
}
