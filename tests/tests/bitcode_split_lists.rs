//! Functions of one source that share an initializer of function constants.
//!
//! `tests/data/constants.ll` has a kernel that uses none of two constants, two that use both, and
//! one that uses one.

use std::path::Path;

use air_bitcode::Module;
use metallib::FourCc;
use mtlpack::derive;
use mtlpack_tests::llvm::{self, read, run};

const CONSTANTS: &[u8] = include_bytes!("../data/lists/constants.bc");

fn kept(name: &str) -> Result<Vec<u8>, String> {
    let kept = Module::parse(CONSTANTS).unwrap().keep_entry(name.as_bytes());
    kept.and_then(|kept| kept.to_bytes()).map_err(|error| error.to_string())
}

fn names(module: &[u8]) -> Vec<String> {
    let globals = Module::parse(module).unwrap().globals().unwrap();
    globals.iter().map(|global| global.name_text().into_owned()).collect()
}

#[test]
fn who_uses_all_keeps_the_initializer_and_who_uses_none_loses_it() {
    assert_eq!(names(&kept("plain").unwrap()), ["plain"]);
    for name in ["both", "again"] {
        let expected = [
            "_ZL6factor",
            "_Z6factor.MTL_FC_INIT_0_f",
            "_ZL5limit",
            "_Z5limit.MTL_FC_INIT_1_f",
            "llvm.global_ctors",
            "_GLOBAL__sub_I_constants.metal",
            name,
        ];
        assert_eq!(names(&kept(name).unwrap()), expected);
    }
    let tags = |name: &str| {
        let module = kept(name).unwrap();
        let derived = derive::entries(&Module::parse(&module).unwrap()).unwrap();
        derived[0].public.get(FourCc::CNST).map(|tag| tag.payload.to_vec())
    };
    assert_eq!(tags("plain"), None);
    assert_eq!(tags("both").unwrap(), b"\x02\0factor\0\x03\0\0\x01limit\0\x03\x01\0\x01");
    assert_eq!(tags("again"), tags("both"));
}

#[test]
fn who_uses_a_part_is_refused() {
    assert_eq!(
        kept("some").unwrap_err(),
        "initializers or a list of used globals that several functions share keep \
         _ZL5limit, which this one does not use; they cannot be split"
    );
}

/// The lines of a function, without the number of its attributes.
fn body(text: &str, name: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.contains(&format!("void @{name}(")));
    lines.skip(1).take_while(|line| *line != "}").map(str::to_owned).collect()
}

#[test]
fn what_is_left_is_what_llvm_reads() {
    let test = "initializers of several functions";
    let (Some(disassemble), Some(assemble)) =
        (llvm::find("llvm-dis", test), llvm::find("llvm-as", test))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name).with_extension("bc");
        std::fs::write(&file, bytes).unwrap();
        let text = run(&disassemble, &[], &file, "ll").unwrap();
        run(&assemble, &[], &text, "out").unwrap();
        read(&text)
    };
    let original = text("constants", CONSTANTS);
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/lists/constants.ll");
    let written = folder.path().join("written.ll");
    std::fs::copy(data, &written).unwrap();
    let written = run(&assemble, &["-preserve-bc-uselistorder=false"], &written, "bc").unwrap();
    let same = text("written", &std::fs::read(written).unwrap());
    assert_eq!(llvm::plain(&same), llvm::plain(&original), "run llvm-as on constants.ll");
    for name in ["plain", "both", "again"] {
        let split = text(name, &kept(name).unwrap());
        let lines = body(&split, name);
        assert!(lines.len() > 1 && lines == body(&original, name), "{name}: {split}");
        let has_initializer = split.contains("@llvm.global_ctors = appending");
        assert_eq!(has_initializer, name != "plain");
        let initializer = "_GLOBAL__sub_I_constants.metal";
        assert!(!has_initializer || body(&split, initializer) == body(&original, initializer));
    }
}
