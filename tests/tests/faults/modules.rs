//! Modules and the offsets that lead to them.

use metallib::{Dialect, FileType, FourCc, FunctionSpec, FunctionType};
use mtlpack_tests::air::AirFunction;
use mtlpack_tests::small::*;

use super::{check, with_u64};

/// A word of the function list's tag OFFT: 0 public, 1 private, 2 bitcode.
fn with_offset(bytes: &[u8], function: usize, word: u64, value: u64) -> Vec<u8> {
    with_u64(bytes, tag_offset(bytes, function, FourCc::OFFT) + 8 * word, value)
}

#[test]
fn modules() {
    let (plain, archiver) = (plain(), archiver());
    let (first, second) = (module_offset(&plain, 0), module_offset(&plain, 1));
    let mdsz = tag_offset(&plain, 1, FourCc::MDSZ);
    let replaced = |new: Vec<u8>| {
        edited(&archiver, |builder| builder.modules[1] = metallib::Module::new(new.clone()))
    };
    let small = module("second", 1);
    let wrapper = metallib::Wrapper::parse(&small).unwrap();
    let bitcode_end = u64::from(wrapper.offset + wrapper.size);
    let unpadded = small[..usize::try_from(bitcode_end).unwrap()].to_vec();
    let dirty = patched(&small, bitcode_end, &[7]);
    let no_bitcode = patched(&small, 20, b"XX");
    let word = |at: u64| replaced(patched(&small, at, &[9]));
    let hash = tag_offset(&plain, 1, FourCc::HASH);
    let last = module("second", 6).len() as u64 - 1;
    check(
        "modules",
        &[
            ("HASH changed", patched(&plain, hash, &[0, 0])),
            ("module changed", patched(&plain, second + 24, &[0xff])),
            ("module of size 0", with_u64(&plain, mdsz, 0)),
            ("module without bytes", replaced(Vec::new())),
            ("raw bitcode", replaced(raw(0))),
            ("raw bitcode, unpadded", replaced(raw(4))),
            ("something else", replaced(b"something else..".to_vec())),
            ("3 bytes", replaced(b"abc".to_vec())),
            ("compressed", replaced(b"\x1b\xc7\xd0\x0e\0\0\0\0\0\0\0\0\0\0\0\0".to_vec())),
            ("unpadded", replaced(unpadded)),
            ("padding not zero", replaced(dirty)),
            ("no bitcode in the wrapper", replaced(no_bitcode)),
            ("wrapper version", word(4)),
            ("wrapper offset", word(8)),
            ("wrapper size", word(12)),
            ("wrapper CPU type", word(16)),
            ("wrapper larger than MDSZ", patched(&plain, first + 12, &[0x40])),
            ("MDSZ too large", with_u64(&plain, mdsz, last + 17)),
            ("MDSZ too small", with_u64(&plain, mdsz, last + 1 - 16)),
            ("MDSZ of another module", with_u64(&plain, tag_offset(&plain, 0, FourCc::MDSZ), 16)),
        ],
    );
}

#[test]
fn offsets() {
    let plain = plain();
    let swapped = with_offset(&with_offset(&plain, 0, 2, 0x20), 1, 2, 0);
    let empty_section = with_u64(&plain, 80, 0);
    check(
        "offsets",
        &[
            ("out of order", swapped),
            ("shared in an executable", executable_that_shares()),
            ("overlapping", with_offset(&plain, 1, 2, 0x10)),
            ("gap", gap()),
            ("gap in front", gap_in_front()),
            ("beyond 4 GiB", with_offset(&plain, 1, 2, 1 << 33)),
            ("public beyond 4 GiB", with_offset(&plain, 1, 0, 1 << 33)),
            ("public shared", with_offset(&plain, 1, 0, 0)),
            ("private between groups", with_offset(&plain, 1, 1, 4)),
            ("empty bitcode section with functions", empty_section),
        ],
    );
}

/// The bitcode of a module without wrapper, whose size is this much above a multiple of 16.
fn raw(above: usize) -> Vec<u8> {
    let mut air = air("second", FunctionType::KERNEL, VERSIONS, 0);
    let mut modules = (0..16).map(|filler| {
        air.filler = filler;
        let module = air.module();
        let wrapper = metallib::Wrapper::parse(&module).unwrap();
        module[20..20 + usize::try_from(wrapper.size).unwrap()].to_vec()
    });
    modules.find(|bitcode| bitcode.len() % 16 == above).unwrap()
}

fn executable_that_shares() -> Vec<u8> {
    let mut new = builder(Dialect::Archiver, 7, FileType::Executable);
    let mut air = air("one", FunctionType::KERNEL, VERSIONS, 1);
    air.functions.push(AirFunction::new("two", "air.kernel"));
    new.add(FunctionSpec { module: air.module().into(), ..kernel("one", 1) }).unwrap();
    let id = new.functions[0].module.unwrap();
    new.add_sharing(kernel("two", 1), id).unwrap();
    finish(new)
}

/// 16 bytes between the modules, which nothing refers to.
fn gap() -> Vec<u8> {
    let bytes = archiver();
    let wide = edited(&bytes, |builder| {
        let longer = [builder.modules[0].bytes(), &[0; 16]].concat();
        builder.modules[0] = metallib::Module::new(longer);
    });
    let mdsz = tag_offset(&wide, 0, FourCc::MDSZ);
    let hash = tag_offset(&wide, 0, FourCc::HASH);
    let narrow = with_u64(&wide, mdsz, module("first", 1).len() as u64);
    patched(&narrow, hash, &metallib_write::module_hash(&module("first", 1)))
}

/// The first function begins where the second does, so nothing is at offset 0.
fn gap_in_front() -> Vec<u8> {
    let bytes = archiver();
    let size = module("first", 1).len() as u64;
    let moved = with_offset(&bytes, 0, 2, size);
    let mdsz = tag_offset(&moved, 0, FourCc::MDSZ);
    let hash = tag_offset(&moved, 0, FourCc::HASH);
    let moved = with_u64(&moved, mdsz, module("second", 6).len() as u64);
    patched(&moved, hash, &metallib_write::module_hash(&module("second", 6)))
}

/// Core Image functions of newer tools have a HASH that nobody can compute.
#[test]
fn core_image_hashes() {
    let mut new = builder(Dialect::Linker, 8, FileType::CoreImage);
    new.add(function("filter", FunctionType::EXTERN, VERSIONS, 2)).unwrap();
    let bytes = finish(new);
    let hash = tag_offset(&bytes, 0, FourCc::HASH);
    check(
        "core_image_hashes",
        &[("extern", bytes.clone()), ("other hash", patched(&bytes, hash, &[1, 2]))],
    );
}
