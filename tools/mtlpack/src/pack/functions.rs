//! The functions of one module, each with the module that the library stores for it.

use std::borrow::Cow;

use air_bitcode::{EntryKind, Keeper, Module};
use metallib::{
    Dialect, Extension, FileType, FourCc, FunctionSpec, FunctionType, Identity, Library,
    LibraryBuilder, ModuleId, TagList, metadata,
};

use super::modules;
use super::options::PackOptions;
use super::order::{Order, string_map_order};
use super::unit::Unit;
use crate::derive::{self, Debug, DeriveError, Derived};
use crate::error::{Error, Result};
use crate::merge::Form;
use crate::permute::permuted;

/// A library of one module's functions, and what there is to say of it.
pub(super) struct Linked<'a> {
    pub(super) library: Library<'a>,
    pub(super) notes: Vec<String>,
}

/// Makes a library of a module's functions.
///
/// # Errors
/// If the module has no function to list, or what a library says of one does not follow from
/// the module.
pub(super) fn link<'a>(
    unit: &Unit<'a>,
    keeper: &mut Keeper,
    form: Form,
    options: &PackOptions,
) -> Result<Linked<'a>> {
    let kind = kind(unit, options)?;
    let identity = Identity::new(form.container, unit.traits.platform, unit.traits.os, kind);
    let mut builder = LibraryBuilder {
        identity,
        dialect: form.dialect,
        functions: Vec::new(),
        modules: Vec::new(),
        extension: form.container.has_extension().then(Extension::default),
    };
    let mut notes = Vec::new();
    if kind == FileType::Dynamic {
        dynamic(unit, options, &mut builder, &mut notes)?;
    } else if options.share_module && unit.entries.len() > 1 {
        shared(unit, options, &mut builder, &mut notes)?;
    } else {
        for (module, derived) in modules::of_entries(unit, keeper, &order(unit, options.order))? {
            let spec = match derived {
                Some(derived) => {
                    let derived = derived.clone().map_err(|error| not_derived(unit, error))?;
                    spec(unit, derived, builder.dialect, &mut notes)?
                }
                None => single(unit, &module, builder.dialect, &mut notes)?,
            };
            builder.add(FunctionSpec { module, ..spec }).map_err(Error::library(&unit.name))?;
        }
    }
    let library = builder.finish().map_err(Error::library(&unit.name))?;
    Ok(Linked { library, notes })
}

/// What kind of library a module's functions make.
fn kind(unit: &Unit<'_>, options: &PackOptions) -> Result<FileType> {
    let name = &unit.name;
    let externs = unit.entries.iter().filter(|entry| entry.kind == EntryKind::CoreImage).count();
    let refuse = |what: String| Err(Error::refused(format!("{name}: {what}")));
    match (options.install_name.is_some(), unit.entries.first()) {
        (true, None) => Ok(FileType::Dynamic),
        (true, Some(entry)) => refuse(format!(
            "the module has the entry point `{}` ({}), and no dynamic library with one is known; \
             leave out the install name",
            entry.printable(),
            entry.kind.list()
        )),
        (false, None) => refuse(
            "the module has no entry point (kernel, vertex, fragment or other listed function); \
             an install name (--dynamic) makes a dynamic library of its functions"
                .to_owned(),
        ),
        (false, Some(_)) if externs == 0 => Ok(FileType::Executable),
        (false, Some(_)) if externs == unit.entries.len() => Ok(FileType::CoreImage),
        (false, Some(_)) => refuse(
            "functions of Core Image (air.ci) and others cannot be in one library; compile them \
             by themselves"
                .to_owned(),
        ),
    }
}

/// The entry points in their order: indices.
fn order(unit: &Unit<'_>, order: Order) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..unit.entries.len()).collect();
    if order == Order::Input {
        indices.sort_by_key(|index| unit.entries.get(*index).map(|entry| entry.value));
    }
    indices
}

/// The one function of a module.
fn single(
    unit: &Unit<'_>,
    module: &[u8],
    dialect: Dialect,
    notes: &mut Vec<String>,
) -> Result<FunctionSpec<'static>> {
    match <[_; 1]>::try_from(all(unit, module, dialect, notes)?) {
        Ok([spec]) => Ok(spec),
        Err(all) => Err(Error::refused(format!(
            "{}: a module of one function is expected, this one has {}",
            unit.name,
            all.len()
        ))),
    }
}

