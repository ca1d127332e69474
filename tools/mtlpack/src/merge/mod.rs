//! Merging several libraries into one: order kept, nothing dropped silently.

mod archives;
mod difference;
mod duplicates;
mod extension;
mod functions;
mod identity;
mod renames;
mod union;

pub(crate) use difference::difference;
pub(crate) use identity::combine as combine_identities;
pub(crate) use renames::rename_part;

use metallib::{Container, Dialect, FourCc, Identity, Library, LibraryBuilder, Subset};
use metallib_write::{UuidAction, UuidForm, UuidStatus, uuid_status};

use archives::ArchiveMaps;

use crate::edited::{Edited, Named};
use crate::error::{Error, Result};

/// What to do with a function name that more than one input has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnDuplicate {
    /// Refuse, listing all clashes. The very same function twice is not a clash.
    #[default]
    Error,
    /// Keep the function of the first input that has it.
    First,
    /// Keep the function of the last input that has it.
    Last,
    /// Keep all, with this in front of the names of those that differ from the first. It
    /// serves one library for a name: a third function of it is a clash.
    Rename(Vec<u8>),
}

/// Which OS version the output says when the inputs differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OsChoice {
    /// The highest: the oldest system on which all functions can load.
    #[default]
    Highest,
    /// That of the first input that records one.
    First,
}

/// What becomes of embedded sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourcesChoice {
    /// The output has the archives of all inputs, equal ones once.
    #[default]
    Keep,
    /// The output has none.
    Drop,
}

/// How libraries are merged.
#[derive(Clone, Debug, Default)]
pub struct MergeOptions {
    /// What to do with a name that more than one input has.
    pub on_duplicate: OnDuplicate,
    /// Which OS version the output says.
    pub os: OsChoice,
    /// What becomes of embedded sources.
    pub sources: SourcesChoice,
    /// NAME of the dynamic header; else what all inputs agree on, else `output_name`.
    pub name: Option<String>,
    /// Base name of the output file.
    pub output_name: Option<String>,
    /// Whether a library without functions is a fine result.
    pub allow_empty: bool,
    /// Whether an irregular input may be laid out anew.
    pub new_layout: bool,
}

impl MergeOptions {
    /// Whether merging a single input with these options gives it back as it is.
    fn is_identity(&self) -> bool {
        self.sources == SourcesChoice::Keep && self.name.is_none()
    }
}

/// Merges libraries of one platform and kind, in the order of the inputs.
///
/// The output has the newest container and the first input's dialect; the other inputs
/// are converted. Merging one library gives that library.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use metallib::Library;
/// use mtlpack::{MergeOptions, Named, merge};
///
/// let bytes = include_bytes!("../../../../examples/vector_add.metallib");
/// let other = include_bytes!("../../../../examples/quad.metallib");
/// let (a, b) = (Library::parse(bytes)?, Library::parse(other)?);
/// let inputs = [Named { name: "a", library: &a }, Named { name: "b", library: &b }];
/// let merged = merge(&inputs, &MergeOptions::default())?;
/// assert_eq!(merged.library.functions().len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If there is no input or no input has a function, platforms or file types differ,
/// names clash, an input is irregular, or inputs hold what cannot be combined.
pub fn merge<'a>(inputs: &[Named<'_, 'a>], options: &MergeOptions) -> Result<Edited<'a>> {
    merge_as(inputs, options, None)
}

/// What [`merge`] does, with a container and a dialect that are known before; no input may have
/// a newer container.
pub(crate) fn merge_as<'a>(
    inputs: &[Named<'_, 'a>],
    options: &MergeOptions,
    form: Option<Form>,
) -> Result<Edited<'a>> {
    let (first, rest) = inputs.split_first().ok_or_else(|| Error::refused("no input to merge"))?;
    let mut notes = Vec::new();
    empty_inputs(inputs, options.allow_empty, &mut notes)?;
    let is_so = form.is_none_or(|form| form == Form::of(first.library));
    if rest.is_empty() && options.is_identity() && is_so {
        return Edited::nothing_to_change(*first, options.new_layout);
    }
    let container = form.map(|form| form.container);
    let identity = identity::combine(inputs, options.os, container, &mut notes)?;
    let chosen = duplicates::choose(inputs, &options.on_duplicate, &mut notes)?;
    let mut parts = Vec::with_capacity(inputs.len());
    for (index, (input, indices)) in inputs.iter().zip(&chosen.indices).enumerate() {
        let wrong = Error::library(input.name);
        let subset = Subset::new(input.library, options.new_layout);
        let mut part = subset.and_then(|subset| subset.of(indices)).map_err(wrong)?;
        if options.sources == SourcesChoice::Drop {
            crate::strip_source::remove_sources(&mut part);
        }
        let content = chosen.renames.apply(index, input.name, indices, part, &mut notes)?;
        parts.push(Part { name: input.name, content });
    }
    let frame = Frame {
        identity,
        dialect: form.map_or_else(|| dialect(inputs), |form| form.dialect),
        is_dynamic: inputs.iter().any(|input| input.library.is_dynamic()),
        name: InstallName {
            wanted: options.name.as_ref().map(|name| terminated(name)),
            file: options.output_name.as_deref(),
        },
    };
    let (output, _) = unite(&frame, parts, &mut notes)?;
    let renamed = !chosen.renames.is_empty();
    let uuid = uuid_action(inputs, &output, renamed, &mut notes)?;
    let library = output.finish().map_err(Error::library("output"))?;
    Ok(Edited { library, uuid, notes, renames: chosen.renames.list(inputs) })
}

