//! The inside of modules against what the library says of them.

use metallib::{
    Dialect, FileType, FourCc, FunctionSpec, FunctionType, Module, OsVersion, Platform,
};
use mtlpack_tests::air::{Air, AirFunction};
use mtlpack_tests::small::*;

use super::check;

/// The archiver's library with another second module, laid out and hashed anew.
fn with_module(module: &[u8]) -> Vec<u8> {
    edited(&archiver(), |builder| builder.modules[1] = Module::new(module.to_vec()))
}

/// The same with a module that says something else than it should.
fn with(change: impl FnOnce(&mut Air)) -> Vec<u8> {
    let mut air = air("second", FunctionType::KERNEL, VERSIONS, 6);
    change(&mut air);
    with_module(&air.module())
}

/// A linker's library of one function, for this system, whose module `change` changes.
fn library(
    platform: Platform,
    os: (u16, u8),
    container: u16,
    change: impl FnOnce(&mut Air),
) -> Vec<u8> {
    let os = OsVersion { major: os.0, minor: os.1, update: 0 };
    let container = metallib::Container::new(container);
    let kind = FileType::Executable;
    let mut new = metallib::LibraryBuilder::new(Dialect::Linker, container, platform, os, kind);
    let mut air = air("main", FunctionType::KERNEL, VERSIONS, 0);
    change(&mut air);
    let [major, minor] = air.air.unwrap();
    let mut spec = kernel("main", 0);
    spec.versions.air = metallib::Version::new(major, minor);
    spec.versions.language = metallib::Version::new(air.language[0], air.language[1]);
    new.add(FunctionSpec { module: air.module().into(), ..spec }).unwrap();
    finish(new)
}

fn triple(text: &str) -> impl FnOnce(&mut Air) {
    move |air| air.triple = text.to_owned()
}

#[test]
fn entry_points() {
    let plain = plain();
    let name = tag_offset(&plain, 1, FourCc::NAME);
    let kind = tag_offset(&plain, 1, FourCc::TYPE);
    let another = |list: &'static str| {
        move |air: &mut Air| air.functions.push(AirFunction::new("other", list))
    };
    check(
        "entry_points",
        &[
            ("NAME", with(|air| "seconds".clone_into(&mut air.functions[0].name))),
            ("NAME alone", patched(&plain, name, b"S")),
            ("TYPE", patched(&plain, kind, &[0])),
            ("TYPE 3 with an entry point", patched(&plain, kind, &[3])),
            ("no entry point", with(|air| air.functions[0].list = "")),
            ("two entry points", with(another("air.kernel"))),
            ("a function besides", with(another(""))),
            (
                "many entry points, none of them right",
                with(|air| {
                    let name = |n| AirFunction::new(&format!("f{n}"), "air.vertex");
                    air.functions = (0..5).map(name).collect();
                }),
            ),
        ],
    );
}

/// The second function of a dynamic library is something else in the module.
#[test]
fn definitions() {
    let bytes = dynamic();
    let with = |change: &dyn Fn(&mut AirFunction)| {
        let mut air = shared_module(&["_Z1av", "_Z1bv"]);
        change(&mut air.functions[1]);
        edited(&bytes, |builder| builder.modules[0] = Module::new(air.module()))
    };
    check(
        "definitions",
        &[
            ("weak", with(&|function| function.linkage = 1)),
            ("missing", with(&|function| "_Z1cv".clone_into(&mut function.name))),
            ("declared", with(&|function| function.is_declaration = true)),
            ("internal", with(&|function| function.linkage = 3)),
            ("an entry point", with(&|function| function.list = "air.visible")),
        ],
    );
}