/// All functions of a module, in Apple's order.
fn all(
    unit: &Unit<'_>,
    module: &[u8],
    dialect: Dialect,
    notes: &mut Vec<String>,
) -> Result<Vec<FunctionSpec<'static>>> {
    let parsed = Module::parse(module).map_err(|error| super::unit::wrong(&unit.name, error))?;
    let derived = derive::entries(&parsed).map_err(|error| not_derived(unit, error))?;
    derived.into_iter().map(|derived| spec(unit, derived, dialect, notes)).collect()
}

/// Adds the entry points of a module that is stored once.
fn shared<'a>(
    unit: &Unit<'a>,
    options: &PackOptions,
    builder: &mut LibraryBuilder<'a>,
    notes: &mut Vec<String>,
) -> Result<()> {
    let specs = all(unit, &unit.bytes, builder.dialect, notes)?;
    let order = order(unit, options.order);
    let first = order.first().and_then(|index| unit.entries.get(*index));
    let source = first.map_or(&[][..], |entry| &entry.name);
    add_sharing(unit, builder, specs, (source, order))
}

/// Adds the functions of a dynamic library, which share the module.
fn dynamic<'a>(
    unit: &Unit<'a>,
    options: &PackOptions,
    builder: &mut LibraryBuilder<'a>,
    notes: &mut Vec<String>,
) -> Result<()> {
    let specs = all(unit, &unit.bytes, builder.dialect, notes)?;
    if specs.is_empty() {
        return Err(Error::refused(format!(
            "{}: the module defines no function for others (linkage external)",
            unit.name
        )));
    }
    let names: Vec<&[u8]> = specs.iter().map(|spec| spec.name.as_bytes()).collect();
    let order = match options.order {
        Order::Apple => string_map_order(&names),
        Order::Input | Order::Name => (0..specs.len()).collect(),
    };
    let source = options.install_name.as_deref().unwrap_or_default();
    add_sharing(unit, builder, specs, (source.as_bytes(), order))
}

/// Adds functions in an order, which has every index once, and the module that they share, whose
/// source is called so.
fn add_sharing<'a>(
    unit: &Unit<'a>,
    builder: &mut LibraryBuilder<'a>,
    specs: Vec<FunctionSpec<'static>>,
    (source, order): (&[u8], Vec<usize>),
) -> Result<()> {
    let bytes = modules::of_all(unit, source)?;
    let add = || -> metallib::Result<()> {
        let module: ModuleId = builder.add_module(metallib::Module::new(bytes))?;
        let mut ordered = permuted(specs, &order).into_iter();
        ordered.try_for_each(|spec| builder.add_sharing(spec, module))
    };
    add().map_err(Error::library(&unit.name))
}

/// A function as its module has it, without the module.
fn spec(
    unit: &Unit<'_>,
    derived: Derived<'_>,
    dialect: Dialect,
    notes: &mut Vec<String>,
) -> Result<FunctionSpec<'static>> {
    let mut extra = derived.extra();
    if dialect == Dialect::Archiver
        && derived.versions.air <= metallib::Version::new(1, 8)
        && unit.traits.has_module_size(dialect)
    {
        extra.push((FourCc::MDSZ, vec![0; 8]));
    }
    let name = String::from_utf8(derived.name.into_owned()).map_err(|error| {
        let name = metallib::printable(error.as_bytes());
        Error::refused(format!("{}: the name `{name}` is not UTF-8, as libraries need", unit.name))
    })?;
    let mut private = TagList::new();
    match derived.debug {
        Debug::None => {}
        Debug::Info(info) => {
            let payload = metadata::encode_debug_info(&info);
            private.push(FourCc::DEBI, &payload).map_err(Error::library(&unit.name))?;
        }
        Debug::Gone => notes.push(format!(
            "{}: `{name}` gets no line and path (DEBI): its module's debug information was taken \
             out before",
            unit.name
        )),
    }
    let kind: FunctionType = derived.function_type;
    let mut spec = FunctionSpec::new(name, kind, derived.versions, Cow::Borrowed(&[][..]));
    (spec.public, spec.private, spec.extra) = (derived.public, private, extra);
    Ok(spec)
}

fn not_derived(unit: &Unit<'_>, error: DeriveError) -> Error {
    match error {
        DeriveError::Module(source) => super::unit::wrong(&unit.name, source),
        other => Error::refused(format!("{}: {other}", unit.name)),
    }
}
