//! What `derive` refuses, and what `verify_deep` finds where library and module differ.

use air_bitcode::Module;
use metallib::metadata::encode_debug_info;
use metallib::{Dialect, FileType, FourCc, FunctionSpec, FunctionType, TagList};
use mtlpack::derive::{Debug, entries};
use mtlpack::io::Input;
use mtlpack::{VerifyOptions, verify, verify_deep};
use mtlpack_tests::air::{Air, AirFunction};
use mtlpack_tests::derivable::{IMAGE, PATCH, VERTEX, with_text};
use mtlpack_tests::small::{builder, finish};

/// What is derived from a module with one function, as a function to add to a library.
fn spec(module: &[u8]) -> FunctionSpec<'static> {
    let derived = entries(&Module::parse(module).unwrap()).unwrap();
    let [derived] = &derived[..] else { panic!("{derived:?}") };
    let mut private = TagList::new();
    if let Debug::Info(info) = &derived.debug {
        private.push(FourCc::DEBI, &encode_debug_info(info)).unwrap();
    }
    let name = String::from_utf8_lossy(&derived.name).into_owned();
    let module = metallib::wrap(module).unwrap();
    let spec = FunctionSpec::new(name, derived.function_type, derived.versions, module);
    FunctionSpec { public: derived.public.clone(), private, extra: derived.extra(), ..spec }
}

/// A library of one function.
fn library(spec: FunctionSpec<'_>) -> Vec<u8> {
    let core_image = spec.function_type == FunctionType::EXTERN;
    let kind = if core_image { FileType::CoreImage } else { FileType::Executable };
    let mut new = builder(Dialect::Linker, 7, kind);
    new.add(spec).unwrap();
    finish(new)
}

/// What the deep check finds beyond the ordinary one, without offsets.
fn found(bytes: &[u8]) -> Vec<String> {
    let input = Input::from_bytes("library", bytes.to_vec());
    let ordinary = verify(&input, VerifyOptions { threads: 1 }).unwrap().findings;
    let deep = |threads| verify_deep(&input, VerifyOptions { threads }).unwrap().findings;
    let (one, two) = (deep(1), deep(2));
    assert_eq!(one, two);
    let new = one.iter().filter(|finding| !ordinary.contains(finding));
    let words = new.map(|finding| {
        assert_eq!(finding.kind, mtlpack::Kind::Derived);
        format!("{}: {} ({})", finding.severity, finding.what, finding.place)
    });
    words.collect()
}

#[test]
fn what_was_derived_is_clean() {
    for module in [VERTEX, PATCH, IMAGE] {
        let bytes = library(spec(module));
        let input = Input::from_bytes("library", bytes);
        let report = verify_deep(&input, VerifyOptions { threads: 1 }).unwrap();
        let words: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
        assert!(words.is_empty(), "{words:#?}");
    }
}

/// The tags are those that the texts of the modules ask for.
#[test]
fn the_tags_of_the_examples() {
    let vertex = spec(VERTEX);
    assert_eq!(vertex.name, "transform");
    assert_eq!(vertex.extra, [(FourCc::LAYR, vec![33])]);
    let tags: Vec<_> = vertex.public.iter().map(|tag| (tag.id, tag.payload)).collect();
    let expected: [(FourCc, &[u8]); 3] = [
        (FourCc::VATT, b"\x02\0position\0\0\x80color\0\x03\0"),
        (FourCc::VATY, b"\x02\0\x06\x13"),
        (FourCc::CNST, b"\x02\0scale\0\x03\0\0\x01flip\0\x35\x07\0\0"),
    ];
    assert_eq!(tags, expected);
    let debug = vertex.private.payload(FourCc::DEBI);
    assert_eq!(debug, Some(&b"\x0c\0\0\0/src/shaders/transform.metal\0"[..]));
    assert_eq!(spec(PATCH).extra, [(FourCc::TESS, vec![16 << 2 | 2])]);
    let image = spec(IMAGE);
    assert_eq!(image.public.payload(FourCc::RETR), Some(&[6_u8][..]));
    let arguments = b"\x04image\0\x3a\x03\x01\0\0\0\x02linear\0\x3b\
                      matrix\0\x3c\0\x10\x40\0\0\0\0\0\0\0\x0famount\0\x03";
    assert_eq!(image.public.payload(FourCc::ARGR), Some(&arguments[..]));
}

