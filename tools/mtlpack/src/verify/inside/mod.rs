//! The inside of modules: is it what the function list and the header say?
//!
//! A [`Looker`] sees each module while its bytes are in memory. It compares the module with
//! the functions that use it, and keeps what all modules of a library have in common.

mod derived;
mod functions;
mod library;

use std::sync::Arc;

use air_bitcode::{Error, ErrorKind, Head, HeadReader};
use metallib::{BITCODE_MAGIC, Function, Library, WRAPPER_MAGIC, Wrapper};

use super::findings::{Findings, Kind, Severity};
use functions::Faults;

/// What was seen in one module.
pub(super) enum Inside {
    /// It is no bitcode, or not all of it is there, which other checks tell.
    Other,
    /// It cannot be read.
    Damaged(Error),
    /// It was read.
    Read(Seen),
}

/// What was seen in a module that can be read.
pub(super) struct Seen {
    /// Shared with the modules that say the same.
    traits: Arc<Traits>,
    faults: Faults,
}

/// What a module says of itself that usually all modules of a library say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Traits {
    triple: Option<String>,
    /// AIR version: major, minor, patch.
    air: Option<[i64; 3]>,
    /// Version of the language: major, minor, patch.
    language: Option<[i64; 3]>,
    producer: Option<String>,
    debug_info: bool,
}

impl Traits {
    fn of(head: &Head<'_>) -> Self {
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        Self {
            triple: head.triple.as_deref().map(text),
            air: head.version,
            language: head.language.as_ref().map(|(_, version)| *version),
            producer: head.producer.as_deref().map(text),
            debug_info: head.debug_info.is_some(),
        }
    }

    /// Whether a head gives these, found out without making any.
    fn are_of(&self, head: &Head<'_>) -> bool {
        let same =
            |own: &Option<String>, other: Option<&[u8]>| own.as_deref().map(str::as_bytes) == other;
        self.air == head.version
            && self.language == head.language.as_ref().map(|(_, version)| *version)
            && self.debug_info == head.debug_info.is_some()
            && same(&self.producer, head.producer.as_deref())
            && same(&self.triple, head.triple.as_deref())
    }
}

/// The functions of each module.
pub(super) struct Users {
    /// The first function of each module.
    first: Vec<Option<usize>>,
    /// For each function the next one with the same module.
    next: Vec<Option<usize>>,
}

impl Users {
    pub(super) fn of(library: &Library<'_>) -> Self {
        let mut first = vec![None; library.modules().len()];
        let mut next = vec![None; library.functions().len()];
        for (index, function) in library.functions().iter().enumerate().rev() {
            let place = function.module.and_then(|id| first.get_mut(id.index()));
            if let (Some(place), Some(next)) = (place, next.get_mut(index)) {
                *next = place.replace(index);
            }
        }
        Self { first, next }
    }

    /// The functions of a module, in order.
    fn functions<'u, 'l, 'a>(
        &'u self,
        library: &'l Library<'a>,
        module: usize,
    ) -> impl Iterator<Item = (usize, &'l Function<'a>)> + use<'u, 'l, 'a> {
        let mut next = self.first.get(module).copied().flatten();
        std::iter::from_fn(move || {
            let index = next?;
            next = self.next.get(index).copied().flatten();
            Some((index, library.functions().get(index)?))
        })
    }
}

/// Looks into modules, one after the other.
pub(super) struct Looker<'l, 'a> {
    library: &'l Library<'a>,
    users: &'l Users,
    reader: HeadReader,
    last: Arc<Traits>,
    /// Whether every tag is compared that the module gives.
    deep: bool,
}

impl<'l, 'a> Looker<'l, 'a> {
    pub(super) fn new(library: &'l Library<'a>, users: &'l Users, deep: bool) -> Self {
        Self { library, users, reader: HeadReader::new(), last: Arc::default(), deep }
    }

    /// Looks into the module with this number.
    pub(super) fn look(&mut self, index: usize, module: &[u8]) -> Inside {
        let magic = module.get(..4).unwrap_or_default();
        if magic != BITCODE_MAGIC && magic != WRAPPER_MAGIC.to_le_bytes() {
            return Inside::Other;
        }
        let head = match self.reader.read(module) {
            Ok(head) => head,
            Err(error) if is_told_elsewhere(&error, module) => return Inside::Other,
            Err(error) => return Inside::Damaged(error),
        };
        let users = || self.users.functions(self.library, index);
        let mut faults = functions::check(users(), &head, module);
        let mut full = None;
        if !faults.is_empty() {
            // No module is accused on the word of its own index.
            match Head::full(module) {
                Ok(head) => {
                    faults = functions::check(users(), &head, module);
                    full = Some(head);
                }
                Err(error) => return Inside::Damaged(error),
            }
        }
        let head = full.as_ref().unwrap_or(&head);
        if self.deep {
            derived::check(users(), module, &mut faults);
        }
        if !self.last.are_of(head) {
            self.last = Arc::new(Traits::of(head));
        }
        Inside::Read(Seen { traits: self.last.clone(), faults })
    }
}

/// Whether the check of wrapper and size says that the module is not whole.
fn is_told_elsewhere(error: &Error, module: &[u8]) -> bool {
    match error.kind() {
        ErrorKind::NotBitcode { .. } => true,
        ErrorKind::Wrapper { .. } => Wrapper::parse(module).is_none_or(|wrapper| {
            u64::from(wrapper.offset) + u64::from(wrapper.size) > module.len() as u64
        }),
        _ => false,
    }
}

/// Tells what was seen, in the order of the modules.
pub(super) fn check(
    library: &Library<'_>,
    users: &Users,
    seen: &[Inside],
    findings: &mut Findings,
) {
    for (index, inside) in seen.iter().enumerate() {
        match inside {
            Inside::Read(seen) if seen.faults.is_empty() => {}
            Inside::Other => {}
            Inside::Damaged(error) => tell_damage(library, users, index, error, findings),
            Inside::Read(seen) => seen.faults.tell(library, index, findings),
        }
    }
    let read = seen.iter().enumerate().filter_map(|(index, inside)| match inside {
        Inside::Read(seen) => Some((index, &seen.traits)),
        _ => None,
    });
    library::check(library, users, read, findings);
}

/// A module that cannot be read: where, in bits.
fn tell_damage(
    library: &Library<'_>,
    users: &Users,
    index: usize,
    error: &Error,
    findings: &mut Findings,
) {
    let Some(module) = library.modules().get(index) else { return };
    let bit = error.bit().map(|bit| module.offset().saturating_mul(8).saturating_add(bit));
    let offset = bit.map_or(module.offset(), |bit| bit / 8);
    let place = || {
        let inner = error.place();
        let separator = if inner.is_empty() { "" } else { " > " };
        format!("{}{separator}{inner}", place_of(library, users, index))
    };
    let what = || match bit {
        Some(bit) => format!("the module cannot be read: {}, at bit {bit}", error.kind()),
        None => format!("the module cannot be read: {}", error.kind()),
    };
    findings.add((Severity::Error, Kind::Bitcode), offset, place, what);
}

/// A module is named by the function that uses it first.
fn place_of(library: &Library<'_>, users: &Users, module: usize) -> String {
    match users.functions(library, module).next() {
        Some((index, function)) => format!("{} > module", function.place(index)),
        None => format!("module {module}"),
    }
}
