//! Law 8 for files: streaming a plan through windows gives the plan's bytes.

use metallib::{FourCc, Library, LibraryBuilder, ModuleId};
use metallib_write::{Hashes, Plan, UuidAction, UuidForm, WriteOptions};
use mtlpack::io::{Input, OutputFile};
use mtlpack_tests::{corpus, corpus_folder};

/// Each library with the functions and modules of the next behind its own.
#[test]
fn streamed_outputs_are_those_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<Input> = corpus("stream")
        .iter()
        .map(|sample| Input::open(corpus_folder().join(&sample.name)).unwrap())
        .collect();
    for pair in inputs.windows(2) {
        let [first, second] = [&pair[0], &pair[1]];
        let library = joined(first, second);
        let uuid = UuidAction::Recompute(UuidForm::Sha256);
        let plan =
            Plan::new(&library, WriteOptions { rebuild: true, hashes: Hashes::Changed, uuid })
                .unwrap();
        let expected = plan.to_vec();
        for threads in [1, 2] {
            let path = folder.path().join("out");
            let mut output = OutputFile::create(&path).unwrap();
            mtlpack::stream::write(&plan, &[first, second], &mut output, threads).unwrap();
            output.finish().unwrap();
            assert!(std::fs::read(&path).unwrap() == expected, "{}", first.name());
        }
    }
}

fn joined<'a>(first: &'a Input, second: &'a Input) -> Library<'a> {
    let mut builder: LibraryBuilder<'a> = parse(first).edit(false).unwrap();
    let second = parse(second);
    let base = u32::try_from(builder.modules.len()).unwrap();
    builder.modules.extend(second.modules().iter().cloned());
    for function in second.functions() {
        let mut function = function.clone();
        let moved = |id: ModuleId| ModuleId::from_index(u32::try_from(id.index()).unwrap() + base);
        function.module = function.module.map(moved);
        function.archive = None;
        function.reflection = None;
        function.tags.retain(|tag| !matches!(tag.id, FourCc::SOFF | FourCc::RFLT));
        builder.functions.push(function);
    }
    builder.finish().unwrap()
}

fn parse(input: &Input) -> Library<'_> {
    Library::parse(input.bytes()).unwrap()
}
