//! What all commands have in common.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::{self, Folder};

#[test]
fn lists_its_commands() {
    assert_cmd_snapshot!(Folder::new().mtlpack(&["--help"]));
}

#[test]
fn a_command_is_needed() {
    let output = Folder::new().mtlpack(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = Folder::new();
    for command in mtlpack::cli::command().get_subcommands() {
        let output = folder.mtlpack(&[command.get_name(), "--help"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        let example = format!("Example:\n  mtlpack {}", command.get_name());
        assert!(text.contains(&example), "{text}");
        for one in command.get_subcommands() {
            let words = [command.get_name(), one.get_name()];
            let output = folder.mtlpack(&[&words[..], &["--help"]].concat()).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let example = format!("Example:\n  mtlpack {}", words.join(" "));
            assert!(text.contains(&example), "{text}");
        }
    }
}

#[test]
fn reads_standard_input() {
    let folder = Folder::with_libraries();
    assert_cmd_snapshot!(folder.mtlpack_from("compute.metallib", &["info", "--short", "-"]));
}

#[test]
fn reads_standard_input_once() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "-", "-", "-o", "x.metallib"];
    assert_cmd_snapshot!(folder.mtlpack_from("compute.metallib", &arguments));
}

#[test]
fn writes_to_standard_output() {
    let folder = Folder::with_libraries();
    let output = folder.mtlpack(&["merge", "compute.metallib", "-o", "-"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, fixture::compute());
    assert!(output.stderr.is_empty());
}

#[test]
fn keeps_library_and_report_apart() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "compute.metallib", "-o", "-", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
}

#[test]
fn a_dependency_file_needs_a_named_output() {
    let folder = Folder::with_libraries();
    let arguments = ["merge", "compute.metallib", "-o", "-", "--depfile", "x.d"];
    assert_cmd_snapshot!(folder.mtlpack(&arguments));
    assert_eq!(folder.names(), ["compute.metallib", "draw.metallib"]);
}

#[test]
fn shows_the_bytes_around_an_error() {
    let folder = Folder::new();
    folder.write("damaged.metallib", &fixture::damaged());
    assert_cmd_snapshot!(folder.mtlpack(&["list", "damaged.metallib"]));
}

#[test]
fn says_that_a_file_was_cut() {
    let folder = Folder::new();
    let bytes = fixture::compute();
    folder.write("cut.metallib", &bytes[..bytes.len() - 1]);
    assert_cmd_snapshot!(folder.mtlpack(&["inspect", "cut.metallib"]));
}

#[test]
fn says_that_a_file_is_empty() {
    let folder = Folder::new();
    folder.write("empty.metallib", b"");
    assert_cmd_snapshot!(folder.mtlpack(&["list", "empty.metallib"]));
}

#[test]
fn reads_arguments_from_files() {
    let folder = Folder::with_libraries();
    folder.write("arguments", b"--short compute.metallib\n'draw.metallib'");
    assert_cmd_snapshot!(folder.mtlpack(&["info", "@arguments"]));
    assert_cmd_snapshot!(folder.mtlpack(&["info", "@none"]));
}

#[test]
fn colors_when_told() {
    let folder = Folder::with_libraries();
    let colored = folder.mtlpack(&["--color", "always", "info", "draw.metallib"]).output();
    assert!(colored.unwrap().stdout.starts_with(b"\x1b["));
    let mut command = folder.mtlpack(&["--color", "auto", "info", "draw.metallib"]);
    let plain = command.env("NO_COLOR", "1").output().unwrap();
    assert!(!plain.stdout.contains(&0x1b));
    let error = folder.mtlpack(&["list", "none", "--color", "always"]).output().unwrap();
    assert!(error.stderr.starts_with(b"\x1b["));
}

#[test]
fn a_closed_pipe_is_quiet() {
    let folder = Folder::new();
    let names: Vec<String> = (0..20_000).map(|n| format!("function_number_{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    folder.write("many.metallib", &fixture::kernels(&names, metallib::Platform::MACOS, 14));
    let mut command = folder.mtlpack(&["list", "many.metallib"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn completes_for_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = folder.mtlpack(&["completions", shell]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("strip-source"), "{shell}");
    }
    assert_cmd_snapshot!(folder.mtlpack(&["completions", "csh"]));
}
