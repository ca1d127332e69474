//! Takes modules out of a library, as files.

use std::collections::{BTreeSet, HashSet};

use air_bitcode::Envelope;
use metallib::{Function, Library, ModuleId};

use crate::edited::Named;
use crate::error::{Error, Result};
use crate::file_names::FileNames;
use crate::modules::{Users, place};
use crate::names;

/// As what modules are taken out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModuleForm {
    /// As they are stored, with wrapper and padding: an `.air` file.
    #[default]
    Air,
    /// The bitcode alone: a `.bc` file.
    Raw,
}

/// A module that is taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted<'l> {
    /// File name made of the first function's name: safe on every system, no two alike.
    pub file: String,
    /// Which of the functions asked for have the module, by their index in the library.
    pub functions: Vec<usize>,
    /// Content of the file.
    pub bytes: &'l [u8],
}

/// What [`extract`] takes out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction<'l> {
    /// The modules, in the order of the functions.
    pub modules: Vec<Extracted<'l>>,
    /// Indices of functions that have no module, where all functions are asked for.
    pub without: Vec<usize>,
}

/// Takes out the modules of the functions of these names, or of all functions; a module that
/// several functions share once. A name may have the escapes that [`NameList::parse`] reads;
/// a function whose name is the text itself goes before.
///
/// [`NameList::parse`]: crate::NameList::parse
///
/// ```no_run
/// use mtlpack::{ModuleForm, Named, extract};
///
/// let bytes = std::fs::read("default.metallib").unwrap();
/// let library = mtlpack::metallib::Library::parse(&bytes).unwrap();
/// let named = Named { name: "default.metallib", library: &library };
/// for module in extract(named, &[], ModuleForm::Air)?.modules {
///     std::fs::write(module.file, module.bytes).unwrap();
/// }
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If a name is that of no function (all such names are listed), a function that was named
/// has no module, no module is left, or, for [`ModuleForm::Raw`], a wrapper does not fit its
/// module.
pub fn extract<'l>(
    input: Named<'l, '_>,
    names: &[&str],
    form: ModuleForm,
) -> Result<Extraction<'l>> {
    let library = input.library;
    let chosen = choose(input, names)?;
    let (with, without): (Vec<usize>, Vec<usize>) =
        chosen.into_iter().partition(|index| stored(library, *index).is_some());
    if !names.is_empty() && !without.is_empty() {
        let what = format!("{}: without module: {}", input.name, quoted(library, &without));
        return Err(Error::NoMatch { what });
    }
    if with.is_empty() {
        return Err(Error::NoMatch { what: format!("{} has no module", input.name) });
    }
    let mut extraction = Extraction { modules: Vec::new(), without };
    let mut files = FileNames::new(if form == ModuleForm::Raw { "bc" } else { "air" });
    let mut places: Vec<Option<usize>> = vec![None; library.modules().len()];
    for index in with {
        let Some((id, bytes)) = stored(library, index) else { continue };
        let Some(known) = places.get_mut(id) else { continue };
        if let Some(first) = known.and_then(|at| extraction.modules.get_mut(at)) {
            first.functions.push(index);
            continue;
        }
        *known = Some(extraction.modules.len());
        let bytes = if form == ModuleForm::Raw { raw(input, id, bytes)? } else { bytes };
        let name = library.functions().get(index).map_or(&[][..], metallib::Function::name_bytes);
        let file = files.name(name);
        extraction.modules.push(Extracted { file, functions: vec![index], bytes });
    }
    Ok(extraction)
}

/// Indices of the functions of these names, in the order of the library.
fn choose(input: Named<'_, '_>, texts: &[&str]) -> Result<Vec<usize>> {
    let functions = input.library.functions();
    if texts.is_empty() {
        return Ok((0..functions.len()).collect());
    }
    let there: HashSet<&[u8]> = functions.iter().map(Function::name_bytes).collect();
    let (mut wanted, mut missing) = (HashSet::new(), BTreeSet::new());
    for text in texts {
        let name = names::resolve(text, |name| there.contains(name));
        if there.contains(&*name) {
            wanted.insert(name);
        } else {
            missing.insert(format!("`{text}`{}", names::pattern_hint(&name)));
        }
    }
    if missing.is_empty() {
        let chosen = functions.iter().enumerate().filter(|(_, f)| wanted.contains(f.name_bytes()));
        return Ok(chosen.map(|(index, _)| index).collect());
    }
    let missing: Vec<String> = missing.into_iter().collect();
    Err(Error::NoMatch {
        what: format!(
            "{} has no function {}; `mtlpack list` shows all names",
            input.name,
            missing.join(", ")
        ),
    })
}

/// A function's module, by its number, if it has one that is not empty.
fn stored<'l>(library: &'l Library<'_>, function: usize) -> Option<(usize, &'l [u8])> {
    let function = library.functions().get(function)?;
    let bytes = library.module_of(function)?.bytes();
    let id = function.module.map(ModuleId::index)?;
    (!bytes.is_empty()).then_some((id, bytes))
}

