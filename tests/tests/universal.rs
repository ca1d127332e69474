//! Universal files of every form around real libraries.
#![allow(clippy::unwrap_used)]

use std::process::Command;

use metallib_fat::{Architecture, Builder, ByteOrder, Form, Universal};
use mtlpack_tests::corpus;

/// All eight forms.
fn forms() -> impl Iterator<Item = Form> {
    [ByteOrder::Big, ByteOrder::Little].into_iter().flat_map(|order| {
        [(false, false), (false, true), (true, false), (true, true)].map(|(gpu, wide)| Form {
            gpu,
            wide,
            order,
        })
    })
}

fn air(version: u32) -> Architecture {
    Architecture { cpu_type: Architecture::AIR64, cpu_subtype: version }
}

#[test]
fn wrapped_and_thinned_every_library_is_the_original() {
    let (mut count, mut previous) = (0, b"another slice".to_vec());
    for sample in corpus("universal files") {
        for form in forms() {
            let mut builder = Builder::new(form);
            builder.push(air(1), &previous).unwrap();
            builder.push(air(2), &sample.bytes).unwrap();
            let bytes = builder.to_vec().unwrap();
            let universal = Universal::parse(&bytes).unwrap();
            assert_eq!(universal.form(), form);
            assert_eq!(universal.irregularity(), None, "{}", sample.name);
            assert!(universal.slice(air(1)).unwrap().bytes() == previous, "{}", sample.name);
            assert!(universal.slice(air(2)).unwrap().bytes() == sample.bytes, "{}", sample.name);
            assert!(universal.edit(false).unwrap().to_vec().unwrap() == bytes, "{}", sample.name);
        }
        previous = sample.bytes;
        count += 1;
    }
    println!("wrapped {count} libraries into files of 8 forms each");
}

/// What the system's `file` says of a file; nothing where there is no such command.
fn file_says(bytes: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("universal");
    std::fs::write(&path, bytes).unwrap();
    let output = Command::new("file").arg("-b").arg(&path).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn file_recognises_the_ordinary_form() {
    let mut builder = Builder::new(Form::ORDINARY);
    builder.push(air(1), b"MTLB").unwrap();
    builder.push(air(2), b"MTLB").unwrap();
    match file_says(&builder.to_vec().unwrap()) {
        None => println!("file: not installed, skipped"),
        Some(text) => {
            assert!(text.starts_with("Mach-O universal binary with 2 architectures"), "{text}");
        }
    }
}
