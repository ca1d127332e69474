use metallib::{Library, Tag};
use metallib_write::module_hash;

use super::*;

fn committed(example: &Example) -> Vec<u8> {
    fs::read(root().join("examples").join(example.name).with_extension("metallib")).unwrap()
}

#[test]
fn committed_libraries_are_canonical() {
    for example in &EXAMPLES {
        let bytes = committed(example);
        let library = Library::parse(&bytes).unwrap();
        assert!(library.is_canonical(), "{}", example.name);
        let options = WriteOptions { rebuild: true, ..WriteOptions::default() };
        assert!(Plan::new(&library, options).unwrap().to_vec() == bytes, "{}", example.name);
        let identity = library.identity();
        assert_eq!(identity.container, Container::new(7));
        assert_eq!(identity.platform(), Some(Platform::MACOS));
        assert_eq!(identity.os, OsVersion { major: 14, minor: 0, update: 0 });
        assert_eq!((identity.is_mac(), identity.file_type()), (true, FileType::Executable));
        assert_eq!(library.dialect(), Dialect::Archiver);
        assert!(library.uuid().is_none() && library.reflection().is_none());
    }
}

#[test]
fn committed_functions_are_those_of_the_recipe() {
    for example in &EXAMPLES {
        let bytes = committed(example);
        let library = Library::parse(&bytes).unwrap();
        assert_eq!(library.functions().len(), example.functions.len());
        for (function, &(name, function_type)) in library.functions().iter().zip(example.functions)
        {
            assert_eq!(function.name(), name);
            assert_eq!(function.function_type(), Some(function_type));
            let versions = function.versions().unwrap();
            assert_eq!((versions.air, versions.language), (Version::new(2, 6), Version::new(3, 1)));
            let module = library.module_of(function).unwrap();
            assert_eq!(function.hash(), Some(&module_hash(module.bytes())));
            let wrapper = module.wrapper().unwrap();
            assert_eq!(wrapper.module_size(), module.bytes().len() as u64);
            assert!(function.private.is_empty());
        }
    }
}

#[test]
fn committed_metadata_is_what_the_format_says() {
    let tags = |name: &str, library: &str| -> Vec<(FourCc, Vec<u8>)> {
        let example = EXAMPLES.iter().find(|example| example.name == library).unwrap();
        let bytes = committed(example);
        let library = Library::parse(&bytes).unwrap();
        let function = library.function(name).unwrap();
        function.public.iter().map(|Tag { id, payload, .. }| (id, payload.to_vec())).collect()
    };
    assert_eq!(
        tags("quad_vertex", "quad"),
        [
            (FourCc::VATT, b"\x02\0position\0\0\x80color\0\x01\x80".to_vec()),
            (FourCc::VATY, vec![2, 0, 4, 6]),
        ]
    );
    assert_eq!(
        tags("scale", "scale"),
        [(FourCc::CNST, b"\x02\0factor\0\x03\0\0\x01clamp_result\0\x35\x01\0\x01".to_vec())]
    );
    assert_eq!(tags("quad_fragment", "quad"), []);
    assert_eq!(tags("vector_add", "vector_add"), []);
}

#[test]
fn committed_libraries_are_what_the_recipe_gives() {
    if assembler().unwrap().is_none() {
        println!("no llvm-as of LLVM {LLVM}: skipped 3 libraries");
        return;
    }
    run(&Args { check: true }).unwrap();
}
