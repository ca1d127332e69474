//! docs/cli.md says what the command can do, no more and no less.

use std::collections::BTreeSet;

use metallib::Platform;
use serde_json::Value;

use crate::fixture::{self, Folder};

const PAGE: &str = include_str!("../../../../docs/cli.md");

type Names = BTreeSet<String>;

/// The part of the page under a heading, up to the next one that is not below it.
fn section(heading: &str) -> &'static str {
    let start = PAGE.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let body = &PAGE[start + heading.len() + 2..];
    let rank = heading.find(' ').unwrap();
    let is_next = |line: &str| (1..=rank).any(|n| line.starts_with(&format!("{} ", "#".repeat(n))));
    let lines = body.split_inclusive('\n').take_while(|line| !is_next(line));
    &body[..lines.map(str::len).sum()]
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The long options that a text names in backticks.
fn options(text: &str) -> Names {
    let words = quoted(text).filter_map(|code| code.split([' ', '|']).next());
    words.filter_map(|word| word.strip_prefix("--")).map(str::to_owned).collect()
}

/// The fields that the table of a section lists.
fn fields(heading: &str) -> Names {
    let rows = section(heading).lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| quoted(row).next().unwrap().to_owned()).collect()
}

/// Paths of all fields of a value, lists as `name[]`.
fn paths(value: &Value, prefix: &str, found: &mut Names) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                found.insert(path.clone());
                paths(value, &path, found);
            }
        }
        Value::Array(list) => {
            let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}[]") };
            list.iter().for_each(|value| paths(value, &prefix, found));
        }
        _ => {}
    }
}

fn paths_of(folder: &Folder, arguments: &[&str]) -> Names {
    let output = folder.mtlpack(arguments).output().unwrap();
    let mut found = Names::new();
    paths(&serde_json::from_slice(&output.stdout).unwrap(), "", &mut found);
    found
}

/// All commands with their full names; those of a group in its place.
fn commands() -> Vec<(String, clap::Command)> {
    let mut all = Vec::new();
    for command in mtlpack::cli::command().get_subcommands() {
        let name = command.get_name();
        let before = all.len();
        let of_group = command.get_subcommands();
        all.extend(of_group.map(|one| (format!("{name} {}", one.get_name()), one.clone())));
        if all.len() == before {
            all.push((name.to_owned(), command.clone()));
        }
    }
    all
}

#[test]
fn every_command_has_its_section() {
    let headings = PAGE.lines().filter_map(|line| line.strip_prefix("## mtlpack "));
    let on_page: Vec<&str> = headings.collect();
    let known: Vec<String> = commands().into_iter().map(|(name, _)| name).collect();
    assert_eq!(on_page, known);
    for name in known {
        let anchor = name.replace(' ', "-");
        assert!(PAGE.contains(&format!("[{name}](#mtlpack-{anchor})")), "contents: {name}");
    }
}

#[test]
fn every_option_is_on_the_page() {
    for (name, command) in commands() {
        let text = section(&format!("## mtlpack {name}"));
        let known = command.get_arguments().filter_map(clap::Arg::get_long);
        let known: Names = known.map(str::to_owned).collect();
        assert_eq!(options(text), known, "{name}");
    }
}

#[test]
fn common_options_are_those_of_the_commands_that_write() {
    let text = section("### Options of commands that write");
    let command = mtlpack::cli::command();
    let merge = command.find_subcommand("merge").unwrap();
    let strip = command.find_subcommand("strip-source").unwrap();
    let of = |command: &clap::Command| -> Names {
        command.get_arguments().filter_map(clap::Arg::get_long).map(str::to_owned).collect()
    };
    assert_eq!(options(text), of(merge).intersection(&of(strip)).cloned().collect());
}

#[test]
fn choices_are_those_of_the_command() {
    for (command_name, command) in commands() {
        let text = section(&format!("## mtlpack {command_name}"));
        for code in quoted(text).filter(|code| code.starts_with("--") && code.contains('|')) {
            let (name, choices) = code[2..].split_once(' ').unwrap();
            let argument = command.get_arguments().find(|a| a.get_long() == Some(name)).unwrap();
            let known: Vec<String> =
                argument.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
            let on_page: Vec<&str> = choices.split('|').map(|c| c.trim_end_matches('\\')).collect();
            assert_eq!(on_page, known, "{command_name} {name}");
        }
    }
}