#[test]
fn an_absolute_file_name_stands_alone() {
    let absolute = with_text(VERTEX, "shaders/transform.metal", "/else/transform.metal");
    let debug = spec_of_wrapped(&absolute);
    assert_eq!(debug, b"\x0c\0\0\0/else/transform.metal\0");
}

fn spec_of_wrapped(module: &[u8]) -> Vec<u8> {
    let derived = entries(&Module::parse(module).unwrap()).unwrap();
    match &derived[0].debug {
        Debug::Info(info) => encode_debug_info(info),
        other => panic!("{other:?}"),
    }
}

/// Each tag with another payload.
#[test]
fn another_payload_is_found() {
    let lists: [(&[u8], FourCc, &[u8], &str); 5] = [
        (
            VERTEX,
            FourCc::VATT,
            b"\x02\0position\0\0\x80color\0\x03\x80",
            "entry 1: `color: index 3, standard, active`, the module gives `color: index 3, \
             standard, not active`",
        ),
        (VERTEX, FourCc::VATY, b"\x02\0\x06\x12", "entry 1: `Half3`, the module gives `Half4`"),
        (
            VERTEX,
            FourCc::CNST,
            b"\x01\0scale\0\x03\0\0\x01",
            "1 entries, the module gives 2: `scale: Float, index 0, required; flip: Bool, index \
             7, not required`",
        ),
        (IMAGE, FourCc::RETR, b"\x05", "`Float3`, the module gives `Float4`"),
        (
            IMAGE,
            FourCc::ARGR,
            b"\x04image\0\x3a\x03\x01\0\0\0\x02linear\0\x3b\
              matrix\0\x3c\0\x10\x40\0\0\0\0\0\0\0\x0famount\0\x04",
            "entry 3: `amount: Float2`, the module gives `amount: Float`",
        ),
    ];
    for (module, tag, payload, words) in lists {
        let mut changed = spec(module);
        changed.public.set(tag, payload).unwrap();
        let name = changed.name.clone();
        let expected = format!("error: {words} (function 0 `{name}` > tag {tag})");
        assert_eq!(found(&library(changed)), [expected]);
    }
    for (module, tag, byte, words) in [
        (VERTEX, FourCc::LAYR, 29, "`Int`, the module gives `UInt`"),
        (
            PATCH,
            FourCc::TESS,
            16 << 2 | 1,
            "`triangle patch, 16 control points`, the module gives `quad patch, 16 control points`",
        ),
    ] {
        let mut changed = spec(module);
        changed.extra = vec![(tag, vec![byte])];
        let name = changed.name.clone();
        let expected = format!("error: {words} (function 0 `{name}` > tag {tag})");
        assert_eq!(found(&library(changed)), [expected]);
    }
    let mut changed = spec(VERTEX);
    changed.private.set(FourCc::DEBI, b"\x0d\0\0\0/src/shaders/transform.metal\0").unwrap();
    let expected = "warning: `line 13 of /src/shaders/transform.metal`, the module gives `line \
                    12 of /src/shaders/transform.metal` (function 0 `transform` > tag DEBI)";
    assert_eq!(found(&library(changed)), [expected]);
}

