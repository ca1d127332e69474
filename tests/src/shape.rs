//! What libraries hold apart from positions, to compare them in any order.

use metallib::{
    BufferEntry, BufferList, ExtensionTag, ExtensionValue, FourCc, Function, Library, Module,
    Section, SymbolList, TagList,
};

/// Tags whose payloads are positions and hashes.
const COMPUTED: [FourCc; 5] =
    [FourCc::HASH, FourCc::OFFT, FourCc::MDSZ, FourCc::SOFF, FourCc::RFLT];

type Tags = Vec<(FourCc, Vec<u8>)>;

/// What belongs to one function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionShape {
    /// Its name, without NUL.
    pub name: Vec<u8>,
    /// Tags of the function list without positions and HASH, sorted by id.
    pub tags: Tags,
    /// Both metadata groups.
    pub metadata: [Tags; 2],
    /// The module.
    pub module: Option<Vec<u8>>,
    /// The reflection entry.
    pub reflection: Option<Tags>,
    /// Data of the source archive.
    pub archive: Option<Vec<u8>>,
}

/// What a library holds, in no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Header and dialect.
    pub identity: String,
    /// The functions, sorted.
    pub functions: Vec<FunctionShape>,
    /// The source archives, sorted.
    pub archives: Vec<Tags>,
    /// The reflection entries, sorted.
    pub reflection: Vec<Tags>,
    /// All else of the header extension but the UUID, sorted.
    pub extension: Vec<(FourCc, Vec<Tags>)>,
}

/// What belongs to a function.
#[must_use]
pub fn of_function(library: &Library<'_>, function: &Function<'_>) -> FunctionShape {
    let mut tags = plain(&function.tags);
    tags.retain(|(id, _)| !COMPUTED.contains(id));
    tags.sort();
    let entries = library.reflection().map_or(&[][..], BufferList::entries);
    let archives = library.sources().map_or(&[][..], |sources| &sources.archives);
    let entry = function.reflection.and_then(|id| entries.get(id.index()));
    let archive = function.archive.and_then(|id| archives.get(id.index()));
    FunctionShape {
        name: function.name_bytes().to_vec(),
        tags,
        metadata: [plain(&function.public), plain(&function.private)],
        module: library.module_of(function).map(Module::bytes).map(<[u8]>::to_vec),
        reflection: entry.map(of_entry),
        archive: archive.map(|archive| archive.data().to_vec()),
    }
}

/// What a library holds.
#[must_use]
pub fn of(library: &Library<'_>) -> Shape {
    let all = library.functions().iter();
    let entries = library.reflection().map_or(&[][..], BufferList::entries);
    let archives = library.sources().map_or(&[][..], |sources| &sources.archives);
    let tags = library.extension().into_iter().flat_map(|extension| &extension.tags);
    let others = tags.filter(|tag| tag.id != FourCc::UUID);
    Shape {
        identity: format!("{:?} {}", library.identity(), library.dialect()),
        functions: sorted(all.map(|function| of_function(library, function))),
        archives: sorted(archives.iter().map(|archive| plain(&archive.tags))),
        reflection: sorted(entries.iter().map(of_entry)),
        extension: sorted(others.map(|tag| (tag.id, of_tag(tag)))),
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}

fn plain(tags: &TagList<'_>) -> Tags {
    tags.iter().map(|tag| (tag.id, tag.payload.to_vec())).collect()
}

fn of_entry(entry: &BufferEntry<'_>) -> Tags {
    entry.tags.iter().map(|tag| (tag.id, entry.content(&tag).to_vec())).collect()
}

/// Content of a tag of the extension; that of lists which [`Shape`] has apart is left out.
fn of_tag(tag: &ExtensionTag<'_>) -> Vec<Tags> {
    let one = |bytes: &[u8]| vec![vec![(tag.id, bytes.to_vec())]];
    match &tag.value {
        ExtensionValue::Absent => Vec::new(),
        ExtensionValue::Data(bytes) | ExtensionValue::Section(Section::Opaque(bytes)) => one(bytes),
        ExtensionValue::Section(section) => match section {
            Section::Sources(sources) => one(&sources.link_options),
            Section::Dynamic(tags) => vec![plain(tags)],
            Section::Symbols(list) => SymbolList::symbols(list).iter().map(plain).collect(),
            _ => Vec::new(),
        },
    }
}
