//! Every module of every real library, decoded and encoded again.

use std::collections::HashSet;

use air_bitcode::{Module, WriteOptions};
use metallib::Library;
use mtlpack_tests::bitcode_laws::forget_positions;
use mtlpack_tests::{air_files, corpus_and_large, modules};

/// The repository's own libraries.
const EXAMPLES: [&[u8]; 3] = [
    include_bytes!("../../examples/quad.metallib"),
    include_bytes!("../../examples/scale.metallib"),
    include_bytes!("../../examples/vector_add.metallib"),
];

/// How many different modules the functions of a library have.
fn distinct(library: &Library<'_>) -> usize {
    let of_function = |function| library.module_of(function).map(|module| module.bytes().as_ptr());
    library.functions().iter().filter_map(of_function).collect::<HashSet<_>>().len()
}

#[test]
fn every_module_is_encoded_as_it_was() {
    let mut count = 0;
    let given = modules("bitcode round trip", |name, bytes| {
        let fail = |error| -> ! { panic!("{name}: {error}") };
        let mut module = Module::parse(bytes).unwrap_or_else(|error| fail(error));
        // Nothing decoded but the module block itself; with and without new positions.
        for positions in [false, true] {
            let options = WriteOptions { positions, records: positions };
            let written = module.to_bytes(options).unwrap_or_else(|error| fail(error));
            assert!(written == bytes, "{name}: differs, positions {positions}");
        }
        module.open_all().unwrap_or_else(|error| fail(error));
        let copied = module.to_bytes(WriteOptions::default()).unwrap_or_else(|error| fail(error));
        assert!(copied == bytes, "{name}: differs when all is decoded");
        let mut stream = module.stream().clone();
        stream.blocks.iter_mut().for_each(|block| forget_positions(block, true));
        let options = WriteOptions { positions: true, records: true };
        let mut written = Vec::new();
        let envelope = module.envelope();
        envelope
            .write(&mut written, |bytes| stream.write(bytes, options))
            .unwrap_or_else(|e| fail(e));
        assert!(written == bytes, "{name}: differs with all positions forgotten");
        count += 1;
    });
    // Counted another way: where functions say that their modules are, and files by their names.
    let samples = corpus_and_large("bitcode round trip");
    let of_libraries: usize = samples.iter().map(|sample| distinct(&sample.library())).sum();
    let of_examples: usize = EXAMPLES
        .iter()
        .map(|bytes| distinct(&Library::parse(bytes).unwrap_or_else(|error| panic!("{error}"))))
        .sum();
    let files = air_files().len();
    println!(
        "{count} modules: {of_libraries} of {} libraries, {files} `.air` files, {of_examples} of \
         examples",
        samples.len()
    );
    assert_eq!(count, given);
    assert_eq!(count, of_libraries + files + of_examples);
}
