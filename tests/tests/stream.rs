//! Law 8 for files: streaming a plan through windows gives the plan's bytes.

use metallib::{FourCc, Library, LibraryBuilder, ModuleId};
use metallib_write::{Hashes, Plan, UuidAction, UuidForm, WriteOptions};
use mtlpack::io::{Input, OutputFile};
use mtlpack::stream::{plan_draft, write_draft};
use mtlpack::{Named, rename_functions};
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

/// Drafts: modules edited while they are written are those edited in memory.
#[test]
fn streamed_drafts_are_those_finished_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    for sample in corpus("streamed drafts") {
        let input = Input::open(corpus_folder().join(&sample.name)).unwrap();
        let library = parse(&input);
        // Every second function, so that batches have modules of both kinds.
        let functions = library.functions().iter().enumerate().step_by(2);
        let names = functions.map(|(i, f)| (i, [b"ours::", f.name_bytes()].concat())).collect();
        let named = Named { name: input.name(), library: &library };
        let draft = rename_functions(named, &names, false).unwrap();
        let finished = draft.clone().finish().unwrap();
        let expected = finished.to_vec().unwrap();
        for threads in [1, 2] {
            let path = folder.path().join("out");
            let mut output = OutputFile::create(&path).unwrap();
            let written = write_draft(&draft, &[&input], &mut output, threads).unwrap();
            output.finish().unwrap();
            assert!(std::fs::read(&path).unwrap() == expected, "{}", input.name());
            assert_eq!(written.notes, finished.notes);
        }
        let planned = plan_draft(&draft, &[&input], 2).unwrap();
        assert_eq!(planned.size, expected.len() as u64);
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
