//! Reflection buffers over the corpus: each says its function's name, and can say another.

use metallib::Reflection;
use mtlpack_tests::corpus;

#[test]
fn every_buffer_names_its_function() {
    let mut count = 0;
    for sample in corpus("reflection") {
        let library = sample.library();
        let Some(list) = library.reflection() else { continue };
        for function in library.functions() {
            let Some(id) = function.reflection else { continue };
            let buffer = list.entries()[id.index()].buffer().unwrap();
            let reflection = Reflection::new(&buffer).unwrap();
            let names: Vec<&[u8]> = reflection.function_names().collect();
            if library.is_dynamic() {
                assert!(names.is_empty(), "{}: {names:?}", sample.name);
                continue;
            }
            assert_eq!(names, [function.name_bytes()], "{}", sample.name);
            let renamed = reflection.renamed(names[0], b"ns::other name").unwrap();
            let other = Reflection::new(&renamed).unwrap();
            assert_eq!(other.function_names().collect::<Vec<_>>(), [b"ns::other name"]);
            let back = other.renamed(b"ns::other name", names[0]).unwrap();
            assert_eq!(back, *buffer);
            count += 1;
        }
    }
    println!("{count} reflection buffers");
}
