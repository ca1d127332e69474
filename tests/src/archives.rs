//! Source archives made by hand: sound ones, and such as nobody should unpack.

use std::io::Write;

use bzip2::Compression;
use bzip2::write::BzEncoder;
use metallib::{
    Archive, Container, Dialect, FileType, FunctionSpec, FunctionType, LibraryBuilder, OsVersion,
    Platform, Version, Versions,
};
use metallib_write::{Plan, WriteOptions};

/// A tar archive in the making, with headers as libarchive writes them for Apple's linker.
#[derive(Clone, Debug, Default)]
pub struct Tar(Vec<u8>);

impl Tar {
    /// An archive without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A regular file.
    #[must_use]
    pub fn file(self, name: &str, content: &[u8]) -> Self {
        self.member(&header(name.as_bytes(), b'0', content.len() as u64), content)
    }

    /// A member without content of another kind, which points at `link`.
    #[must_use]
    pub fn special(self, name: &str, kind: u8, link: &str) -> Self {
        let mut header = header(name.as_bytes(), kind, 0);
        put(&mut header, 157, link.as_bytes());
        self.member(&header, b"")
    }

    /// A member with this header, whose checksum is computed, and this content.
    #[must_use]
    pub fn member(mut self, header: &[u8; 512], content: &[u8]) -> Self {
        self.0.extend(sealed(*header));
        self.0.extend(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    /// The archive without end mark.
    #[must_use]
    pub fn open(self) -> Vec<u8> {
        self.0
    }

    /// The archive with two blocks of zeros at its end.
    #[must_use]
    pub fn close(mut self) -> Vec<u8> {
        self.0.extend([0; 1024]);
        self.0
    }

    /// The closed archive as a bzip2 stream.
    #[must_use]
    pub fn pack(self) -> Vec<u8> {
        pack(&self.close())
    }
}

/// A header without checksum.
#[must_use]
pub fn header(name: &[u8], kind: u8, size: u64) -> [u8; 512] {
    let mut header = [0; 512];
    put(&mut header, 0, name);
    for (at, field) in [(100, "000644 "), (108, "000000 "), (116, "000000 ")] {
        put(&mut header, at, field.as_bytes());
    }
    put(&mut header, 124, format!("{size:011o} ").as_bytes());
    put(&mut header, 136, b"00000000000 ");
    header[156] = kind;
    put(&mut header, 257, b"ustar\x0000");
    put(&mut header, 329, b"000000 ");
    put(&mut header, 337, b"000000 ");
    header
}

/// Writes into a header.
pub fn put(header: &mut [u8; 512], at: usize, field: &[u8]) {
    header[at..at + field.len()].copy_from_slice(field);
}

/// A header with the checksum that it should have.
#[must_use]
pub fn sealed(mut header: [u8; 512]) -> [u8; 512] {
    put(&mut header, 148, &[b' '; 8]);
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    put(&mut header, 148, format!("{sum:06o}\0 ").as_bytes());
    header
}

/// A bzip2 stream of level 9.
///
/// # Panics
/// Never: vectors take everything.
#[must_use]
pub fn pack(data: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).expect("vectors take everything");
    encoder.finish().expect("vectors take everything")
}

/// A bzip2 stream of `first` and then `times` blocks of 45 MB of zeros, some 40 bytes each.
///
/// # Panics
/// If `first` is more than one block.
#[must_use]
pub fn bomb(first: &[u8], times: usize) -> Vec<u8> {
    // The most zeros that one block of 900,000 bytes holds: 255 of them take five.
    repeated(first, &vec![0; 45_000_000], times)
}

/// A bzip2 stream of `first` and then `times` times `then`.
///
/// # Panics
/// If one of them is more than one block.
#[must_use]
pub fn repeated(first: &[u8], then: &[u8], times: usize) -> Vec<u8> {
    let then = Block::of(then);
    let mut bits = Bits::default();
    bits.push(u64::from(u32::from_be_bytes(*b"BZh9")), 32);
    let mut combined = 0_u32;
    for block in std::iter::once(&Block::of(first)).chain(std::iter::repeat_n(&then, times)) {
        combined = combined.rotate_left(1) ^ block.checksum;
        block.bits.iter().for_each(|&bit| bits.0.push(bit));
    }
    bits.push(0x1772_4538_5090, 48);
    bits.push(combined.into(), 32);
    bits.bytes()
}

/// A library of one kernel, which refers to the first of these archives.
///
/// # Panics
/// Never: the parts fit together.
#[must_use]
pub fn library(container: u16, archives: &[(&str, Vec<u8>)]) -> Vec<u8> {
    library_of(container, archives, b"BC\xc0\xde")
}

/// The same with another module, that is bitcode without a wrapper.
///
/// # Panics
/// If the module is too long.
#[must_use]
pub fn library_of(container: u16, archives: &[(&str, Vec<u8>)], bitcode: &[u8]) -> Vec<u8> {
    let (container, kind) = (Container::new(container), FileType::Executable);
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    let mut builder = LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 3), language: Version::new(2, 3) };
    let module = metallib::wrap(bitcode).expect("a short module");
    let mut spec = FunctionSpec::new("kernel", FunctionType::KERNEL, versions, module);
    for (id, data) in archives {
        let archive = Archive::new(id.as_bytes(), data).expect("a short archive");
        let id = builder.add_archive(archive).expect("a container with sources");
        spec.archive.get_or_insert(id);
    }
    builder.sources_mut().expect("archives").link_options = b"-o x.metallib"[..].into();
    builder.add(spec).expect("all parts are there");
    let library = builder.finish().expect("all references are good");
    Plan::new(&library, WriteOptions::default()).expect("a library that fits").to_vec()
}

