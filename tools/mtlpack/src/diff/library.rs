//! Header, extension, sources and lists behind the bitcode.

use std::collections::HashSet;

use metallib::{
    BufferList, ExtensionTag, ExtensionValue, FourCc, Function, Library, Section, Sources,
    SymbolList,
};

use super::FieldChange;
use super::eyes::Eyes;
use super::fields::{self, Field, digest};
use crate::archive::Budget;
use crate::paths::Form;
use crate::text::{hex, lossy};
use crate::uuid;

pub(super) fn compare(a: &Library<'_>, b: &Library<'_>, eyes: &Eyes) -> Vec<FieldChange> {
    let mut changes = fields::compare(header(a), header(b));
    let bytes =
        |library: &Library<'_>| library.source_bytes().and_then(|bytes| bytes.get(4..16)).map(hex);
    if changes.is_empty() && bytes(a) != bytes(b) {
        // No name is known for what differs.
        let (field, old, new) = ("header bytes 4 to 15".to_owned(), bytes(a), bytes(b));
        changes.push(FieldChange { field, old, new });
    }
    changes.extend(fields::compare(extension(a, eyes), extension(b, eyes)));
    changes
}

fn header(library: &Library<'_>) -> Vec<Field> {
    let identity = library.identity();
    let stub = if identity.is_stub() { " (stub)" } else { "" };
    let platform = identity.platform().map_or_else(|| "none".to_owned(), |p| p.to_string());
    let fields = [
        ("container", identity.container.to_string()),
        ("dialect", library.dialect().to_string()),
        ("kind", format!("{}{stub}", identity.file_type())),
        ("macOS flag", identity.is_mac().to_string()),
        ("platform", platform),
        ("minimum OS", identity.os.to_string()),
    ];
    fields.map(|(name, value)| (name.to_owned(), value)).into()
}

fn extension(library: &Library<'_>, eyes: &Eyes) -> Vec<Field> {
    let mut found = Vec::new();
    for tag in library.extension().into_iter().flat_map(|extension| &extension.tags) {
        let id = tag.id;
        let Some(value) = seen(tag, eyes) else { continue };
        let mut add = |name: String, value: String| found.push((name, value));
        match value {
            ExtensionValue::Absent => add(id.to_string(), "a section of no bytes".to_owned()),
            ExtensionValue::Data(data) => add(id.to_string(), data_text(id, data)),
            ExtensionValue::Section(Section::Dynamic(tags)) => {
                for tag in tags.iter() {
                    let name = match tag.id {
                        FourCc::NAME => "install name".to_owned(),
                        FourCc::DYNL => "linked library".to_owned(),
                        other => format!("{id} {other}"),
                    };
                    add(name, lossy(tag.payload));
                }
            }
            ExtensionValue::Section(Section::Sources(list)) => sources(id, list, eyes, &mut found),
            ExtensionValue::Section(Section::Symbols(list)) => symbols(id, list, &mut found),
            ExtensionValue::Section(Section::Buffers(list)) => {
                found.extend(buffers(library, id, list));
            }
            ExtensionValue::Section(Section::Opaque(bytes)) => add(id.to_string(), digest(bytes)),
        }
    }
    found
}

/// The value of a tag of the extension, if it is not passed over.
pub(super) fn seen<'t, 'a>(
    tag: &'t ExtensionTag<'a>,
    eyes: &Eyes,
) -> Option<&'t ExtensionValue<'a>> {
    let is_seen = match tag.id {
        FourCc::UUID => !eyes.ignored.uuid,
        FourCc::HSRC | FourCc::HSRD => !eyes.ignored.sources,
        _ => true,
    };
    is_seen.then_some(&tag.value)
}

fn data_text(id: FourCc, data: &[u8]) -> String {
    match <[u8; 16]>::try_from(data) {
        Ok(uuid) if id == FourCc::UUID => uuid::format(&uuid),
        _ if data.len() <= 64 => hex(data),
        _ => digest(data),
    }
}

fn sources(id: FourCc, list: &Sources<'_>, eyes: &Eyes, found: &mut Vec<Field>) {
    let options = eyes.text(&list.link_options, Form::Command);
    found.push((format!("{id} link options"), lossy(&options)));
    if let Some(folder) = &list.working_dir {
        let folder = eyes.text(folder, Form::Folder);
        found.push((format!("{id} working directory"), lossy(&folder)));
    }
    let mut budget = Budget::default();
    for (index, archive) in list.archives.iter().enumerate() {
        let name = format!("{id} archive {index} `{}`", String::from_utf8_lossy(archive.id()));
        found.push((name, digest(&eyes.archive(index, archive, &mut budget))));
    }
}

fn symbols(id: FourCc, list: &SymbolList<'_>, found: &mut Vec<Field>) {
    for (name, tags) in list.names().zip(list.symbols()) {
        let name = format!("{id} {}", String::from_utf8_lossy(name));
        let is_plain = tags.iter().all(|tag| tag.id == FourCc::NAME);
        let value = if is_plain { "listed".to_owned() } else { digest(tags.as_bytes()) };
        found.push((name, value));
    }
}

/// Of reflection what no function refers to; of other lists all.
fn buffers(library: &Library<'_>, id: FourCc, list: &BufferList<'_>) -> Option<Field> {
    let used: HashSet<usize> = match id {
        FourCc::RLST => {
            let ids = library.functions().iter().filter_map(|function: &Function<'_>| {
                function.reflection.map(metallib::BufferId::index)
            });
            ids.collect()
        }
        _ => HashSet::new(),
    };
    let mut bytes = Vec::new();
    let mut count = 0_u64;
    for (_, entry) in list.entries().iter().enumerate().filter(|(index, _)| !used.contains(index)) {
        count += 1;
        for tag in entry.tags.iter() {
            bytes.extend(tag.id.to_string().bytes());
            bytes.extend(metallib_write::module_hash(&entry.content(&tag)));
        }
    }
    let what = if id == FourCc::RLST { " entries without a function" } else { "" };
    (count > 0).then(|| (format!("{id}{what}"), format!("{count}: {}", digest(&bytes))))
}
