//! The texts of every real module: listed, given anew, rewritten there and back.

use std::borrow::Cow;
use std::collections::BTreeMap;

use air_bitcode::{Block, Item, Module, Text, TextPlace, WriteOptions};
use mtlpack_tests::modules;

fn rewritten<'a>(
    name: &str,
    bytes: &'a [u8],
    holding: &[u8],
    new: impl FnMut(&Text<'a>) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let module = Module::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let made = module.rewrite_texts(holding, new);
    made.and_then(|made| made.to_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn texts<'a>(name: &str, bytes: &'a [u8], holding: &[u8]) -> Vec<Text<'a>> {
    let module = Module::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    module.texts(holding).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A longer text, and one of other characters, so that abbreviations change too.
fn other(round: usize, text: &[u8]) -> Vec<u8> {
    match round % 3 {
        0 => [text, b" and more, behind it"].concat(),
        1 => "größe".as_bytes().iter().chain(text).copied().collect(),
        _ => text.iter().skip(text.len() / 2).copied().collect(),
    }
}

#[test]
fn texts_given_anew_are_the_same_bytes_and_rewriting_comes_back() {
    let (mut total, mut round) = (0usize, 0usize);
    modules("texts", |name, bytes| {
        assert!(rewritten(name, bytes, b"", |_| None) == bytes, "{name}: nothing asked for");
        let mut same = 0;
        let again = rewritten(name, bytes, b"", |text| {
            same += 1;
            Some(text.bytes.to_vec())
        });
        assert!(again == bytes, "{name}: the same texts, other bytes");
        total += same;
        // Two that get the same text, such as one that becomes empty, come back apart.
        let originals: BTreeMap<TextPlace, Vec<u8>> =
            texts(name, bytes, b"").into_iter().map(|t| (t.place, t.bytes.into_owned())).collect();
        round += 1;
        let there = rewritten(name, bytes, b"", |text| Some(other(round, &text.bytes)));
        for text in texts(name, &there, b"") {
            let old = originals.get(&text.place).unwrap_or_else(|| panic!("{name}: {text:?}"));
            assert_eq!(*text.bytes, *other(round, old), "{name}: {:?}", text.place);
        }
        let mut module = Module::parse(&there).unwrap();
        module.open_all().unwrap_or_else(|error| panic!("{name}: {error}"));
        let options = WriteOptions { positions: true, records: true };
        assert!(module.to_bytes(options).unwrap() == there, "{name}: positions");
        let back = rewritten(name, &there, b"", |text| originals.get(&text.place).cloned());
        assert!(back == bytes, "{name}: there and back, round {round}");
    });
    println!("{total} texts");
}

/// Texts with a slash by what uses them; no other place of a module has one that looks like a
/// path, whatever the place is.
#[test]
fn paths_stand_where_texts_are() {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    let (mut with, mut elsewhere) = (0usize, 0usize);
    modules("paths", |name, bytes| {
        let found = texts(name, bytes, b"/");
        with += usize::from(!found.is_empty());
        for text in &found {
            if text.uses.is_empty() {
                *uses.entry("nothing".to_owned()).or_default() += 1;
            }
            for usage in &text.uses {
                *uses.entry(usage.to_string()).or_default() += 1;
            }
            if let Cow::Borrowed(text_bytes) = text.bytes {
                let at = bytes.get(usize::try_from(text.offset).unwrap()..).unwrap();
                assert!(at.starts_with(text_bytes), "{name}: {text:?}");
            }
        }
        // Without slashes in texts there is none that begins a path anywhere.
        let bare = rewritten(name, bytes, b"/", |text| {
            Some(text.bytes.iter().map(|&b| if b == b'/' { b'|' } else { b }).collect())
        });
        let mut module = Module::parse(&bare).unwrap();
        module.open_all().unwrap();
        each_record(
            &module.stream().blocks.iter().collect::<Vec<_>>(),
            &mut |place, operands, blob| {
                let text: Vec<u8> =
                    operands.iter().map(|&o| u8::try_from(o).unwrap_or(0)).collect();
                for text in [&text[..], blob] {
                    for root in [&b"/Users/"[..], b"/private/", b"/Applications/", b"/Volumes/"] {
                        if text.windows(root.len()).any(|found| found == root) {
                            elsewhere += 1;
                            println!("{name}: {place}: {}", String::from_utf8_lossy(text));
                        }
                    }
                }
            },
        );
    });
    println!("{with} modules with slashes: {uses:#?}");
    assert_eq!(elsewhere, 0);
}

/// Calls `each` with every record of blocks: where it is, its operands, its blob.
fn each_record(blocks: &[&Block<'_>], each: &mut impl FnMut(String, &[u64], &[u8])) {
    for block in blocks {
        let mut inner = Vec::new();
        for item in block.items().unwrap() {
            match item {
                Item::Define(_) => {}
                Item::Block(found) => inner.push(found),
                Item::Record(record) => {
                    let values = record.values().unwrap();
                    let place = format!("block {}, record code {}", block.id(), record.code());
                    each(place, &values.operands, values.blob.as_deref().unwrap_or_default());
                }
            }
        }
        each_record(&inner, each);
    }
}