#[test]
fn every_field_is_on_the_page() {
    let folder = Folder::with_libraries();
    folder.write("debug.metallib", &fixture::with_sources());
    folder.write("odd.metallib", &fixture::irregular());
    let json = |arguments: &[&str]| paths_of(&folder, &[arguments, &["--format", "json"]].concat());
    let scale = fixture::example("scale.metallib");
    folder.write("unread.metallib", &fixture::unread());
    let info = json(&["info", "debug.metallib", "odd.metallib", "unread.metallib", &scale]);
    assert_eq!(fields("### JSON of info"), info);
    let check = json(&["check", "draw.metallib", "--max-air", "2.5"]);
    assert_eq!(fields("### JSON of check"), check);
    let diff = json(&["diff", "compute.metallib", "draw.metallib"]);
    let old = ["diff", "draw.metallib", "odd.metallib", "--format", "json"];
    folder.write("odd.metallib", &fixture::changed(&fixture::draw()));
    let diff: Names = diff.union(&paths_of(&folder, &old)).cloned().collect();
    folder.write("odd.metallib", &fixture::irregular());
    assert_eq!(fields("### JSON of diff"), diff);
    assert_eq!(fields("### JSON of size"), json(&["size", "draw.metallib"]));
    assert_eq!(fields("### JSON of explain"), json(&["explain", "invalid UUID"]));
    assert_eq!(fields("### JSON of list"), json(&["list", "draw.metallib"]));
    assert_eq!(fields("### JSON of uuid"), json(&["uuid", "draw.metallib"]));
    let lipo = json(&["lipo", "draw.metallib", "-info"]);
    assert_eq!(fields("### JSON of lipo"), lipo);
    let symbols = [&["symbols"][..], &["symbols", "--united"]];
    let symbols = symbols.map(|words| json(&[words, &[&scale]].concat()));
    let symbols: Names = symbols.into_iter().flatten().collect();
    assert_eq!(fields("### JSON of symbols"), symbols);
    folder.write("build.metallib", &fixture::with_paths("/Users/ada/noise", 1));
    assert_eq!(fields("### JSON of paths"), json(&["paths", "build.metallib"]));
    folder.write("shared.metallib", &fixture::shared());
    assert_eq!(fields("### JSON of extract"), json(&["extract", "shared.metallib", "--dry-run"]));
    folder.write("sources.metallib", &fixture::sources());
    assert_eq!(fields("### JSON of sources list"), json(&["sources", "list", "sources.metallib"]));
    let extract = json(&["sources", "extract", "sources.metallib", "--dry-run"]);
    assert_eq!(fields("### JSON of sources extract"), extract);
    let strip = ["strip-source", "sources.metallib", "-o", "x", "--companion", "y"];
    assert!(folder.mtlpack(&strip).output().unwrap().status.success());
    let strip = ["strip-source", "debug.metallib", "-o", "debug", "--companion", "z"];
    assert!(folder.mtlpack(&strip).output().unwrap().status.success());
    assert_eq!(fields("### JSON of join"), json(&["join", "x", "z", "--check"]));
    folder.write("wrong.mtlp-json", b"{\"a\": 1}");
    assert_eq!(fields("### JSON of script check"), json(&["script", "check", "wrong.mtlp-json"]));
    let plan = json(&["merge", "draw.metallib", "compute.metallib", "--dry-run"]);
    let renames = json(&["rename", &scale, "--prefix", "p_", "--dry-run"]);
    let plan = plan.union(&renames).cloned().collect();
    assert_eq!(fields("### JSON of commands that write"), plan);
    folder.write("wrong.metallib", &wrong_hashes(&["a"]));
    let roundtrip = json(&["roundtrip", "wrong.metallib", "odd.metallib"]);
    assert_eq!(fields("### JSON of roundtrip"), roundtrip);
    let nodes = json(&["inspect", "draw.metallib"]);
    let nodes: Names = nodes.iter().map(|path| path.replace("children[].", "")).collect();
    assert_eq!(fields("### JSON of inspect"), nodes);
}

#[test]
fn verify_has_every_field_on_the_page() {
    let folder = Folder::new();
    // So many kernels with wrong hashes that some are omitted.
    let names: Vec<String> = (0..120).map(|n| format!("kernel_{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    folder.write("wrong.metallib", &wrong_hashes(&names));
    let found = paths_of(&folder, &["verify", "--format", "json", "wrong.metallib"]);
    assert_eq!(fields("### JSON of verify"), found);
}

/// A library whose hashes are those of no module.
fn wrong_hashes(names: &[&str]) -> Vec<u8> {
    let bytes = fixture::kernels(names, Platform::MACOS, 14);
    let library = metallib::Library::parse(&bytes).unwrap();
    let mut changed = bytes.clone();
    for function in library.functions() {
        let hash = function.tags.get(metallib::FourCc::HASH).unwrap();
        changed[usize::try_from(hash.offset).unwrap()] ^= 1;
    }
    changed
}
