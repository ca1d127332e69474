//! Module hashes: tag HASH is SHA-256 of wrapper, bitcode and padding.

use metallib::{Function, FunctionType, Library, Module, ModuleId};
use sha2::digest::array::Array;
use sha2::digest::block_api::{CoreProxy, UpdateCore};
use sha2::{Digest, Sha256};

/// Which HASH tags are computed anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hashes {
    /// Only those of new modules.
    #[default]
    Changed,
    /// All, but for Core Image functions whose stored hash is not that of their module:
    /// newer Core Image libraries follow a formula that is not known.
    All,
}

/// SHA-256 of a module, as tag HASH holds it.
#[must_use]
pub fn module_hash(module: &[u8]) -> [u8; 32] {
    Sha256::digest(module).into()
}

/// [`module_hash`] of each module. Two modules at a time are hashed side by side, which takes
/// two thirds of the time.
///
/// ```
/// use metallib_write::{module_hash, module_hashes};
///
/// let modules = [&b"one"[..], b"two", b"three"];
/// assert_eq!(module_hashes(&modules), modules.map(module_hash));
/// ```
#[must_use]
pub fn module_hashes(modules: &[&[u8]]) -> Vec<[u8; 32]> {
    let mut hashes = vec![[0; 32]; modules.len()];
    let mut waiting = modules.iter().zip(&mut hashes);
    let mut next =
        || waiting.next().map(|(bytes, hash)| Lane { bytes, hash, hasher: Sha256::new() });
    let (mut one, mut two) = (next(), next());
    while let (Some(first), Some(second)) = (&mut one, &mut two) {
        let both = first.bytes.len().min(second.bytes.len());
        let (left, right) = (first.split(both - both % BLOCK), second.split(both - both % BLOCK));
        update_both((&mut first.hasher, left), (&mut second.hasher, right));
        for lane in [&mut one, &mut two] {
            if lane.as_ref().is_some_and(|lane| lane.bytes.len() < BLOCK) {
                lane.take().into_iter().for_each(Lane::finish);
                *lane = next();
            }
        }
    }
    one.into_iter().chain(two).for_each(Lane::finish);
    hashes
}

/// A module that is being hashed.
struct Lane<'m> {
    /// What is left of it.
    bytes: &'m [u8],
    hash: &'m mut [u8; 32],
    hasher: Sha256,
}

impl<'m> Lane<'m> {
    fn split(&mut self, at: usize) -> &'m [u8] {
        let (part, rest) = self.bytes.split_at(at);
        self.bytes = rest;
        part
    }

    fn finish(mut self) {
        self.hasher.update(self.bytes);
        *self.hash = self.hasher.finalize().into();
    }
}

/// The same hash for a module that comes in parts.
///
/// ```
/// let mut hasher = metallib_write::ModuleHasher::new();
/// hasher.update(b"mod");
/// hasher.update(b"ule");
/// assert_eq!(hasher.finish(), metallib_write::module_hash(b"module"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModuleHasher(Sha256);

