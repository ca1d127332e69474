//! What is told of each module while its bytes go by: hash, first bytes, padding.

use metallib::{Library, WRAPPER_SIZE, Wrapper};
use metallib_write::{ModuleHasher, UuidHasher, module_hashes};

/// Bytes of a module that are kept: wrapper and magic number of the bitcode.
pub(crate) const HEAD: usize = WRAPPER_SIZE as usize + 4;

/// What the pass found out about one module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleFacts {
    /// SHA-256 of wrapper, bitcode and padding.
    pub(crate) hash: [u8; 32],
    head: Head,
    /// Where in the module the first byte of the padding lies that is not zero.
    pub(crate) dirty: Option<u64>,
}

impl ModuleFacts {
    /// The first bytes of the module, 24 if there are as many.
    pub(crate) fn head(&self) -> &[u8] {
        self.head.bytes()
    }
}

/// The first bytes of a module, collected from its parts.
#[derive(Clone, Debug, Default)]
struct Head {
    bytes: [u8; HEAD],
    length: usize,
}

impl Head {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    fn take(&mut self, part: &[u8]) {
        let free = self.bytes.iter_mut().skip(self.length);
        self.length += free.zip(part).map(|(to, from)| *to = *from).count();
    }
}

/// Takes the bytes of all modules in order, whatever the cuts between them.
pub(super) struct ModuleScanner<'l, 'a> {
    library: &'l Library<'a>,
    done: Vec<ModuleFacts>,
    hasher: ModuleHasher,
    head: Head,
    dirty: Option<u64>,
    /// Where the present module's padding begins, once its head is known.
    padding: usize,
    /// Bytes of the present module, and of its tail, that are done.
    position: usize,
}

impl<'l, 'a> ModuleScanner<'l, 'a> {
    pub(super) fn new(library: &'l Library<'a>) -> Self {
        let done = Vec::with_capacity(library.modules().len());
        let hasher = ModuleHasher::new();
        let head = Head::default();
        let (dirty, padding, position) = (None, usize::MAX, 0);
        let mut new = Self { library, done, hasher, head, dirty, padding, position };
        new.close();
        new
    }

    /// Takes a window, and has the hash of a UUID take it too, if there is one; in less time
    /// than one after the other where the window shows whole modules.
    pub(super) fn take_window(&mut self, window: &[u8], uuid: Option<&mut UuidHasher>) {
        let modules = self.whole_modules(window);
        let hashes = match (&modules, uuid) {
            (Some(modules), Some(uuid)) => uuid.update_beside_modules(window, modules),
            (Some(modules), None) => module_hashes(modules),
            (None, uuid) => {
                uuid.into_iter().for_each(|uuid| uuid.update(window));
                return self.take(window);
            }
        };
        for (bytes, hash) in modules.into_iter().flatten().zip(hashes) {
            self.look(bytes);
            self.push(hash);
        }
        self.close();
    }

    /// The modules that the bytes are; none if they are not whole ones.
    fn whole_modules<'w>(&self, mut window: &'w [u8]) -> Option<Vec<&'w [u8]>> {
        let mut modules = Vec::new();
        let mut rest = self.library.modules().get(self.done.len()..)?.iter();
        while self.position == 0 && !window.is_empty() {
            let module = rest.next()?;
            let (bytes, behind) = window.split_at_checked(module.bytes().len())?;
            window = behind.get(module.tail().len()..)?;
            modules.push(bytes);
        }
        window.is_empty().then_some(modules)
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let (Some(module), false) =
            (self.library.modules().get(self.done.len()), bytes.is_empty())
        {
            let (length, tail) = (module.bytes().len(), module.tail().len());
            let own = bytes.len().min(length.saturating_sub(self.position));
            let (part, rest) = bytes.split_at(own);
            self.take_part(part);
            let skipped = rest.len().min((length + tail).saturating_sub(self.position));
            self.position += skipped;
            bytes = rest.get(skipped..).unwrap_or_default();
            self.close();
        }
    }

    fn take_part(&mut self, part: &[u8]) {
        self.hasher.update(part);
        self.look(part);
    }

    /// Takes head and padding of the next part.
    fn look(&mut self, part: &[u8]) {
        if self.position < HEAD {
            self.head.take(part);
            self.padding = Wrapper::parse(self.head.bytes()).map_or(usize::MAX, |wrapper| {
                let start = u64::from(wrapper.offset) + u64::from(wrapper.size);
                usize::try_from(start).unwrap_or(usize::MAX)
            });
        }
        let end = self.position + part.len();
        if end > self.padding && self.dirty.is_none() {
            let start = self.padding.max(self.position);
            let zeros = part.get(start - self.position..).unwrap_or_default();
            let found = zeros.iter().position(|&byte| byte != 0);
            self.dirty = found.map(|index| (start + index) as u64);
        }
        self.position = end;
    }

    /// Closes every module that is complete, those of size 0 too.
    fn close(&mut self) {
        while let Some(module) = self.library.modules().get(self.done.len())
            && self.position >= module.bytes().len() + module.tail().len()
        {
            let hash = std::mem::take(&mut self.hasher).finish();
            self.push(hash);
        }
    }

    /// Ends the present module.
    fn push(&mut self, hash: [u8; 32]) {
        let (head, dirty) = (std::mem::take(&mut self.head), self.dirty.take());
        self.done.push(ModuleFacts { hash, head, dirty });
        (self.padding, self.position) = (usize::MAX, 0);
    }

    pub(super) fn finish(self) -> Vec<ModuleFacts> {
        self.done
    }
}
