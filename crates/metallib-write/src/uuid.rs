//! The UUID of a library: two formulae, found by measurement.
//!
//! Both hash, in this order: header bytes 4 to 11 (up to container 1.2.5: 4 to 10), the
//! whole bitcode section, of the sources the link options, the working directory and id
//! and data of each archive, the NAME of the dynamic header, the flatbuffers of the
//! reflection list; strings without NUL, buffers without padding. The type byte counts
//! as that of the original library: a companion is hashed as executable or dynamic.

use md5::Md5;
use metallib::{Container, FileType, Identity, Library};
use sha2::{Digest, Sha256};

use crate::encode;
use crate::hash::{BLOCK, finish_block, module_hashes, update_both};
use crate::pieces::Passing;

/// How a UUID is made of the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UuidForm {
    /// SHA-256, cut to 16 bytes, with the bits of a version 3 UUID (since 2022).
    Sha256,
    /// MD5, all bits as they are (metalfe 31001.363, 2021).
    Md5,
}

impl std::fmt::Display for UuidForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sha256 => "sha-256",
            Self::Md5 => "md5",
        })
    }
}

/// What a library's stored UUID is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UuidStatus {
    /// There is none.
    Absent,
    /// It is what this form gives for the library.
    Follows(UuidForm),
    /// It is neither: the sources were stripped, or a third party made it.
    Other,
}

enum State {
    Sha256(Box<Sha256>),
    Md5(Box<Md5>),
}

/// Computes a UUID from the hashed pieces of a library, in order.
pub struct UuidHasher(State);

impl UuidHasher {
    /// Begins with the identity of a library; `dynamic` as
    /// [`Library::is_dynamic`] says.
    #[must_use]
    pub fn new(form: UuidForm, mut identity: Identity, dynamic: bool) -> Self {
        if identity.file_type() == FileType::SymbolCompanion {
            let kind = if dynamic { FileType::Dynamic } else { FileType::Executable };
            identity.set_file_type(kind);
        }
        let mut hasher = match form {
            UuidForm::Sha256 => Self(State::Sha256(Box::default())),
            UuidForm::Md5 => Self(State::Md5(Box::default())),
        };
        let taken = if identity.container.has_platform() { 8 } else { 7 };
        hasher.update(identity.bytes().get(..taken).unwrap_or_default());
        hasher
    }

    /// Adds hashed bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha256(state) => state.update(bytes),
            State::Md5(state) => state.update(bytes),
        }
    }

    /// Adds hashed bytes, and gives [`module_hash`](crate::module_hash) of each module.
    ///
    /// Faster than one after the other: as a rule the bytes are those of the modules.
    pub fn update_beside_modules(&mut self, bytes: &[u8], modules: &[&[u8]]) -> Vec<[u8; 32]> {
        let State::Sha256(state) = &mut self.0 else {
            self.update(bytes);
            return module_hashes(modules);
        };
        let mut bytes = bytes.get(finish_block(state, bytes)..).unwrap_or_default();
        let beside = |module: &&[u8]| {
            let mut hasher = Sha256::new();
            let both = bytes.len().min(module.len());
            let both = both - both % BLOCK;
            let (own, rest) = bytes.split_at(both);
            let (bulk, end) = module.split_at(both);
            update_both((&mut hasher, bulk), (state, own));
            bytes = rest;
            hasher.update(end);
            hasher.finalize().into()
        };
        let hashes = modules.iter().map(beside).collect();
        state.update(bytes);
        hashes
    }

    /// The UUID.
    #[must_use]
    pub fn finish(self) -> [u8; 16] {
        match self.0 {
            State::Sha256(state) => {
                let mut uuid: [u8; 16] = first_half(&state.finalize());
                uuid[6] = (uuid[6] & 0x0f) | 0x30;
                uuid[8] = (uuid[8] & 0x3f) | 0x80;
                uuid
            }
            State::Md5(state) => state.finalize().into(),
        }
    }
}

fn first_half(digest: &[u8]) -> [u8; 16] {
    let mut half = [0; 16];
    half.iter_mut().zip(digest).for_each(|(to, from)| *to = *from);
    half
}

/// Whether a UUID has the bits that the SHA-256 form sets (one in 64 others has too).
#[must_use]
pub fn has_sha256_shape(uuid: &[u8; 16]) -> bool {
    uuid[6] & 0xf0 == 0x30 && uuid[8] & 0xc0 == 0x80
}

/// The UUID that a form gives for a library.
///
/// # Errors
/// If the library cannot be laid out.
pub fn uuid_of(library: &Library<'_>, form: UuidForm) -> metallib::Result<[u8; 16]> {
    let mut hasher = UuidHasher::new(form, *library.identity(), library.is_dynamic());
    for module in library.modules() {
        hasher.update(module.bytes());
        hasher.update(module.tail());
    }
    hashed_sections(library, |bytes| hasher.update(bytes))?;
    Ok(hasher.finish())
}

/// Gives, in order, what a [`UuidHasher`] takes behind the modules and their tails. It does not
/// depend on where the sections lie.
///
/// # Errors
/// If the sections cannot be laid out; some of it may have been given by then.
pub fn hashed_sections(library: &Library<'_>, mut each: impl FnMut(&[u8])) -> metallib::Result<()> {
    let pass = |bytes: &[u8], hashed| {
        if hashed {
            each(bytes);
        }
    };
    encode::sections(&mut Passing::beginning_at(0, pass), library)
}

/// Finds out which form a library's UUID follows. Hashes the library once or twice.
///
/// # Errors
/// If the library cannot be laid out.
pub fn uuid_status(library: &Library<'_>) -> metallib::Result<UuidStatus> {
    let Some(stored) = library.uuid() else { return Ok(UuidStatus::Absent) };
    for form in uuid_candidates(&stored, library.identity().container) {
        if uuid_of(library, form)? == stored {
            return Ok(UuidStatus::Follows(form));
        }
    }
    Ok(UuidStatus::Other)
}

/// The forms that a stored UUID may follow, by its bits and the container alone.
pub fn uuid_candidates(uuid: &[u8; 16], container: Container) -> impl Iterator<Item = UuidForm> {
    let sha256 = has_sha256_shape(uuid).then_some(UuidForm::Sha256);
    // The MD5 form was only written by tools of 2021, which know containers to 1.2.6.
    let md5 = (container.patch() <= 6).then_some(UuidForm::Md5);
    sha256.into_iter().chain(md5)
}