impl ModuleHasher {
    /// Begins a module.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash.
    #[must_use]
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Bytes that SHA-256 takes at a time.
pub(crate) const BLOCK: usize = 64;

/// Adds bytes until a hash has whole blocks, as far as they go; gives how many those were.
pub(crate) fn finish_block(hasher: &mut Sha256, bytes: &[u8]) -> usize {
    let (core, buffer) = std::mem::take(hasher).decompose();
    let missing = (BLOCK - buffer.get_pos()) % BLOCK;
    *hasher = Sha256::compose(core, buffer);
    let count = missing.min(bytes.len());
    hasher.update(bytes.get(..count).unwrap_or_default());
    count
}

/// Adds bytes to two hashes, block by block in turn.
///
/// Each block of a hash waits for the one before it, but not for one of the other hash, so a
/// processor that sees both works at both: a quarter faster than one after the other. That is
/// done as long as both have whole blocks, and had them before.
pub(crate) fn update_both(
    (first, first_bytes): (&mut Sha256, &[u8]),
    (second, second_bytes): (&mut Sha256, &[u8]),
) {
    let (mut one, one_buffer) = std::mem::take(first).decompose();
    let (mut two, two_buffer) = std::mem::take(second).decompose();
    let mut done = 0;
    if one_buffer.get_pos() == 0 && two_buffer.get_pos() == 0 {
        let blocks = Array::slice_as_chunks(first_bytes).0.iter();
        for (a, b) in blocks.zip(Array::slice_as_chunks(second_bytes).0) {
            one.update_blocks(std::slice::from_ref(a));
            two.update_blocks(std::slice::from_ref(b));
            done += BLOCK;
        }
    }
    *first = Sha256::compose(one, one_buffer);
    *second = Sha256::compose(two, two_buffer);
    first.update(first_bytes.get(done..).unwrap_or_default());
    second.update(second_bytes.get(done..).unwrap_or_default());
}

/// Hashes of modules as the function list needs them.
pub(crate) trait ModuleHashes {
    /// The HASH to write for a function; `None` to keep the stored one.
    fn of(&mut self, function: &Function<'_>) -> Option<[u8; 32]>;
}

/// Hashes of the modules that a library holds, each computed once and only if it is wanted.
pub(crate) struct ComputedHashes<'l, 'a> {
    library: &'l Library<'a>,
    hashes: Hashes,
    known: Vec<Option<[u8; 32]>>,
}

impl ModuleHashes for ComputedHashes<'_, '_> {
    fn of(&mut self, function: &Function<'_>) -> Option<[u8; 32]> {
        let id = function.module?;
        let module = self.library.modules().get(id.index())?;
        if !module.is_fresh() && self.hashes == Hashes::Changed {
            return None;
        }
        let hash = self.compute(id, module)?;
        let foreign = function.function_type() == Some(FunctionType::EXTERN) && !module.is_fresh();
        (!foreign).then_some(hash)
    }
}

impl<'l, 'a> ComputedHashes<'l, 'a> {
    pub(crate) fn new(library: &'l Library<'a>, hashes: Hashes) -> Self {
        Self { library, hashes, known: vec![None; library.modules().len()] }
    }

    fn compute(&mut self, id: ModuleId, module: &Module<'_>) -> Option<[u8; 32]> {
        Some(*self.known.get_mut(id.index())?.get_or_insert_with(|| module_hash(module.bytes())))
    }
}

#[cfg(test)]
mod tests {
    use metallib::{Container, FileType, Identity, OsVersion, Platform};

    use super::*;
    use crate::{UuidForm, UuidHasher};

    /// Sizes around blocks, in an order in which either of two ends first.
    const SIZES: [usize; 12] = [0, 1, 500, 63, 64, 65, 4096, 128, 127, 129, 1000, 0];

    #[test]
    fn many_are_hashed_as_each_is() {
        let bytes: Vec<u8> = (0..=250).cycle().take(10_000).collect();
        for count in 0..=SIZES.len() {
            let modules: Vec<&[u8]> =
                SIZES[..count].iter().map(|&size| &bytes[size..2 * size]).collect();
            let each: Vec<_> = modules.iter().map(|module| module_hash(module)).collect();
            assert_eq!(module_hashes(&modules), each);
        }
    }

    #[test]
    fn modules_beside_a_uuid_change_nothing() {
        let bytes: Vec<u8> = (0..=250).cycle().take(10_000).collect();
        let os = OsVersion { major: 14, minor: 0, update: 0 };
        let identity = Identity::new(Container::new(8), Platform::MACOS, os, FileType::Executable);
        let new = |form| UuidHasher::new(form, identity, false);
        for form in [UuidForm::Sha256, UuidForm::Md5] {
            let (mut beside, mut alone) = (new(form), new(form));
            for round in 0..4 {
                for size in SIZES {
                    let modules = SIZES.map(|size| &bytes[size..2 * size]);
                    let window = &bytes[round..round + size];
                    alone.update(window);
                    let hashes = beside.update_beside_modules(window, &modules[..3 * round]);
                    let each: Vec<_> =
                        modules[..3 * round].iter().map(|m| module_hash(m)).collect();
                    assert_eq!(hashes, each);
                }
            }
            assert_eq!(beside.finish(), alone.finish());
        }
    }
}
