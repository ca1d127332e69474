//! What is split is, as LLVM reads it, the function with all that it leads to, and nothing else.

use std::path::Path;

use air_bitcode::Module;
use mtlpack_tests::listing::{Listing, belonging, written};
use mtlpack_tests::llvm::{self, read, run};

/// Modules of several entry points, with the names of these.
fn several(test: &str, mut each: impl FnMut(&str, &[u8], &[String])) {
    mtlpack_tests::modules(test, |name, bytes| {
        let entries = Module::parse(bytes).unwrap().air_info().unwrap().entries;
        let text =
            |entry: &air_bitcode::EntryPoint<'_>| String::from_utf8_lossy(&entry.name).into_owned();
        let entries: Vec<String> = entries.iter().map(text).collect();
        if entries.len() > 1 {
            each(name, bytes, &entries);
        }
    });
}

/// A line without what a function loses that nobody else sees.
fn unlinked(entry: &str, name: &str, line: String) -> String {
    let is_other = name.starts_with('@') && name != entry && line.starts_with("define ");
    if !is_other {
        return line;
    }
    let mut rest = &line["define ".len()..];
    for word in ["internal ", "linkonce_odr ", "weak_odr ", "hidden ", "dso_local "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    format!("define {rest}")
}

/// Which of the counts is that of constants.
const CONSTANTS: usize = 3;
/// The same of nodes.
const NODES: usize = 4;

/// Records of the blocks that hold what may be left over, by block and kind.
fn counts(bytes: &[u8]) -> Vec<(&'static str, usize)> {
    let module = Module::parse(bytes).unwrap();
    let mut module = module.clone();
    module.open_all().unwrap();
    let mut counts =
        [("types", 0), ("lists of attributes", 0), ("groups", 0), ("constants", 0), ("nodes", 0)]
            .to_vec();
    count(module.items(), &mut counts);
    let globals = module.globals().unwrap().len();
    let strings = Module::parse(bytes).unwrap().texts(b"").unwrap();
    let is_string = |text: &&air_bitcode::Text<'_>| {
        matches!(text.place, air_bitcode::TextPlace::Metadata { .. })
    };
    counts.push(("globals", globals));
    counts.push(("strings", strings.iter().filter(is_string).count()));
    let symbols = Module::parse(bytes).unwrap();
    counts.push((
        "symbols",
        symbols.symbol_table().unwrap().map_or(globals, |t| t.symbols().unwrap().len()),
    ));
    counts
}

fn count(items: &[air_bitcode::Item<'_>], counts: &mut [(&'static str, usize)]) {
    use air_bitcode::ids::{block, constants, metadata, types};
    for item in items {
        let air_bitcode::Item::Block(found) = item else { continue };
        let items = found.items().unwrap_or_default();
        let records = items.iter().filter_map(|item| match item {
            air_bitcode::Item::Record(record) => Some(record.code()),
            _ => None,
        });
        match found.id() {
            block::TYPE => {
                counts[0].1 += records
                    .filter(|code| ![types::NUMENTRY, types::STRUCT_NAME].contains(code))
                    .count();
            }
            block::PARAMATTR => counts[1].1 += records.count(),
            block::PARAMATTR_GROUP => counts[2].1 += records.count(),
            block::CONSTANTS => {
                counts[CONSTANTS].1 += records.filter(|&code| code != constants::SETTYPE).count();
            }
            block::METADATA => {
                let nodes =
                    [metadata::VALUE, metadata::NODE, metadata::DISTINCT_NODE, metadata::OLD_NODE];
                counts[NODES].1 += records.filter(|code| nodes.contains(code)).count();
            }
            block::FUNCTION => count(items, counts),
            _ => {}
        }
    }
}

