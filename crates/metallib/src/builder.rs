//! Making a library from nothing, or from the parts of others.

use std::borrow::Cow;

use crate::buffers::{BufferEntry, BufferList};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{ArchiveId, BufferId, Function, ModuleId, Offsets};
use crate::header::{Container, FileType, Identity, OsVersion, Platform};
use crate::library::{Dialect, Library};
use crate::module::Module;
use crate::parse_extension::SECTIONS;
use crate::section::{Extension, ExtensionTag, ExtensionValue, Section};
use crate::sources::{Archive, Sources};
use crate::tags::TagList;
use crate::{FourCc, FunctionType, Versions};

/// What a new function consists of, for [`LibraryBuilder::add`].
///
/// ```
/// use metallib::{FunctionSpec, FunctionType, Version, Versions};
///
/// let versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };
/// let module = metallib::wrap(b"BC\xc0\xde").unwrap();
/// let spec = FunctionSpec::new("add", FunctionType::KERNEL, versions, module);
/// assert!(spec.reflection.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct FunctionSpec<'a> {
    /// Name, without NUL.
    pub name: String,
    /// What the function is for.
    pub function_type: FunctionType,
    /// AIR and language version of the module.
    pub versions: Versions,
    /// The whole module: wrapper, bitcode, padding (see [`wrap`](crate::wrap)).
    pub module: Cow<'a, [u8]>,
    /// Tags of the public metadata group.
    pub public: TagList<'a>,
    /// Tags of the private metadata group.
    pub private: TagList<'a>,
    /// Further tags of the function list, such as LAYR and TESS.
    pub extra: Vec<(FourCc, Vec<u8>)>,
    /// Reflection flatbuffer.
    pub reflection: Option<Cow<'a, [u8]>>,
    /// Source archive, added before with [`LibraryBuilder::add_archive`].
    pub archive: Option<ArchiveId>,
}

impl<'a> FunctionSpec<'a> {
    /// A function without metadata, reflection and sources.
    pub fn new(
        name: impl Into<String>,
        function_type: FunctionType,
        versions: Versions,
        module: impl Into<Cow<'a, [u8]>>,
    ) -> Self {
        Self {
            name: name.into(),
            function_type,
            versions,
            module: module.into(),
            public: TagList::new(),
            private: TagList::new(),
            extra: Vec::new(),
            reflection: None,
            archive: None,
        }
    }
}

/// Builds or edits a library. [`Library::edit`] gives one for an existing library.
///
/// ```
/// use metallib::{Container, Dialect, FileType, FunctionSpec, FunctionType, LibraryBuilder};
/// use metallib::{OsVersion, Platform, Version, Versions};
///
/// let os = OsVersion { major: 14, minor: 0, update: 0 };
/// let mut builder = LibraryBuilder::new(
///     Dialect::Linker, Container::new(7), Platform::MACOS, os, FileType::Executable,
/// );
/// let versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };
/// let module = metallib::wrap(b"BC\xc0\xde").unwrap();
/// builder.add(FunctionSpec::new("add", FunctionType::KERNEL, versions, module))?;
/// let library = builder.finish()?;
/// assert_eq!(library.functions().len(), 1);
/// # Ok::<(), metallib::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LibraryBuilder<'a> {
    /// Container version, kind, platform and OS.
    pub identity: Identity,
    /// Writer's conventions for metadata sizes and tag order.
    pub dialect: Dialect,
    /// Entries of the function list, in order.
    pub functions: Vec<Function<'a>>,
    /// Modules, in order.
    pub modules: Vec<Module<'a>>,
    /// Header extension with its sections.
    pub extension: Option<Extension<'a>>,
}