/// An archive that must be refused.
pub struct Hostile {
    /// What it is.
    pub name: &'static str,
    /// The bzip2 stream.
    pub data: Vec<u8>,
    /// What the message says of it.
    pub says: &'static str,
}

/// Archives that nobody should extract.
#[must_use]
pub fn hostile() -> Vec<Hostile> {
    let new = |name, data, says| Hostile { name, data, says };
    let name = |path: &str| Tar::new().file("a.metal", b"1").file(path, b"2").pack();
    let special = |kind, link| Tar::new().file("a", b"1").special("b", kind, link).pack();
    let twice = Tar::new().file("a", b"1").file("b", b"2").file("a", b"3").pack();
    let large = sealed(header(b"large", b'0', 7 << 30));
    let small = sealed(header(b"small", b'0', 0));
    let members: Vec<u8> =
        (0..1750).flat_map(|n| sealed(header(format!("m{n}").as_bytes(), b'0', 0))).collect();
    let climbs = "member 1 `";
    let whole = Tar::new().file("a.metal", &[b'x'; 4000]).pack();
    vec![
        new("bomb", bomb(&large, 228), "member 0 `large` at byte 0 of the unpacked archive"),
        new("tail", bomb(&[&small[..], &[0; 512]].concat(), 228), "unpacks to more than"),
        new("climbing", name("../a"), "member 1 `../a` at byte 1024 of the unpacked archive"),
        new("climbing-deep", name("/a/../../../etc/x"), climbs),
        new("absolute", name("/../../etc/x"), climbs),
        new("symbolic-link", special(b'2', "/etc"), "it is a symbolic link"),
        new("hard-link", special(b'1', "a"), "it is a hard link"),
        new("device", special(b'3', ""), "it is a device"),
        new("block-device", special(b'4', ""), "it is a device"),
        new("pipe", special(b'6', ""), "it is a named pipe"),
        new("folder", special(b'5', ""), "it is a folder"),
        new("long-name", special(b'L', ""), "it is a kind `L`"),
        new("pax", special(b'x', ""), "it is a kind `x`"),
        new("duplicate", twice, "member 2 `a` at byte 2048 of the unpacked archive: an earlier"),
        new("file-as-folder", name("a.metal/b"), "lies in a folder where an earlier member is"),
        new("million", repeated(&small, &members, 572), "has more than 4096 members"),
        new("cut", whole[..whole.len() - 5].to_vec(), "the bzip2 stream is cut"),
        new("two-streams", whole.repeat(2), "behind the end of the bzip2 stream, is not zero"),
        new("no-stream", b"not a stream".to_vec(), "is no bzip2 stream"),
    ]
}

/// The one block of a stream, bit by bit.
struct Block {
    bits: Vec<bool>,
    checksum: u32,
}

impl Block {
    fn of(data: &[u8]) -> Self {
        let stream = pack(data);
        let all = Bits::of(&stream);
        // The end: a mark of 48 bits, the checksum of all blocks, up to 7 bits of padding.
        let mark = Bits::number(0x1772_4538_5090, 48);
        let end = (0..8).map(|padding| all.0.len() - padding - 80);
        let end = end.into_iter().find(|&at| all.0[at..at + 48] == mark.0[..]).expect("an end");
        let bits = all.0[32..end].to_vec();
        let checksum = bits[48..80].iter().fold(0, |sum, &bit| sum << 1 | u32::from(bit));
        let total = all.0[end + 48..end + 80].iter().fold(0, |sum, &bit| sum << 1 | u32::from(bit));
        assert_eq!(checksum, total, "more than one block");
        Self { bits, checksum }
    }
}

#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn of(bytes: &[u8]) -> Self {
        let bits = |byte: &u8| (0..8).rev().map(|at| byte >> at & 1 == 1).collect::<Vec<_>>();
        Self(bytes.iter().flat_map(bits).collect())
    }

    fn number(value: u64, width: usize) -> Self {
        let mut bits = Self::default();
        bits.push(value, width);
        bits
    }

    fn push(&mut self, value: u64, width: usize) {
        self.0.extend((0..width).rev().map(|at| value >> at & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            let value = bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
            value << (8 - bits.len())
        };
        self.0.chunks(8).map(byte).collect()
    }
}
