//! The module of one function: the same where it was alone, and what the function needs elsewhere.

use air_bitcode::{KeptReport, Module};
use mtlpack_tests::id_laws::modules;

/// Modules of one entry point, as linkers and compilers leave them.
#[test]
fn what_is_alone_stays_as_it_is() {
    let (mut same, mut sources, mut other) = (0, 0, 0);
    modules("modules of one function", |name, bytes| {
        let mut module = Module::parse(bytes).unwrap();
        let entries = module.air_info().unwrap().entries;
        let [entry] = &entries[..] else { return };
        let splitter = module.splitter().unwrap_or_else(|error| panic!("{name}: {error}"));
        let kept = splitter.keep(&entry.name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = kept.to_bytes().unwrap();
        let report = *kept.report();
        if report == KeptReport::default() {
            assert!(written == bytes, "{name}");
            same += 1;
        } else if (KeptReport { sources: 0, ..report }) == KeptReport::default() {
            sources += 1;
        } else {
            other += 1;
            println!(
                "{} {} {report:?}",
                name.rsplit('/').next().unwrap(),
                String::from_utf8_lossy(&entry.name)
            );
        }
    });
    println!("{same} are the same, {sources} but for their sources, {other} others");
}
