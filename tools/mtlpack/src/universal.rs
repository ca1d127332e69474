//! Universal files: what slices an input has, and files made of the slices of several inputs.

use metallib::{Function, Library, Version};
use metallib_fat::{Architecture, Builder, DEFAULT_ALIGNMENT, Form, Slice, Universal};

use crate::error::{Error, Result};

/// Magic number of 64-bit Mach-O files, which slices for GPUs are.
const MACH_O: [u8; 4] = [0xcf, 0xfa, 0xed, 0xfe];

/// An input with its slices: those of a universal file, or itself.
#[derive(Debug)]
pub struct Slices<'a> {
    /// Name of the input, such as its path.
    pub name: String,
    /// Form of the table, if the input is a universal file.
    pub form: Option<Form>,
    /// The slices, in order.
    pub slices: Vec<SliceOf<'a>>,
}

/// One slice of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceOf<'a> {
    /// What it is for.
    pub architecture: Architecture,
    /// Absolute offset of its bytes in the input.
    pub offset: u64,
    /// The power of two that its offset is to be a multiple of.
    pub alignment: u32,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl<'a> Slices<'a> {
    /// Reads the slices of a universal file; a library or a Mach-O file for a GPU is one slice.
    ///
    /// `architecture` says what a single slice is for; without it a library tells by the AIR
    /// version of its functions, a Mach-O file by its header.
    ///
    /// # Errors
    /// If the input is nothing of these, is damaged, or does not tell what it is for.
    pub fn read(name: &str, bytes: &'a [u8], architecture: Option<Architecture>) -> Result<Self> {
        if Universal::is_universal(bytes) {
            let universal = Universal::parse(bytes).map_err(Error::universal(name))?;
            return Self::of_universal(name, bytes, &universal, architecture);
        }
        let own = architecture.map_or_else(|| of_single(name, bytes), Ok)?;
        let slice = SliceOf { architecture: own, offset: 0, alignment: DEFAULT_ALIGNMENT, bytes };
        Ok(Self { name: name.to_owned(), form: None, slices: vec![slice] })
    }

    fn of_universal(
        name: &str,
        bytes: &'a [u8],
        universal: &Universal<'a>,
        architecture: Option<Architecture>,
    ) -> Result<Self> {
        if let Some(architecture) = architecture {
            return Err(Error::refused(format!(
                "{name} is a universal file, which says what its slices are for; \
                 {architecture} can be said of a single library only"
            )));
        }
        let lies = |slice: &Slice<'_>| -> Option<SliceOf<'a>> {
            let start = usize::try_from(slice.offset()).ok()?;
            let bytes = bytes.get(start..start.checked_add(slice.bytes().len())?)?;
            let (architecture, alignment) = (slice.architecture(), slice.alignment());
            Some(SliceOf { architecture, offset: slice.offset(), alignment, bytes })
        };
        let slices = universal.slices().iter().filter_map(lies).collect();
        Ok(Self { name: name.to_owned(), form: Some(universal.form()), slices })
    }

    /// The slice for an architecture.
    ///
    /// # Errors
    /// If there is none; the message names those there are.
    pub fn get(&self, architecture: Architecture) -> Result<SliceOf<'a>> {
        let found = self.slices.iter().find(|slice| slice.architecture == architecture);
        found.copied().ok_or_else(|| {
            let name = &self.name;
            let present = self.names();
            Error::refused(format!("{name} has no slice for {architecture}, only for {present}"))
        })
    }

    /// Names of all architectures, with blanks between them.
    #[must_use]
    pub fn names(&self) -> String {
        let names: Vec<_> = self.slices.iter().map(|s| s.architecture.to_string()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(" ") }
    }
}

/// What a file that is no universal one is for.
fn of_single(name: &str, bytes: &[u8]) -> Result<Architecture> {
    if bytes.starts_with(&MACH_O) {
        let word = |at: usize| bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes);
        let numbers = word(4).zip(word(8));
        let cut = || Error::refused(format!("{name} is a Mach-O file that was cut"));
        return numbers
            .map(|(cpu_type, cpu_subtype)| Architecture { cpu_type, cpu_subtype })
            .ok_or_else(cut);
    }
    let library = Library::parse(bytes).map_err(Error::library(name))?;
    architecture_of(&library).ok_or_else(|| {
        Error::refused(format!(
            "{name} does not tell what it is for: its functions have no AIR version that a \
             slice is known for; give --arch, such as `--arch air64_v26 {name}`"
        ))
    })
}

/// What slice of a universal file a library is: by the highest AIR version of its functions.
///
/// ```
/// # let bytes = include_bytes!("../../../examples/quad.metallib");
/// let library = metallib::Library::parse(bytes)?;
/// assert_eq!(mtlpack::universal::architecture_of(&library).unwrap().to_string(), "air64_v26");
/// # Ok::<(), metallib::Error>(())
/// ```
#[must_use]
pub fn architecture_of(library: &Library<'_>) -> Option<Architecture> {
    let versions = library.functions().iter().filter_map(Function::versions);
    let Version { major, minor } = versions.map(|versions| versions.air).max()?;
    format!("air64_v{major}{minor}").parse().ok()
}

/// A universal file of all slices of the inputs, ordered by architecture as Apple's are.
///
/// # Errors
/// If two slices are for one architecture.
pub fn create<'a>(inputs: &[Slices<'a>], form: Form) -> Result<Builder<'a>> {
    let mut builder = Builder::new(form);
    for input in inputs {
        for slice in &input.slices {
            let SliceOf { architecture, alignment, bytes, .. } = *slice;
            builder
                .push_aligned(architecture, bytes, alignment)
                .map_err(Error::universal(input.name.as_str()))?;
        }
    }
    builder.sort();
    Ok(builder)
}

/// Begins an edit of a universal file.
///
/// # Errors
/// If the input is none, or lies in a way that only a new layout can take.
pub fn edit<'a>(name: &str, bytes: &'a [u8], new_layout: bool) -> Result<Builder<'a>> {
    let universal = Universal::parse(bytes).map_err(Error::universal(name))?;
    universal.edit(new_layout).map_err(Error::universal(name))
}

/// Keeps the slices for these architectures and, with `air`, all AIR slices.
///
/// # Errors
/// If the file has none of an architecture asked for, or nothing would be left.
pub fn thin(
    builder: &mut Builder<'_>,
    name: &str,
    air: bool,
    architectures: &[Architecture],
) -> Result<()> {
    for wanted in architectures {
        if !builder.slices().iter().any(|slice| slice.architecture() == *wanted) {
            return Err(Error::refused(format!("{name} has no slice for {wanted}")));
        }
    }
    builder.retain(|slice| {
        let architecture = slice.architecture();
        air && architecture.is_air() || architectures.contains(&architecture)
    });
    match builder.slices() {
        [] => Err(Error::refused(format!("{name} has no AIR slice, so nothing would be left"))),
        _ => Ok(()),
    }
}