#[test]
fn versions() {
    let plain = plain();
    let vers = tag_offset(&plain, 1, FourCc::VERS);
    check(
        "versions",
        &[
            ("VERS", patched(&plain, vers + 2, &[7])),
            ("AIR of the module", with(|air| air.air = Some([2, 7]))),
            ("language of the module", with(|air| air.language = [3, 0])),
            ("no AIR version", with(|air| air.air = None)),
            (
                "language newer than AIR",
                library(Platform::MACOS, (14, 0), 7, |air| air.language = [3, 2]),
            ),
            (
                "language older than AIR",
                library(Platform::MACOS, (14, 0), 7, |air| air.language = [2, 0]),
            ),
        ],
    );
}

#[test]
fn targets() {
    let macos = |os, text| library(Platform::MACOS, os, 7, triple(text));
    let ios = |os, text| library(Platform::IOS, os, 7, triple(text));
    let (mac, phone) = ("air64-apple-macosx14.0.0", "air64-apple-ios17.0.0");
    check(
        "targets",
        &[
            ("sound", macos((14, 0), "air64_v26-apple-macosx14.0.0")),
            ("sound, iOS", ios((17, 0), phone)),
            ("platform", ios((14, 0), mac)),
            ("simulator", ios((17, 0), "air64-apple-ios17.0.0-simulator")),
            ("system older than the module", macos((13, 3), mac)),
            ("system newer than the module", macos((15, 0), mac)),
            ("triple with another AIR version", macos((14, 0), "air64_v27-apple-macosx14.0.0")),
            ("AIR newer than the system", macos((13, 0), "air64-apple-macosx13.0.0")),
            ("no triple", macos((14, 0), "")),
            ("another processor", macos((14, 0), "arm64-apple-macosx14.0.0")),
            ("macOS flag", library(Platform::IOS, (0, 0), 5, triple(mac))),
            ("two triples", with(triple("air64_v26-apple-macosx14.0.0"))),
            ("two producers", with(|air| "other".clone_into(&mut air.producer))),
            (
                "container of a newer linker",
                library(Platform::MACOS, (14, 0), 8, |air| {
                    "Apple metal version 32023.101 (metalfe-32023.101)"
                        .clone_into(&mut air.producer);
                }),
            ),
        ],
    );
}

#[test]
fn debug_information() {
    let full = full();
    let without = with_function(&full, 0, |function| {
        function.private.retain(|tag| tag.id != FourCc::DEBI);
    });
    let mut plain = air("first", FunctionType::KERNEL, VERSIONS, 1);
    plain.debug_info = false;
    let module = Module::new(plain.module());
    let flag = edited(&full, |builder| builder.modules[0] = module);
    check("debug_information", &[("no DEBI", without), ("no module flag", flag)]);
}

#[test]
fn reflection_names() {
    let other = |buffer: Vec<u8>| {
        let mut new = builder(Dialect::Linker, 7, FileType::Executable);
        let reflection = Some(buffer.into());
        new.add(FunctionSpec { reflection, ..kernel("first", 1) }).unwrap();
        finish(new)
    };
    check(
        "reflection_names",
        &[
            ("its own", other(reflection(&[b"first"]))),
            ("another", other(reflection(&[b"fist"]))),
            ("none", other(flatbuffer(40))),
        ],
    );
}

/// Bits that make no sense: where, and in which block.
#[test]
fn damage() {
    let small = module("second", 6);
    let at = |what: &[u8]| small.windows(what.len()).position(|window| window == what).unwrap();
    let changed = |at: usize, new: &[u8]| with_module(&patched(&small, at as u64, new));
    // The module block's length word is behind the magic number and the block's head.
    let length = 20 + 4 + 4;
    check(
        "damage",
        &[
            ("block too long", changed(length, &[0xff, 0xff])),
            ("block too short", changed(length, &[4, 0])),
            ("stream cut", {
                let mut cut = small.clone();
                cut.truncate(cut.len() - 64);
                let size = u32::try_from(cut.len() - 20).unwrap();
                with_module(&patched(&cut, 12, &size.to_le_bytes()))
            }),
            ("no module", with_module(&metallib::wrap(b"BC\xc0\xde").unwrap())),
            ("strings", changed(at(b"Metal") - 4, &[0xff; 2])),
        ],
    );
}
