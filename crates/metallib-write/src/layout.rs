//! Where everything goes: sizes and offsets of the canonical layout.
//!
//! Header, function list, extension, public and private metadata, bitcode, then the
//! sections in the order of the extension's tags, without gaps.

use metallib::{
    BufferList, Extension, ExtensionTag, ExtensionValue, FourCc, HEADER_SIZE, Library, Offsets,
    Range64, Section, Sources, SymbolList,
};

/// Size of a group around tags of this many bytes: size word and `ENDT`.
pub(crate) const fn group_size(tags: usize) -> u64 {
    4 + tags as u64 + 4
}

/// Offsets and sizes of a library's parts in the output.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Function list; the size does not count the u32 count.
    pub functions: Range64,
    /// Header extension with `ENDT`; size 0 if there is none.
    pub extension: Range64,
    /// Public metadata.
    pub public: Range64,
    /// Private metadata.
    pub private: Range64,
    /// Bitcode section.
    pub bitcode: Range64,
    /// Range of each extension tag's section, by index; empty for tags without one.
    pub sections: Vec<Range64>,
    /// OFFT of each function.
    pub offsets: Vec<Offsets>,
    /// Offset of each SARC tag in the sources section.
    pub archives: Vec<u64>,
    /// Offset of each entry in the reflection list.
    pub buffers: Vec<u64>,
    /// Size of the whole library.
    pub file_size: u64,
}

impl Layout {
    /// Lays out a library.
    #[must_use]
    pub fn of(library: &Library<'_>) -> Self {
        Self::with_sizes(library, library.modules().iter().map(|m| m.bytes().len() as u64))
    }

    /// Lays out a library with modules of these sizes, tails not counted.
    pub(crate) fn with_sizes(library: &Library<'_>, sizes: impl Iterator<Item = u64>) -> Self {
        let mut layout = Self::default();
        let list = library.functions().iter().map(|f| group_size(f.tags.as_bytes().len()));
        layout.functions = Range64 { offset: HEADER_SIZE, size: list.sum() };
        let extension_size = library.extension().map_or(0, Extension::encoded_size);
        layout.extension = Range64 { offset: layout.functions.end() + 4, size: extension_size };
        let module_offsets = layout.module_offsets(library, sizes);
        layout.place_functions(library, &module_offsets);
        layout.public.offset = layout.extension.end();
        layout.private.offset = layout.public.end();
        layout.bitcode.offset = layout.private.end();
        let mut position = layout.bitcode.end();
        for tag in library.extension().into_iter().flat_map(|extension| &extension.tags) {
            let size = layout.section_size(tag, position);
            layout.sections.push(Range64 { offset: position, size });
            position += size;
        }
        layout.file_size = position;
        layout
    }

    /// Offset of each module in the bitcode section; sets its size.
    fn module_offsets(
        &mut self,
        library: &Library<'_>,
        sizes: impl Iterator<Item = u64>,
    ) -> Vec<u64> {
        let mut offsets = Vec::with_capacity(library.modules().len());
        for (module, size) in library.modules().iter().zip(sizes) {
            offsets.push(self.bitcode.size);
            self.bitcode.size += size + module.tail().len() as u64;
        }
        offsets
    }

    /// OFFT of each function; sets the sizes of the metadata sections.
    fn place_functions(&mut self, library: &Library<'_>, module_offsets: &[u64]) {
        for function in library.functions() {
            let Some(module) = function.module else {
                self.offsets.push(Offsets::default());
                continue;
            };
            self.offsets.push(Offsets {
                public: self.public.size,
                private: self.private.size,
                bitcode: module_offsets.get(module.index()).copied().unwrap_or_default(),
            });
            self.public.size += group_size(function.public.as_bytes().len());
            self.private.size += group_size(function.private.as_bytes().len());
        }
    }

    /// Size of a tag's section if it begins at `start`.
    fn section_size(&mut self, tag: &ExtensionTag<'_>, start: u64) -> u64 {
        let ExtensionValue::Section(section) = &tag.value else { return 0 };
        match section {
            Section::Sources(sources) => {
                let (size, archives) = sources_size(sources);
                // SOFF counts from the first of two such sections.
                if self.archives.is_empty() {
                    self.archives = archives;
                }
                size
            }
            Section::Dynamic(tags) => tags.as_bytes().len() as u64 + 4,
            Section::Symbols(list) => symbols_size(list),
            Section::Buffers(list) => {
                let (size, starts) = buffers_size(list, start);
                if tag.id == FourCc::RLST {
                    self.buffers = starts;
                }
                size
            }
            Section::Opaque(bytes) => bytes.len() as u64,
        }
    }
}

fn sources_size(sources: &Sources<'_>) -> (u64, Vec<u64>) {
    let dir = sources.working_dir.as_ref().map_or(0, |dir| dir.len() + 1);
    let mut size = (4 + sources.link_options.len() + 1 + dir) as u64;
    let mut archives = Vec::with_capacity(sources.archives.len());
    for archive in &sources.archives {
        archives.push(size + 4);
        size += group_size(archive.tags.as_bytes().len());
    }
    (size, archives)
}

fn symbols_size(list: &SymbolList<'_>) -> u64 {
    4 + list.symbols().iter().map(|tags| group_size(tags.as_bytes().len())).sum::<u64>()
}

fn buffers_size(list: &BufferList<'_>, start: u64) -> (u64, Vec<u64>) {
    let mut size = 4;
    let mut starts = Vec::with_capacity(list.entries().len());
    for entry in list.entries() {
        starts.push(size);
        size += entry.size_at(start + size);
    }
    (size, starts)
}
