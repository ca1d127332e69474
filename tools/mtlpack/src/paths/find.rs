//! Finds the paths in a library.

use air_bitcode::Module;
use metallib::{
    BufferEntry, ExtensionTag, ExtensionValue, FourCc, Library, Section, Sources, TagList,
};

use super::text::{self, Form, may_hold, spans};
use super::untyped::{in_bytes, in_envelope, in_function, in_section};
use super::{HOLDING, PathOccurrence, form_of, use_name};
use crate::archive::{Budget, Header, field};
use crate::error::{Error, Result};
use crate::io::Input;
use crate::modules::{self, Users};

/// What a text is part of.
#[derive(Clone, Copy)]
pub(super) struct At<'p> {
    pub(super) place: &'p str,
    pub(super) function: Option<usize>,
    pub(super) archive: Option<usize>,
    /// Where the text begins, or the archive that it is packed in.
    pub(super) offset: u64,
    /// Whether the text stands in the file as it is, though it belongs to an archive.
    pub(super) is_inside: bool,
}

impl<'p> At<'p> {
    pub(super) const fn new(place: &'p str, offset: u64) -> Self {
        Self { place, function: None, archive: None, offset, is_inside: false }
    }
}

/// Gives the paths in a text.
pub(super) fn look(text: &[u8], form: Form, at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    if form != Form::Member && !may_hold(text) {
        return;
    }
    for span in spans(text, form) {
        let Some(path) = text.get(span.start..span.range.end) else { continue };
        let is_packed = at.archive.is_some() && !at.is_inside;
        let inside = if is_packed { 0 } else { span.start as u64 };
        each(PathOccurrence {
            path: path.to_vec(),
            user: text::user(path).map(<[u8]>::to_vec),
            place: at.place.to_owned(),
            function: at.function,
            archive: at.archive,
            offset: at.offset + inside,
        });
    }
}

/// Finds absolute paths, and paths through the homes of users, in all places of a library.
///
/// In tags and sections that are not known what is printable is looked through.
///
/// `each` gets them in the order of functions, sections and modules. Of modules only metadata
/// and their own records are read, on as many threads as `threads` says.
///
/// # Errors
/// If a module or a source archive cannot be read, or the input was changed since it was opened;
/// what was found before is given.
pub fn paths(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    mut each: impl FnMut(PathOccurrence),
) -> Result<()> {
    for (index, function) in library.functions().iter().enumerate() {
        let at = |place, offset| At { function: Some(index), ..At::new(place, offset) };
        for tag in [&function.public, &function.private].into_iter().flat_map(TagList::iter) {
            match tag.id {
                FourCc::DEBI => {
                    let (start, path) = debug_path(tag.payload);
                    look(path, Form::File, at("tag DEBI", tag.offset + start), &mut each);
                }
                FourCc::DEPF => {
                    look(until_nul(tag.payload), Form::File, at("tag DEPF", tag.offset), &mut each);
                }
                _ => {}
            }
        }
        in_function(index, function, &mut each);
    }
    for tag in library.extension().into_iter().flat_map(|extension| &extension.tags) {
        section(input, tag, &mut each)?;
        in_section(tag, &mut each);
    }
    in_modules(input, library, threads, each)
}

/// The path of a payload of DEBI, and where it begins: behind the line.
pub(crate) fn debug_path(payload: &[u8]) -> (u64, &[u8]) {
    (4, until_nul(payload.get(4..).unwrap_or_default()))
}

fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or_default()
}

fn section(
    input: &Input,
    tag: &ExtensionTag<'_>,
    each: &mut impl FnMut(PathOccurrence),
) -> Result<()> {
    match &tag.value {
        ExtensionValue::Section(Section::Sources(found)) => {
            return sources(input, tag.id, found, each);
        }
        ExtensionValue::Section(Section::Dynamic(tags)) => {
            for tag in tags.iter().filter(|tag| matches!(tag.id, FourCc::NAME | FourCc::DYNL)) {
                let place = format!("section HDYN: {}", tag.id);
                look(until_nul(tag.payload), Form::File, At::new(&place, tag.offset), each);
            }
        }
        ExtensionValue::Section(Section::Buffers(list)) if tag.id == FourCc::RLST => {
            for entry in list.entries() {
                let offset = entry.tags.offset();
                let place = "section RLST: reflection";
                reflection_strings(entry, |text| {
                    look(text, Form::Text, At::new(place, offset), each);
                });
            }
        }
        _ => {}
    }
    Ok(())
}

/// Gives the strings of a reflection entry that may hold paths. They are found by their form
/// (length, text, NUL, at a multiple of 4), for not all tables are known.
pub(crate) fn reflection_strings(entry: &BufferEntry<'_>, mut each: impl FnMut(&[u8])) {
    let Some(buffer) = entry.buffer().filter(|buffer| may_hold(buffer)) else { return };
    for start in (0..buffer.len()).step_by(4) {
        let Some((length, rest)) =
            buffer.get(start..).and_then(|rest| rest.split_first_chunk::<4>())
        else {
            return;
        };
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let text = rest.split_at_checked(length).filter(|(_, end)| end.first() == Some(&0));
        if let Some((text, _)) = text.filter(|(text, _)| length > 1 && !text.contains(&0)) {
            each(text);
        }
    }
}