/// The bitcode of a module, without wrapper and padding.
fn raw<'l>(input: Named<'l, '_>, id: usize, bytes: &'l [u8]) -> Result<&'l [u8]> {
    let envelope = Envelope::parse(bytes).map_err(|source| Error::Module {
        input: input.name.to_owned(),
        place: place(input.library, &Users::new(input.library), id),
        source,
    })?;
    Ok(envelope.stream)
}

/// As many functions or modules a message names.
const SHOWN: usize = 8;

/// Names of functions for a message, not too many.
fn quoted(library: &Library<'_>, functions: &[usize]) -> String {
    let names = functions.iter().filter_map(|index| library.functions().get(*index));
    let names: Vec<String> = names.take(SHOWN).map(|f| format!("`{}`", f.name())).collect();
    match functions.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

impl Extraction<'_> {
    /// What was decided on the user's behalf: modules that several functions share, and
    /// functions without module.
    #[must_use]
    pub fn notes(&self, library: &Library<'_>) -> Vec<String> {
        let shared = self.modules.iter().filter(|module| module.functions.len() > 1);
        let note = |module: &Extracted<'_>| {
            let functions = quoted(library, &module.functions);
            format!("{} is the one module of {functions}", module.file)
        };
        let mut notes: Vec<String> = shared.clone().take(SHOWN).map(note).collect();
        if let more @ 1.. = shared.count().saturating_sub(SHOWN) {
            notes.push(format!("{more} more modules are shared by several functions"));
        }
        if !self.without.is_empty() {
            notes.push(format!("without module: {}", quoted(library, &self.without)));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library() -> Vec<u8> {
        use metallib::{
            Container, Dialect, FileType, FunctionSpec, FunctionType, LibraryBuilder, Module,
            OsVersion, Platform, Versions,
        };
        let (container, os) = (Container::new(7), OsVersion::default());
        let (platform, kind) = (Platform::IOS, FileType::Dynamic);
        let mut builder = LibraryBuilder::new(Dialect::Linker, container, platform, os, kind);
        let spec = |name: &str, module: &[u8]| {
            FunctionSpec::new(name, FunctionType::KERNEL, Versions::default(), module.to_vec())
        };
        let id = builder.add_module(Module::new(metallib::wrap(b"BC\xc0\xde").unwrap())).unwrap();
        for name in ["a/b", "b"] {
            builder.add_sharing(spec(name, b""), id).unwrap();
        }
        builder.add(spec("A_B", &metallib::wrap(b"BC\xc0\xde1234").unwrap())).unwrap();
        builder.add(spec("none", b"")).unwrap();
        builder.add(spec("odd", b"odd")).unwrap();
        crate::Edited::unchanged(builder.finish().unwrap()).to_vec().unwrap()
    }

    fn error(library: &Library<'_>, names: &[&str], form: ModuleForm) -> (String, u8) {
        let error = extract(Named { name: "x", library }, names, form).unwrap_err();
        (error.to_string(), error.exit_code())
    }

    #[test]
    fn takes_shared_modules_once() {
        let bytes = library();
        let library = Library::parse(&bytes).unwrap();
        let named = Named { name: "x", library: &library };
        let all = extract(named, &[], ModuleForm::Air).unwrap();
        let files: Vec<_> = all.modules.iter().map(|m| (m.file.as_str(), m.bytes.len())).collect();
        assert_eq!(files, [("a_b.air", 32), ("A_B~2.air", 32), ("odd.air", 3)]);
        assert_eq!((&all.modules[0].functions, &all.without), (&vec![0, 1], &vec![3]));
        let notes = all.notes(&library);
        assert_eq!(notes, ["a_b.air is the one module of `a/b`, `b`", "without module: `none`"]);
        let raw = extract(named, &["A_B", "b"], ModuleForm::Raw).unwrap();
        let files: Vec<_> = raw.modules.iter().map(|m| (m.file.as_str(), m.bytes)).collect();
        assert_eq!(files, [("b.bc", &b"BC\xc0\xde"[..]), ("A_B.bc", b"BC\xc0\xde1234")]);
    }

    #[test]
    fn says_what_it_cannot_take() {
        let bytes = library();
        let library = Library::parse(&bytes).unwrap();
        let list = "`mtlpack list` shows all names";
        let missing = (format!("x has no function `c`, `d`; {list}"), 1);
        assert_eq!(error(&library, &["d", "b", "c", "d"], ModuleForm::Air), missing);
        let (what, _) = error(&library, &["b*"], ModuleForm::Air);
        assert!(what.contains("`b*` (a name is no pattern; `filter --keep` takes patterns);"));
        let without = ("x: without module: `none`".to_owned(), 1);
        assert_eq!(error(&library, &["b", "none"], ModuleForm::Air), without);
        let (what, code) = error(&library, &["odd"], ModuleForm::Raw);
        assert!(what.contains("of `odd` at offset"), "{what}");
        assert_eq!(code, 2);
    }
}
