//! What stands around the bitcode of a library whose modules somebody else writes.

use metallib::{Error, ErrorKind, Function, Library, Range64, Result};

use crate::encode;
use crate::hash::ModuleHashes;
use crate::layout::Layout;
use crate::pieces::{Passing, Piece, Pieces, Region, Sink};
use crate::plan::{check_size, uuid_offset};

/// What the function list says of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleFacts {
    /// Bytes of wrapper, bitcode and padding, without the module's tail.
    pub size: u64,
    /// HASH of its functions; `None` if the stored one stays.
    pub hash: Option<[u8; 32]>,
}

/// A library without its bitcode: for those who make modules while they write them.
///
/// Nothing in front of the bitcode changes its size with the modules, so they can be written
/// first, at [`Frame::bitcode_offset`], one after another, each with its tail. With their
/// facts a frame is made: its [head](Frame::head) belongs in front of the bitcode, its
/// [tail](Frame::tail), which is never in memory as a whole, behind it. A
/// [`UuidHasher`](crate::UuidHasher) takes the modules with their tails, then the hashed bytes
/// of the frame's tail.
///
/// ```
/// use metallib_write::{Frame, ModuleFacts, Plan, WriteOptions, module_hash};
/// # fn check(library: &metallib::Library<'_>) -> metallib::Result<()> {
/// let facts: Vec<ModuleFacts> = library
///     .modules()
///     .iter()
///     .map(|module| ModuleFacts { size: module.bytes().len() as u64, hash: None })
///     .collect();
/// let mut bytes = vec![0; Frame::bitcode_offset(library) as usize];
/// for module in library.modules() {
///     bytes.extend_from_slice(module.bytes());
///     bytes.extend_from_slice(module.tail());
/// }
/// let frame = Frame::new(library, &facts)?;
/// frame.tail(|part, _| bytes.extend_from_slice(part))?;
/// let head = frame.head()?;
/// let head: Vec<u8> = head.pieces().flat_map(|piece| piece.bytes.to_vec()).collect();
/// bytes[..head.len()].copy_from_slice(&head);
/// assert_eq!(bytes, Plan::new(library, WriteOptions::default())?.to_vec());
/// # Ok(())
/// # }
/// # use metallib::{Container, Dialect, FileType, LibraryBuilder, OsVersion, Platform};
/// # let os = OsVersion { major: 14, minor: 0, update: 0 };
/// # let (container, kind) = (Container::new(7), FileType::Executable);
/// # let builder = LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
/// # check(&builder.finish()?)?;
/// # Ok::<(), metallib::Error>(())
/// ```
pub struct Frame<'p> {
    library: &'p Library<'p>,
    facts: &'p [ModuleFacts],
    sizes: Vec<u64>,
    layout: Layout,
}

/// What stands in front of the bitcode.
pub struct FramePart<'p>(Pieces<'p>);

impl FramePart<'_> {
    /// The pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.0.iter()
    }

    /// The parts of the output that they make, for people.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        self.0.regions()
    }
}

impl<'p> Frame<'p> {
    /// Where the bitcode begins, whatever the modules are.
    #[must_use]
    pub fn bitcode_offset(library: &Library<'_>) -> u64 {
        Layout::of(library).bitcode.offset
    }

    /// Lays out a library, with one entry of `facts` for each module, in order.
    ///
    /// # Errors
    /// If there is not one entry for each module.
    pub fn new(library: &'p Library<'_>, facts: &'p [ModuleFacts]) -> Result<Self> {
        if facts.len() != library.modules().len() {
            let (found, expected) = (facts.len(), library.modules().len());
            let what = format!("facts of {found} modules, expected those of {expected}");
            return Err(Error::new(ErrorKind::Value { what }, 0));
        }
        let sizes: Vec<u64> = facts.iter().map(|module| module.size).collect();
        let layout = Layout::with_sizes(library, sizes.iter().copied());
        Ok(Self { library, facts, sizes, layout })
    }

    /// What stands in front of the bitcode; made anew for each call.
    ///
    /// # Errors
    /// As [`Plan::new`](crate::Plan::new).
    pub fn head(&self) -> Result<FramePart<'p>> {
        let Self { library, facts, sizes, layout } = self;
        let mut head = Pieces::default();
        encode::head(&mut head, library, layout, sizes, &mut Known(facts))?;
        check_size(layout.bitcode.offset, head.end())?;
        Ok(FramePart(head))
    }

    /// Gives what stands behind the bitcode to `each`, part by part, each with whether the UUID
    /// hashes it; then the parts of the output that this makes, for people.
    ///
    /// # Errors
    /// As [`Plan::new`](crate::Plan::new); some of it may have been given by then.
    pub fn tail(&self, each: impl FnMut(&[u8], bool)) -> Result<Vec<Region>> {
        let mut tail = Passing::beginning_at(self.layout.bitcode.end(), each);
        encode::sections(&mut tail, self.library)?;
        check_size(self.layout.file_size, tail.end())?;
        Ok(tail.into_regions())
    }

    /// Where the parts go.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Absolute offset of the 16 bytes of the UUID, if the library has one.
    #[must_use]
    pub fn uuid_offset(&self) -> Option<u64> {
        uuid_offset(self.library, &self.layout)
    }

    /// The bitcode in the output, for people; it counts as made.
    #[must_use]
    pub fn bitcode(&self) -> Region {
        let Range64 { offset, size } = self.layout.bitcode;
        Region { name: "bitcode".to_owned(), offset, size, copied: 0 }
    }
}

/// Hashes that the caller knows.
struct Known<'f>(&'f [ModuleFacts]);

impl ModuleHashes for Known<'_> {
    fn of(&mut self, function: &Function<'_>) -> Option<[u8; 32]> {
        self.0.get(function.module?.index())?.hash
    }
}
