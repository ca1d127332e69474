use std::fs;
use std::path::Path;

use metallib::{Container, Dialect, FileType, FunctionSpec, FunctionType, LibraryBuilder};
use metallib::{Library, Module, ModuleId, OsVersion, Platform, Version, Versions};
use metallib_write::{Plan, UuidAction, UuidForm, WriteOptions};

use super::batch::{BATCH, batches};
use super::{plan_draft, write, write_draft};
use crate::draft::{Draft, NameChange};
use crate::edited::Edited;
use crate::error::Error;
use crate::io::{Input, IoError, OutputFile};

/// A library with modules of these sizes.
fn library(sizes: &[usize]) -> Vec<u8> {
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    let (container, kind) = (Container::new(7), FileType::Executable);
    let mut builder = LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };
    for (index, &size) in sizes.iter().enumerate() {
        let bitcode: Vec<u8> = (0..=251_u8).cycle().skip(index).take(size).collect();
        let module = metallib::wrap(&bitcode).unwrap();
        let name = format!("function_{index}");
        builder.add(FunctionSpec::new(name, FunctionType::KERNEL, versions, module)).unwrap();
    }
    let library = builder.finish().unwrap();
    Plan::new(&library, recompute()).unwrap().to_vec()
}

fn recompute() -> WriteOptions {
    WriteOptions { uuid: UuidAction::Recompute(UuidForm::Sha256), ..WriteOptions::default() }
}

/// The functions of all libraries, twice each other one, and one new module in front.
fn joined<'a>(parts: &[Library<'a>]) -> Library<'a> {
    let mut builder = parts[0].clone().edit(false).unwrap();
    builder.functions.clear();
    builder.modules.clear();
    let new = builder.add_module(Module::new(vec![7; BATCH + 100])).unwrap();
    let mut first = parts[0].functions()[0].clone();
    first.module = Some(new);
    builder.functions.push(first);
    for part in parts.iter().chain(parts.iter().step_by(2)) {
        for function in part.functions() {
            let module = part.module_of(function).unwrap().clone();
            let mut function = function.clone();
            function.module = Some(builder.add_module(module).unwrap());
            builder.functions.push(function);
        }
    }
    builder.finish().unwrap()
}

fn open(folder: &Path, name: &str, sizes: &[usize]) -> Input {
    let path = folder.join(name);
    fs::write(&path, library(sizes)).unwrap();
    Input::open(&path).unwrap()
}

fn parse(input: &Input) -> Library<'_> {
    Library::parse(input.bytes()).unwrap()
}

#[test]
fn gives_the_bytes_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let large = open(folder.path(), "large", &[3 * BATCH + 5, 1, BATCH, 0, 2 * BATCH]);
    let small = open(folder.path(), "small", &[40; 3000]);
    let memory = Input::from_bytes("memory", library(&[100, 200_000]));
    let inputs = [&large, &small, &memory];
    let library = joined(&inputs.map(parse));
    let plan = Plan::new(&library, recompute()).unwrap();
    let expected = plan.to_vec();
    for known in [&inputs[..], &inputs[1..], &[]] {
        for threads in [0, 1, 2, 8] {
            let path = folder.path().join("out");
            let mut output = OutputFile::create(&path).unwrap();
            write(&plan, known, &mut output, threads).unwrap();
            assert_eq!(output.written(), plan.total_size());
            output.finish().unwrap();
            assert!(fs::read(&path).unwrap() == expected, "{} inputs, {threads}", known.len());
        }
    }
}

#[test]
fn unedited_libraries_need_no_hash() {
    let folder = tempfile::tempdir().unwrap();
    let input = open(folder.path(), "in", &[2 * BATCH, 10]);
    let library = parse(&input);
    let plan = Plan::new(&library, WriteOptions::default()).unwrap();
    let path = folder.path().join("out");
    let mut output = OutputFile::create(&path).unwrap();
    write(&plan, &[&input], &mut output, 2).unwrap();
    output.finish().unwrap();
    assert!(fs::read(&path).unwrap() == input.bytes());
}

