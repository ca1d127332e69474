//! Replacing functions by those of other libraries.
//!
//! A merge in another order: what is left of the library is united with the functions that
//! come in, by the rules and the code of `merge`, and then everything is put where it was.

mod choose;
mod guests;
mod order;

use metallib::{FourCc, LibraryBuilder, Subset};

use crate::edited::{Edited, Named};
use crate::error::{Error, Result};
use crate::merge::{self, Frame, InstallName, OsChoice, Part, terminated};
use crate::names::escape;
use choose::{Choice, Chosen};

/// One function to replace, and what by.
#[derive(Clone, Debug)]
pub struct Replacement<'l, 'a> {
    /// Name of the function to replace, without NUL.
    pub name: Vec<u8>,
    /// The library that the new function comes from.
    pub from: Named<'l, 'a>,
    /// Name of the new function there; else the same name if the library has it, else its
    /// only function.
    pub function: Option<Vec<u8>>,
}

/// How functions are replaced.
#[derive(Clone, Debug, Default)]
pub struct ReplaceOptions {
    /// Which OS version the output says, where libraries differ.
    pub os: OsChoice,
    /// Whether a function may be replaced by one of another type.
    pub allow_type_change: bool,
    /// Base name of the output file, for NAME of a dynamic header that the library gets with
    /// a function.
    pub output_name: Option<String>,
    /// Whether an irregular library may be laid out anew.
    pub new_layout: bool,
}

/// Puts functions of other libraries in the places of some of `input`, under the old names.
///
/// Module, metadata, reflection, versions, unknown tags and the source archive come from the
/// other library; a function of another name is renamed inside and out. The order of
/// functions, and everything of those that are not replaced, stays. What belonged only to
/// the replaced functions goes. A function that is replaced by the very same stays as it is.
/// As in a merge, what belongs to no function of another library (imports, linked libraries,
/// unknown sections) comes along, the output has the newest container, and the dialect is
/// that of `input`. Where `input` embeds no sources, none come in.
///
/// The UUID is computed anew: the SHA-256 form, or the MD5 form where the library's own
/// follows it.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use metallib::Library;
/// use mtlpack::{Named, ReplaceOptions, Replacement, replace};
///
/// let bytes = include_bytes!("../../../../examples/quad.metallib");
/// let quad = Library::parse(bytes)?;
/// let quad = Named { name: "quad.metallib", library: &quad };
/// let by_itself = Replacement { name: b"quad_vertex".to_vec(), from: quad, function: None };
/// let replaced = replace(quad, &[by_itself], &ReplaceOptions::default())?;
/// assert_eq!(replaced.to_vec()?, bytes);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If a name is not there, there twice or given twice; if a function has another type and
/// that is not allowed; if libraries are dynamic, functions share modules, or platforms or
/// file types differ; if a library holds scripts, or is irregular while `new_layout` is
/// false; if a function cannot be renamed, or libraries hold what cannot be combined.
pub fn replace<'a>(
    input: Named<'_, 'a>,
    replacements: &[Replacement<'_, 'a>],
    options: &ReplaceOptions,
) -> Result<Edited<'a>> {
    let Chosen { sources, choices } = choose::choose(input, replacements)?;
    let mut notes = Vec::new();
    let choices = without_same(input, &sources, choices, &mut notes);
    if choices.is_empty() {
        let mut edited = Edited::nothing_to_change(input, options.new_layout)?;
        edited.notes.splice(..0, notes);
        return Ok(edited);
    }
    choose::check(input, &sources, &choices, options.allow_type_change)?;
    let mut more = Vec::new();
    let output = exchange(input, &sources, &choices, options, &mut more)?;
    let mut edited = Edited::unchanged(output.finish().map_err(Error::library("output"))?);
    for choice in &choices {
        notes.extend(choice.note(input, &sources, &edited.library));
    }
    notes.extend(more);
    edited.notes = notes;
    edited.renames = choices.iter().filter_map(|choice| choice.renaming(input, &sources)).collect();
    edited.compute_uuid(input)?;
    Ok(edited)
}

/// Passes over functions that would be replaced by the very same.
fn without_same(
    input: Named<'_, '_>,
    sources: &[Named<'_, '_>],
    choices: Vec<Choice>,
    notes: &mut Vec<String>,
) -> Vec<Choice> {
    let differs = |choice: &Choice| {
        let Some((old, new)) = choice.functions(input, sources) else { return false };
        let (Some(from), true) = (sources.get(choice.source), old.name_bytes() == new.name_bytes())
        else {
            return true;
        };
        let pair = [input, *from];
        let differs = merge::difference(&pair, (0, choice.at), (1, choice.function)).is_some();
        if !differs {
            let name = escape(old.name_bytes());
            notes.push(format!("`{name}` of {} is the very same, and stays", from.name));
        }
        differs
    };
    choices.into_iter().filter(differs).collect()
}

/// Unites what stays of the library with what comes in, and puts all in its place.
fn exchange<'a>(
    input: Named<'_, 'a>,
    sources: &[Named<'_, 'a>],
    choices: &[Choice],
    options: &ReplaceOptions,
    notes: &mut Vec<String>,
) -> Result<LibraryBuilder<'a>> {
    let host = input.library;
    let mut places: Vec<usize> = (0..host.functions().len()).collect();
    places.retain(|at| choices.binary_search_by_key(at, |choice| choice.at).is_err());
    let kept = places.len();
    let staying = Subset::new(host, options.new_layout).and_then(|subset| subset.of(&places));
    let staying = staying.map_err(Error::library(input.name))?;
    let mut parts = vec![Part { name: input.name, content: staying }];
    let mut inputs = vec![input];
    for (index, source) in sources.iter().enumerate() {
        let own: Vec<&Choice> = choices.iter().filter(|choice| choice.source == index).collect();
        if own.is_empty() {
            continue;
        }
        let content = guests::take(input, *source, &own, options.new_layout, notes)?;
        parts.push(Part { name: source.name, content });
        inputs.push(*source);
        places.extend(own.iter().map(|choice| choice.at));
    }
    let identity = merge::combine_identities(&inputs, options.os, None, notes)?;
    let name = install_name(&parts, options);
    let frame = Frame { identity, dialect: host.dialect(), is_dynamic: false, name };
    let (mut output, archives) = merge::unite(&frame, parts, notes)?;
    let own_archives = archives.first().map_or(&[][..], Vec::as_slice);
    order::restore(&mut output, host, order::Places { places: &places, kept }, own_archives);
    Ok(output)
}

/// NAME of the dynamic header: the library keeps its own. If it has none and gets a header
/// with a function, that says the name of the output.
fn install_name<'o>(parts: &[Part<'_, '_>], options: &'o ReplaceOptions) -> InstallName<'o> {
    let name = |part: &Part<'_, '_>| {
        let header = part.content.extension.as_ref()?.dynamic_header()?;
        header.payload(FourCc::NAME).map(<[u8]>::to_vec)
    };
    let file = options.output_name.as_deref();
    let own = parts.first().and_then(name);
    let coming_in = || parts.iter().find_map(name).map(|other| file.map_or(other, terminated));
    InstallName { wanted: own.or_else(coming_in), file }
}