fn sources(
    input: &Input,
    id: FourCc,
    found: &Sources<'_>,
    each: &mut impl FnMut(PathOccurrence),
) -> Result<()> {
    let offset = |text: &[u8]| input.offset_of(text).unwrap_or(0);
    let place = format!("section {id}: link options");
    look(&found.link_options, Form::Command, At::new(&place, offset(&found.link_options)), each);
    if let Some(folder) = &found.working_dir {
        let place = format!("section {id}: working directory");
        look(folder, Form::Folder, At::new(&place, offset(folder)), each);
    }
    let mut budget = Budget::default();
    for (index, archive) in found.archives.iter().enumerate() {
        let offset = archive.tags.get(FourCc::SARC).map_or(0, |tag| tag.offset);
        let unpacked = budget.unpack(archive.data()).map_err(|error| {
            let id = String::from_utf8_lossy(archive.id()).into_owned();
            Error::refused(format!(
                "{}: source archive {index} (`{id}`, offset {offset:#x}) cannot be read: {error}",
                input.name()
            ))
        })?;
        for member in unpacked.members() {
            let name = member.header.name();
            let owner = At::new("source archive: owner of a file", offset);
            owners(&member.header, At { archive: Some(index), ..owner }, each);
            let mut look = |text: &[u8], form, place: &str| {
                look(text, form, At { archive: Some(index), ..At::new(place, offset) }, each);
            };
            look(&name, Form::Member, "source archive: name of a file");
            look(member.header.link_name(), Form::Member, "source archive: link");
            if let Some(form) = content_form(&name) {
                let place = format!("source archive: {}", String::from_utf8_lossy(&name));
                look(member.content, form, &place);
            }
        }
    }
    Ok(())
}

/// Gives names and numbers of a file's owner and group: no paths, but they tell who built it.
fn owners(header: &Header<'_>, at: At<'_>, each: &mut impl FnMut(PathOccurrence)) {
    let number = |field, what| {
        let text = header.owner_number(field)?.escape_ascii().to_string();
        Some(format!("{what} {text}").into_bytes())
    };
    let numbers = [number(field::USER_ID, "user"), number(field::GROUP_ID, "group")];
    let texts = [header.user().to_vec(), header.group().to_vec()];
    let texts = texts.into_iter().filter(|name| !name.is_empty());
    for name in texts.chain(numbers.into_iter().flatten()) {
        each(PathOccurrence {
            user: (name == header.user()).then(|| name.clone()),
            path: name,
            place: at.place.to_owned(),
            function: at.function,
            archive: at.archive,
            offset: at.offset,
        });
    }
}

/// How the content of a member is to be read; nothing if it is a source.
pub(crate) fn content_form(name: &[u8]) -> Option<Form> {
    match name {
        b"metal-options.txt" => Some(Form::Command),
        b"metal-working-dir.txt" => Some(Form::Folder),
        b"original-input-filename.txt" => Some(Form::Member),
        _ => None,
    }
}

/// What a batch of modules gives.
#[derive(Default)]
struct Batch {
    found: Vec<PathOccurrence>,
    unread: Vec<(usize, String)>,
}

fn in_modules(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    mut each: impl FnMut(PathOccurrence),
) -> Result<()> {
    let users = Users::new(library);
    let read = |batch: &mut Batch, index: usize, bytes: &[u8]| {
        let found = module_paths(bytes, |mut found| {
            let start = library.modules().get(index).map_or(0, metallib::Module::offset);
            found.offset += start;
            found.function = users.of(Some(index)).first().map(|(_, function)| *function);
            batch.found.push(found);
        });
        if let Err(error) = found {
            batch.unread.push((index, error.to_string()));
        }
    };
    let mut unread = Vec::new();
    modules::fold(input, library, threads, read, |mut batch: Batch| {
        batch.found.into_iter().for_each(&mut each);
        unread.append(&mut batch.unread);
        Ok(())
    })?;
    let Some((first, error)) = unread.first() else { return Ok(()) };
    let (count, all) = (unread.len(), library.modules().len());
    let place = modules::place(library, &users, *first);
    Err(Error::refused(format!(
        "{}: {count} of {all} modules cannot be read: {place}: {error}",
        input.name()
    )))
}

/// Finds the paths in a module alone, such as an `.air` file; offsets are from its first byte.
///
/// # Errors
/// If the module's own records or its metadata cannot be read.
pub fn module_paths(bytes: &[u8], mut each: impl FnMut(PathOccurrence)) -> air_bitcode::Result<()> {
    let module = Module::parse(bytes)?;
    for found in module.texts(HOLDING)? {
        let place = format!("module: {}", use_name(&found));
        look(&found.bytes, form_of(&found), At::new(&place, found.offset), &mut each);
    }
    in_what_is_carried(&module, bytes, &mut each)
}

/// Finds the paths in a module that no edit rewrites: in names, attributes, assembly, and beside
/// the bitcode.
pub(crate) fn in_what_is_carried(
    module: &Module<'_>,
    bytes: &[u8],
    each: &mut impl FnMut(PathOccurrence),
) -> air_bitcode::Result<()> {
    for found in module.carried_texts(HOLDING)? {
        let place = format!("module: {}", found.what);
        in_bytes(&found.bytes, At::new(&place, found.offset), each);
    }
    in_envelope(bytes, each)
}