impl<'a> Library<'a> {
    /// Opens the library for editing.
    ///
    /// # Errors
    /// If the library is irregular and `new_layout` is false: an edit lays all parts
    /// out anew, which would change more than the edit; if its extension names a section
    /// twice.
    pub fn edit(self, new_layout: bool) -> Result<LibraryBuilder<'a>> {
        self.check_editable(new_layout)?;
        let Self { identity, dialect, functions, modules, extension, .. } = self;
        Ok(LibraryBuilder { identity, dialect, functions, modules, extension })
    }

    /// What [`edit`](Self::edit) checks, for those who make a new library of parts.
    ///
    /// # Errors
    /// As [`edit`](Self::edit).
    pub fn check_editable(&self, new_layout: bool) -> Result<()> {
        self.check_repeated_sections()?;
        let irregular = self.irregularities();
        match irregular.iter().next() {
            Some(first) if !new_layout => {
                let kind =
                    ErrorKind::Irregular { count: irregular.count(), first: first.what.clone() };
                Err(Error::new(kind, first.offset))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a second tag for a section that another tag names already: it is carried
    /// as it is, and would point at other bytes once something moved.
    fn check_repeated_sections(&self) -> Result<()> {
        let mut tags = self.extension.iter().flat_map(|extension| &extension.tags);
        let is_section = |tag: &&ExtensionTag<'_>| {
            matches!(tag.value, ExtensionValue::Data(_)) && SECTIONS.contains(&tag.id)
        };
        match tags.find(is_section) {
            Some(tag) => {
                let what = format!(
                    "tag {} of the header extension stands twice; where the second one points \
                     is not followed, so editing such a library is not supported",
                    tag.id
                );
                Err(Error::new(ErrorKind::Value { what }, tag.offset))
            }
            None => Ok(()),
        }
    }
}

impl<'a> LibraryBuilder<'a> {
    /// A library without functions.
    ///
    /// From container 1.2.3 on it has a header extension; in the linker dialect that
    /// holds a UUID, which the writer computes.
    #[must_use]
    pub fn new(
        dialect: Dialect,
        container: Container,
        platform: Platform,
        os: OsVersion,
        kind: FileType,
    ) -> Self {
        let mut extension = container.has_extension().then(Extension::default);
        if let (Dialect::Linker, Some(extension)) = (dialect, &mut extension) {
            extension.set(ExtensionTag::data(FourCc::UUID, vec![0; 16]));
        }
        let identity = Identity::new(container, platform, os, kind);
        Self { identity, dialect, functions: Vec::new(), modules: Vec::new(), extension }
    }

    /// Adds a function with a module of its own.
    ///
    /// # Errors
    /// If a name, tag or list is too large for the format, or the container has no
    /// room for what the function brings (reflection before 1.2.7).
    pub fn add(&mut self, spec: FunctionSpec<'a>) -> Result<()> {
        let module = self.add_module(Module::new(spec.module.clone()))?;
        self.add_sharing(spec, module)
    }

    /// Adds a function whose module is there already, as dynamic libraries have it.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_sharing(&mut self, spec: FunctionSpec<'a>, module: ModuleId) -> Result<()> {
        let mut tags = TagList::new();
        let mut name = spec.name.into_bytes();
        name.push(0);
        tags.push(FourCc::NAME, &name)?;
        tags.push(FourCc::TYPE, &[spec.function_type.code()])?;
        tags.push(FourCc::HASH, &[0; 32])?;
        tags.push(FourCc::OFFT, &Offsets::default().bytes())?;
        tags.push(FourCc::VERS, &spec.versions.bytes())?;
        // The archiver leaves MDSZ out for AIR 1.8 and older.
        if self.dialect == Dialect::Linker || spec.versions.air > crate::Version::new(1, 8) {
            tags.push(FourCc::MDSZ, &[0; 8])?;
        }
        for (id, payload) in &spec.extra {
            tags.push(*id, payload)?;
        }
        if spec.archive.is_some() {
            tags.push(FourCc::SOFF, &[0; 8])?;
        }
        let reflection = match &spec.reflection {
            Some(buffer) => {
                tags.push(FourCc::RFLT, &[0; 8])?;
                Some(self.add_buffer(FourCc::RLST, BufferEntry::new(FourCc::RBUF, buffer)?)?)
            }
            None => None,
        };
        tags.reorder(self.dialect.function_tag_order());
        self.functions.push(Function {
            tags,
            public: spec.public,
            private: spec.private,
            module: Some(module),
            archive: spec.archive,
            reflection,
        });
        Ok(())
    }

    /// Adds a module; functions refer to it by the id.
    ///
    /// # Errors
    /// If there are 2^32 modules.
    pub fn add_module(&mut self, module: Module<'a>) -> Result<ModuleId> {
        self.modules.push(module);
        index(self.modules.len()).map(ModuleId)
    }

    /// Adds an entry to list RLST or SLST, which is made if it is not there.
    ///
    /// # Errors
    /// If the container has no such list (before 1.2.7).
    pub fn add_buffer(&mut self, list: FourCc, entry: BufferEntry<'a>) -> Result<BufferId> {
        if !self.identity.container.has_reflection() {
            return Err(self.no_room(format!("section {list}"), "1.2.7"));
        }
        let buffers = self.section_mut(list, || Section::Buffers(BufferList::default()))?;
        let Section::Buffers(buffers) = buffers else {
            return Err(mixed_up(list));
        };
        buffers.push(entry);
        index(buffers.entries().len()).map(BufferId)
    }

    /// Adds a source archive to section HSRC or HSRD, which is made if it is not there.
    ///
    /// # Errors
    /// If the container has no header extension (before 1.2.3).
    pub fn add_archive(&mut self, archive: Archive<'a>) -> Result<ArchiveId> {
        let sources = self.sources_mut()?;
        sources.archives.push(archive);
        index(sources.archives.len()).map(ArchiveId)
    }

    /// The embedded sources, made if they are not there.
    ///
    /// # Errors
    /// If the container has no header extension (before 1.2.3).
    pub fn sources_mut(&mut self) -> Result<&mut Sources<'a>> {
        let with_dir = self.identity.container.has_platform();
        let id = if with_dir { FourCc::HSRD } else { FourCc::HSRC };
        let empty = || Sources::new(Cow::Borrowed(&[]), with_dir.then(Cow::default));
        match self.section_mut(id, || Section::Sources(empty()))? {
            Section::Sources(sources) => Ok(sources),
            _ => Err(mixed_up(id)),
        }
    }

    /// Sets the dynamic header's NAME (the install name) and DYNL tags.
    ///
    /// # Errors
    /// If the container has no header extension (before 1.2.3).
    pub fn set_dynamic_header(&mut self, tags: TagList<'a>) -> Result<()> {
        self.extension_mut()?.set(ExtensionTag::section(FourCc::HDYN, Section::Dynamic(tags)));
        Ok(())
    }

    /// The header extension.
    ///
    /// # Errors
    /// If the container has none (before 1.2.3).
    pub fn extension_mut(&mut self) -> Result<&mut Extension<'a>> {
        if self.extension.is_none() && !self.identity.container.has_extension() {
            return Err(self.no_room("a header extension".to_owned(), "1.2.3"));
        }
        Ok(self.extension.get_or_insert_with(Extension::default))
    }

    /// The section of this name, made if it is not there.
    fn section_mut(
        &mut self,
        id: FourCc,
        make: impl FnOnce() -> Section<'a>,
    ) -> Result<&mut Section<'a>> {
        let extension = self.extension_mut()?;
        if extension.get(id).is_none_or(|tag| matches!(tag.value, ExtensionValue::Absent)) {
            extension.set(ExtensionTag::section(id, make()));
        }
        let found = extension.tags.iter_mut().find(|tag| tag.id == id);
        match found.map(|tag| &mut tag.value) {
            Some(ExtensionValue::Section(section)) => Ok(section),
            _ => Err(mixed_up(id)),
        }
    }

    fn no_room(&self, what: String, since: &str) -> Error {
        let what = format!(
            "{what} needs container {since} or later, this library is {}",
            self.identity.container
        );
        Error::new(ErrorKind::Value { what }, 0)
    }

    /// Checks the references and makes the library, with its modules in the order in
    /// which the functions first use them.
    ///
    /// # Errors
    /// If a function refers to a module, archive or buffer that is not there, or there is
    /// a module that no function uses.
    pub fn finish(mut self) -> Result<Library<'a>> {
        self.check_references()?;
        self.order_modules()?;
        let Self { identity, dialect, functions, modules, extension } = self;
        Ok(Library { source: None, identity, dialect, functions, modules, extension })
    }

    fn check_references(&self) -> Result<()> {
        let extension = self.extension.as_ref();
        let archives = extension.and_then(Extension::sources).map_or(0, |s| s.archives.len());
        let reflection = extension.and_then(|extension| extension.buffers(FourCc::RLST));
        let buffers = reflection.map_or(0, |list| list.entries().len());
        for (index, function) in self.functions.iter().enumerate() {
            let wrong = [
                ("module", function.module.map(ModuleId::index), self.modules.len()),
                ("source archive", function.archive.map(ArchiveId::index), archives),
                ("reflection entry", function.reflection.map(BufferId::index), buffers),
            ]
            .into_iter()
            .find(|(_, id, count)| id.is_some_and(|id| id >= *count));
            if let Some((what, Some(id), count)) = wrong {
                let what = format!("{what} {id} does not exist, there are {count}");
                let error = Error::new(ErrorKind::Value { what }, 0);
                return Err(error.within(function.place(index)));
            }
        }
        Ok(())
    }

    /// Brings the modules into the order of their first use.
    fn order_modules(&mut self) -> Result<()> {
        let mut new_ids = vec![None; self.modules.len()];
        let mut order = Vec::with_capacity(self.modules.len());
        for function in &mut self.functions {
            let Some(old) = function.module.map(ModuleId::index) else { continue };
            let Some(slot) = new_ids.get_mut(old) else { continue };
            function.module = Some(match *slot {
                Some(id) => id,
                None => {
                    order.push(old);
                    *slot.insert(index(order.len()).map(ModuleId)?)
                }
            });
        }
        if let Some(unused) = new_ids.iter().position(Option::is_none) {
            let what = format!("module {unused} is used by no function");
            return Err(Error::new(ErrorKind::Value { what }, 0));
        }
        if !order.is_sorted() {
            let modules = std::mem::take(&mut self.modules);
            let mut modules: Vec<Option<Module<'a>>> = modules.into_iter().map(Some).collect();
            let taken = order.iter().filter_map(|&old| modules.get_mut(old)?.take());
            self.modules = taken.collect();
        }
        Ok(())
    }
}