/// Each tag taken away, and given to a function whose module has nothing of it.
#[test]
fn missing_and_needless_tags_are_found() {
    let plain = Air::new("plain", 2).module();
    let of_plain = || {
        let derived = entries(&Module::parse(&plain).unwrap()).unwrap();
        let (kind, versions) = (derived[0].function_type, derived[0].versions);
        FunctionSpec::new("plain", kind, versions, plain.clone())
    };
    for module in [VERTEX, PATCH, IMAGE] {
        let whole = spec(module);
        let in_entry = whole.extra.iter().map(|(id, payload)| (*id, payload.clone(), true));
        let in_group = whole.public.iter().map(|tag| (tag.id, tag.payload.to_vec(), false));
        for (tag, payload, is_extra) in in_entry.chain(in_group) {
            let (mut without, mut with) = (spec(module), of_plain());
            if is_extra {
                without.extra.retain(|(id, _)| *id != tag);
                with.extra.push((tag, payload));
            } else {
                without.public.retain(|other| other.id != tag);
                with.public.push(tag, &payload).unwrap();
            }
            let missing = found(&library(without));
            let start = format!("error: tag {tag} is missing, the module gives `");
            assert!(missing.len() == 1 && missing[0].starts_with(&start), "{missing:?}");
            assert!(missing[0].ends_with("> module)"), "{missing:?}");
            let needless = found(&library(with));
            let end = format!("`, the module gives no tag {tag} (function 0 `plain` > tag {tag})");
            assert!(needless.len() == 1 && needless[0].ends_with(&end), "{needless:?}");
        }
    }
}

/// What no known library has is refused with function and tag; the deep check notes it.
#[test]
fn what_is_not_known_is_refused_by_name() {
    let cases = [
        (VERTEX, "half4", "half9", "VATY: type `half9` is not known"),
        (VERTEX, "bool", "_Bool", "CNST: type `_Bool` is not known"),
        (
            VERTEX,
            "air.vertex_input",
            "air.patch_input",
            "VATT: input `air.patch_input` is not known to be written",
        ),
        (PATCH, "quad", "hexagon", "TESS: air.patch `hexagon`, expected `triangle` or `quad`"),
        (
            IMAGE,
            "texture2d<float, sample>",
            "texture3d<float, sample>",
            "ARGR: `air.ci_texture` of type `texture3d<float, sample>` is not known",
        ),
        (
            IMAGE,
            "air.read",
            "air.read_write",
            "ARGR: `air.ci_pointer` of type `float4x4` is not known",
        ),
        (
            IMAGE,
            "air.ci_sampler",
            "air.ci_struct",
            "ARGR: `air.ci_struct` of type `sampler` is not known",
        ),
    ];
    for (module, old, new, words) in cases {
        let whole = spec(module);
        let changed = with_text(module, old, new);
        let error = entries(&Module::parse(&changed).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("function `{}`: tag {words}", whole.name));
        let (tag, words) = words.split_once(": ").unwrap();
        let note = format!("note: tag {tag} cannot be derived from the module: {words} (");
        let found = found(&library(FunctionSpec { module: changed.into(), ..whole }));
        assert!(found.iter().any(|line| line.starts_with(&note)), "{found:?}");
    }
}

/// Modules without what every entry needs.
#[test]
fn lists_and_versions_are_asked_for() {
    let refused = |change: &dyn Fn(&mut Air)| {
        let mut air = Air::new("main", 2);
        change(&mut air);
        entries(&Module::parse(&air.module()).unwrap()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&|air| air.air = None),
        "function `main`: tag VERS: the module has no air.version of three numbers"
    );
    assert_eq!(
        refused(&|air| air.functions[0].is_declaration = true),
        "function `main`: tag TYPE: it is in list air.kernel, and no function that the module \
         defines"
    );
    assert_eq!(
        refused(&|air| air.functions[0].name.clear()),
        "function ``: tag NAME: the function has no name"
    );
    let mut several = Air::new("f", 3);
    let internal = AirFunction { linkage: 3, ..AirFunction::new("own", "") };
    several.functions.extend([internal, AirFunction::new("g", "")]);
    let bytes = several.module();
    let derived = entries(&Module::parse(&bytes).unwrap()).unwrap();
    let names: Vec<_> = derived.iter().map(|d| (d.name.to_vec(), d.function_type)).collect();
    let unqualified = FunctionType::UNQUALIFIED;
    assert_eq!(names, [(b"f".to_vec(), unqualified), (b"g".to_vec(), unqualified)]);
}