/// Checks the module of one function against the text of the module it was in.
fn check(
    tools: [&str; 2],
    folder: &Path,
    (before, named): (&Listing, bool),
    entry: &str,
    bytes: &[u8],
) {
    let [dis, assembler] = tools;
    let file = folder.join("after.bc");
    std::fs::write(&file, bytes).unwrap();
    let text = run(dis, &[], &file, "ll").unwrap_or_else(|error| panic!("{entry}: {error}"));
    let again = run(assembler, &[], &text, "again.bc");
    let again = again.unwrap_or_else(|error| panic!("{entry}: not verified: {error}"));
    let (text, entry) = (read(&text), written(entry));
    assert!(
        !named || text.contains(&format!("source_filename = \"{}\"", entry[1..].trim_matches('"')))
    );
    let after = Listing::of(&text);
    let (lists_before, reached_before) = belonging(before, &entry);
    let (lists_after, reached_after) = belonging(&after, &entry);
    assert_eq!(lists_after, lists_before, "{entry}");
    let nodes = after.lists().iter().map(|(_, nodes)| nodes.len()).sum::<usize>();
    assert_eq!(nodes, lists_after.iter().map(|(_, count)| count).sum::<usize>(), "{entry}");
    let left: Vec<&str> = after.names().filter(|name| !reached_after.has(name)).collect();
    assert!(left.is_empty(), "{entry}: left over: {left:?}");
    let lines = |listing: &Listing, reached| {
        listing.render(reached, |name, line| unlinked(&entry, name, line))
    };
    let (lines_before, lines_after) =
        (lines(before, &reached_before), lines(&after, &reached_after));
    let other = lines_before.iter().zip(&lines_after).find(|(before, after)| before != after);
    assert!(lines_before == lines_after, "{entry}: {other:?}");
    // LLVM's writer writes what is used, and nothing else. A constant that only functions use any
    // more it writes for each of them; old nodes have values in them, which count apart now, and
    // masks of old instructions are made of other constants.
    let (mut ours, theirs) = (counts(bytes), counts(&std::fs::read(again).unwrap()));
    let old = Module::parse(bytes).unwrap().version().unwrap() < 2;
    let index = if old { NODES } else { CONSTANTS };
    assert!(ours[index].1 <= theirs[index].1, "{entry}: {ours:?}, {theirs:?}");
    ours[index] = theirs[index];
    if old {
        ours[CONSTANTS] = theirs[CONSTANTS];
    }
    assert_eq!(ours, theirs, "{entry}");
}

#[test]
fn a_function_has_what_it_leads_to_and_nothing_else() {
    let test = "split modules against LLVM";
    let (Some(dis), Some(assembler)) = (llvm::find("llvm-dis", test), llvm::find("llvm-as", test))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (mut files, mut split) = (0, 0);
    several(test, |name, bytes, entries| {
        let file = folder.path().join("before.bc");
        std::fs::write(&file, bytes).unwrap();
        let text = run(&dis, &[], &file, "ll").unwrap_or_else(|error| panic!("{name}: {error}"));
        let before = Listing::of(&read(&text));
        let mut module = Module::parse(bytes).unwrap();
        let named = module.source_file_name().unwrap().is_some();
        let splitter = module.splitter().unwrap_or_else(|error| panic!("{name}: {error}"));
        files += 1;
        for entry in entries {
            let kept = splitter.keep(entry.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
            let bytes = kept.to_bytes().unwrap();
            check([&dis, &assembler], folder.path(), (&before, named), entry, &bytes);
            let module = Module::parse(&bytes).unwrap();
            let kept: Vec<_> = module.globals().unwrap().into_iter().map(|g| g.name).collect();
            let strings = module.strings().unwrap();
            let is_there = |name: &str| strings.windows(name.len()).any(|s| s == name.as_bytes());
            for other in entries {
                let is_part = |name: &[u8]| String::from_utf8_lossy(name).contains(other.as_str());
                assert!(kept.iter().any(|name| is_part(name)) || !is_there(other), "{other}");
            }
            let again = module.keep_entry(entry.as_bytes()).unwrap();
            assert!(!again.is_changed(), "{name}: {entry}: {:?}", again.report());
            split += 1;
        }
    });
    println!("{files} modules were split into {split}");
}