/// Id of the last element of a list of this length.
fn index(length: usize) -> Result<u32> {
    u32::try_from(length.saturating_sub(1)).map_err(|_| {
        let (size, limit) = (length as u64, u64::from(u32::MAX));
        Error::new(ErrorKind::TooLarge { what: "list", size, limit }, 0)
    })
}

fn mixed_up(id: FourCc) -> Error {
    let what = format!("tag {id} of the header extension holds something else than its section");
    Error::new(ErrorKind::Value { what }, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Version;

    fn builder() -> LibraryBuilder<'static> {
        let os = OsVersion { major: 13, minor: 0, update: 0 };
        let container = Container::new(7);
        LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, FileType::Dynamic)
    }

    fn function(name: &str) -> FunctionSpec<'static> {
        let versions = Versions { air: Version::new(2, 5), language: Version::new(3, 0) };
        FunctionSpec::new(name, FunctionType::UNQUALIFIED, versions, Vec::new())
    }

    #[test]
    fn modules_stand_in_the_order_of_their_first_use() {
        let mut library = builder();
        let first = library.add_module(Module::new(vec![1])).unwrap();
        let second = library.add_module(Module::new(vec![2])).unwrap();
        for (name, module) in [("a", second), ("b", first), ("c", second)] {
            library.add_sharing(function(name), module).unwrap();
        }
        let library = library.finish().unwrap();
        let modules: Vec<&[u8]> = library.modules().iter().map(Module::bytes).collect();
        assert_eq!(modules, [[2], [1]]);
        let of = |name| library.module_of(library.function(name).unwrap()).unwrap().bytes();
        assert_eq!([of("a"), of("b"), of("c")], [[2], [1], [2]]);
    }

    #[test]
    fn references_must_point_at_something() {
        let mut library = builder();
        library.add_module(Module::new(vec![1])).unwrap();
        let error = library.clone().finish().unwrap_err();
        assert_eq!(error.to_string(), "module 0 is used by no function (offset 0x0)");
        library.add_sharing(function("a"), ModuleId::from_index(7)).unwrap();
        let error = library.finish().unwrap_err();
        let message = "module 7 does not exist, there are 1 (offset 0x0, function 0 `a`)";
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn an_old_container_has_no_room_for_reflection() {
        let os = OsVersion::default();
        let (container, kind) = (Container::new(2), FileType::Executable);
        let mut library =
            LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
        let mut spec = function("a");
        spec.reflection = Some(Cow::Borrowed(b"flatbuffer"));
        let message = "section RLST needs container 1.2.7 or later, this library is 1.2.2 \
                       (offset 0x0)";
        assert_eq!(library.add(spec).unwrap_err().to_string(), message);
    }
}