/// Container and dialect of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) container: Container,
    pub(crate) dialect: Dialect,
}

impl Form {
    fn of(library: &Library<'_>) -> Self {
        Self { container: library.identity().container, dialect: library.dialect() }
    }
}

/// Names the inputs without functions; refuses to make a library of nothing else.
fn empty_inputs(inputs: &[Named<'_, '_>], allowed: bool, notes: &mut Vec<String>) -> Result<()> {
    let is_empty = |input: &&Named<'_, '_>| input.library.functions().is_empty();
    let empty: Vec<_> = inputs.iter().filter(is_empty).collect();
    if empty.len() == inputs.len() && !allowed {
        let what = "no input has a function; to make an empty library use --allow-empty";
        return Err(Error::NoMatch { what: what.to_owned() });
    }
    notes.extend(empty.iter().map(|input| format!("{} has no functions", input.name)));
    Ok(())
}

/// One input, reduced to the functions that go into the output.
pub(crate) struct Part<'n, 'a> {
    pub(crate) name: &'n str,
    pub(crate) content: LibraryBuilder<'a>,
}

/// What holds for a united library as a whole.
pub(crate) struct Frame<'o> {
    pub(crate) identity: Identity,
    pub(crate) dialect: Dialect,
    /// Whether it is a dynamic library, where equal modules are stored once.
    pub(crate) is_dynamic: bool,
    pub(crate) name: InstallName<'o>,
}

/// NAME of the dynamic header.
pub(crate) struct InstallName<'o> {
    /// The payload that was asked for; else what all parts agree on.
    pub(crate) wanted: Option<Vec<u8>>,
    /// The output's file name, where parts do not agree or none has a name.
    pub(crate) file: Option<&'o str>,
}

/// A string with its NUL.
pub(crate) fn terminated(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// Unites parts, one behind the other; gives also where the archives of each went.
pub(crate) fn unite<'a>(
    frame: &Frame<'_>,
    parts: Vec<Part<'_, 'a>>,
    notes: &mut Vec<String>,
) -> Result<(LibraryBuilder<'a>, ArchiveMaps)> {
    let mut output = LibraryBuilder {
        identity: frame.identity,
        dialect: frame.dialect,
        functions: Vec::new(),
        modules: Vec::new(),
        extension: None,
    };
    let archives = extension::combine(&mut output, &parts, &frame.name, notes)?;
    functions::combine(&mut output, parts, &archives, frame.is_dynamic)
        .map_err(Error::library("output"))?;
    Ok((output, archives))
}

/// The dialect of the first input that shows one: empty libraries do not.
fn dialect(inputs: &[Named<'_, '_>]) -> Dialect {
    let shows = |input: &&Named<'_, '_>| !input.library.functions().is_empty();
    inputs
        .iter()
        .find(shows)
        .or(inputs.first())
        .map_or(Dialect::Archiver, |input| input.library.dialect())
}

/// What becomes of the UUID.
///
/// If all inputs carry the same one and it follows no formula (they are parts of one
/// stripped library), and no function is renamed, it is kept. Else it is computed anew.
fn uuid_action(
    inputs: &[Named<'_, '_>],
    output: &LibraryBuilder<'_>,
    renamed: bool,
    notes: &mut Vec<String>,
) -> Result<UuidAction> {
    let uuids: Vec<_> = inputs.iter().map(|input| input.library.uuid()).collect();
    let Some(first) = uuids.iter().flatten().next() else { return Ok(UuidAction::Keep) };
    let status = |library: &Library<'_>| uuid_status(library).map_err(Error::library("UUID"));
    let same = uuids.iter().all(|uuid| uuid.as_ref() == Some(first));
    let action = if same && !renamed {
        match inputs.first().map(|input| status(input.library)).transpose()? {
            Some(UuidStatus::Follows(form)) => UuidAction::Recompute(form),
            _ => UuidAction::Keep,
        }
    } else if output.identity.container.patch() > 6 {
        // Only tools of 2021 used the MD5 form, and containers up to 1.2.6.
        UuidAction::Recompute(UuidForm::Sha256)
    } else {
        let statuses: Result<Vec<_>> = inputs.iter().map(|input| status(input.library)).collect();
        let md5 =
            statuses?.into_iter().filter_map(crate::edited::form_of).all(|f| f == UuidForm::Md5);
        let any = inputs.iter().any(|input| input.library.uuid().is_some());
        let form = if md5 && any { UuidForm::Md5 } else { UuidForm::Sha256 };
        UuidAction::Recompute(form)
    };
    notes.push(match action {
        UuidAction::Keep => "UUID kept: all inputs carry it, and it follows no formula".to_owned(),
        UuidAction::Recompute(form) => format!("UUID computed anew ({form} form)"),
    });
    Ok(action)
}

/// Tags whose payloads say where things lie, and so differ between equal functions.
const POSITIONS: [FourCc; 3] = [FourCc::OFFT, FourCc::SOFF, FourCc::RFLT];