#[test]
fn batches_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let input = open(folder.path(), "in", &[3 * BATCH, 500, 100_000, 70_000, 5]);
    let library = joined(&[parse(&input)]);
    let plan = Plan::new(&library, recompute()).unwrap();
    let inputs = [&input];
    let sizes: Vec<(usize, usize)> =
        batches(plan.pieces(), &inputs).map(|batch| batch.unwrap().sizes()).collect();
    assert_eq!(sizes.iter().map(|(bytes, _)| *bytes as u64).sum::<u64>(), plan.total_size());
    assert!(sizes.iter().all(|&(bytes, window)| (1..=BATCH).contains(&bytes) && window <= BATCH));
    let at_least = plan.total_size().div_ceil(BATCH as u64);
    assert!(sizes.len() as u64 <= 2 * at_least, "{} batches", sizes.len());
}

#[test]
fn an_input_that_was_cut_is_an_error() {
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let input = open(folder.path(), "in", &[2 * BATCH, BATCH, 2 * BATCH]);
        let library = joined(&[parse(&input)]);
        let plan = Plan::new(&library, recompute()).unwrap();
        let file = fs::OpenOptions::new().write(true).open(folder.path().join("in")).unwrap();
        file.set_len(3 * BATCH as u64).unwrap();
        let mut output = OutputFile::create(folder.path().join("out")).unwrap();
        let error = write(&plan, &[&input], &mut output, threads).unwrap_err();
        assert!(matches!(error, Error::Io(IoError::Changed { .. })), "{error}");
        drop(output);
        assert!(!folder.path().join("out").exists());
    }
}

/// A library with so many copies of a real function that its modules fill several batches.
fn copies(of: &Library<'_>) -> Vec<u8> {
    let mut builder = of.clone().edit(false).unwrap();
    let (function, module) = (of.functions()[0].clone(), of.modules()[0].clone());
    builder.functions.clear();
    builder.modules.clear();
    let count = 5 * BATCH / 2 / module.bytes().len();
    for _ in 0..count {
        let mut function = function.clone();
        function.module = Some(builder.add_module(module.clone()).unwrap());
        builder.functions.push(function);
    }
    Plan::new(&builder.finish().unwrap(), recompute()).unwrap().to_vec()
}

#[test]
fn drafts_are_written_as_they_are_finished_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = include_bytes!("../../../../examples/vector_add.metallib");
    let original = Library::parse(bytes).unwrap();
    let path = folder.path().join("in");
    fs::write(&path, copies(&original)).unwrap();
    let input = Input::open(&path).unwrap();
    let library = parse(&input);
    let old = original.functions()[0].name_bytes();
    for step in [1, 2, library.modules().len() / 2, library.modules().len()] {
        let changes = (0..).zip(library.modules()).step_by(step).map(|(index, _)| {
            let change =
                NameChange { old: old.to_vec(), new: format!("renamed_{index}").into_bytes() };
            (ModuleId::from_index(index), vec![change])
        });
        let mut edited = Edited::unchanged(library.clone().edit(false).unwrap().finish().unwrap());
        edited.uuid = UuidAction::Recompute(UuidForm::Sha256);
        let draft = Draft::new("in", edited, changes.collect());
        let finished = draft.clone().finish().unwrap();
        let expected = finished.to_vec().unwrap();
        for known in [&[&input][..], &[]] {
            for threads in [0, 1, 2, 8] {
                let path = folder.path().join("out");
                let mut output = OutputFile::create(&path).unwrap();
                let written = write_draft(&draft, known, &mut output, threads).unwrap();
                output.finish().unwrap();
                assert!(fs::read(&path).unwrap() == expected, "{step}, {threads}");
                assert_eq!(written.size, expected.len() as u64);
                assert_eq!(written.notes, finished.notes);
                assert!(written.notes[0].starts_with("string tables grew by"));
                let planned = plan_draft(&draft, known, threads).unwrap();
                assert_eq!((planned.size, planned.regions), (written.size, written.regions));
            }
        }
    }
}

#[test]
fn a_module_that_cannot_be_edited_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let input = open(folder.path(), "in", &[100, 200]);
    let library = parse(&input);
    let change = NameChange { old: b"a".to_vec(), new: b"b".to_vec() };
    let edited = Edited::unchanged(library.clone().edit(false).unwrap().finish().unwrap());
    let draft =
        Draft::new("in", edited, [(ModuleId::from_index(1), vec![change])].into_iter().collect());
    let mut output = OutputFile::create(folder.path().join("out")).unwrap();
    let error = write_draft(&draft, &[&input], &mut output, 2).unwrap_err().to_string();
    let offset = library.modules()[1].offset();
    let expected = format!("in: function 1 `a`, module at offset {offset:#x}: ");
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(draft.finish().unwrap_err().to_string(), error);
}
