//! What is split is what Apple's linker made of the same file.

use std::collections::BTreeMap;
use std::path::Path;

use air_bitcode::Module;
use mtlpack_tests::listing::{Listing, belonging, written};
use mtlpack_tests::llvm::{self, read, run};

/// Files of the corpus' part and the modules in them, by the folder of their project.
type Found = BTreeMap<String, Vec<(String, Vec<u8>)>>;

/// The project of a file, and whether it is a library's.
fn project(name: &str) -> Option<(String, bool)> {
    let parts = [("/air/", false), ("/libraries/", true)];
    let mut found =
        parts.iter().filter_map(|(part, linked)| Some((name.split_once(part)?.1, *linked)));
    let (below, linked) = found.next()?;
    Some((below.split('/').next()?.to_owned(), linked))
}

/// Modules of projects that have both compiled files and libraries: these, and those.
fn pairs(test: &str) -> (Found, Found) {
    let (mut compiled, mut linked) = (Found::new(), Found::new());
    mtlpack_tests::modules(test, |name, bytes| {
        let Some((project, is_linked)) = project(name) else { return };
        let found = if is_linked { &mut linked } else { &mut compiled };
        found.entry(project).or_default().push((name.to_owned(), bytes.to_vec()));
    });
    linked.retain(|project, _| compiled.contains_key(project));
    (compiled, linked)
}

/// Text of a module's function, numbered in the order of what it leads to: with names of types,
/// and with what these are made of.
type Texts = [Vec<String>; 2];

fn texts(dis: &str, folder: &Path, bytes: &[u8], entry: &str) -> Option<Texts> {
    let file = folder.join("module.bc");
    std::fs::write(&file, bytes).unwrap();
    let listing = Listing::of(&read(&run(dis, &[], &file, "ll").ok()?));
    let (_, reached) = belonging(&listing, &written(entry));
    Some([listing.render(&reached, |_, line| line), listing.structural(&reached)])
}

/// How near the module of a function is to the one that Apple's linker made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Near {
    Bytes,
    Text,
    /// But for names of types: the linker merges those that are made of the same.
    Structure,
    /// Another version of the source, or of the compiler.
    Other,
}

#[test]
fn modules_are_what_apple_made_of_them() {
    let test = "split modules against Apple's";
    let Some(dis) = llvm::find("llvm-dis", test) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (compiled, linked) = pairs(test);
    let mut counts: BTreeMap<Near, u32> = BTreeMap::new();
    for (project, files) in &compiled {
        // Texts of linked modules, by the function that they are of.
        let mut others: BTreeMap<String, Vec<(&[u8], Texts)>> = BTreeMap::new();
        for (_, bytes) in linked.get(project).map(Vec::as_slice).unwrap_or_default() {
            let Some(entry) = Module::parse(bytes).unwrap().source_file_name().unwrap() else {
                continue;
            };
            if let Some(text) = texts(&dis, folder.path(), bytes, &entry) {
                others.entry(entry).or_default().push((bytes, text));
            }
        }
        for (_, bytes) in files {
            let mut module = Module::parse(bytes).unwrap();
            let entries = module.air_info().unwrap().entries;
            let splitter = module.splitter().unwrap();
            for entry in &entries {
                let entry = String::from_utf8_lossy(&entry.name).into_owned();
                let Some(others) = others.get(&entry) else { continue };
                let kept = splitter.keep(entry.as_bytes()).unwrap().to_bytes().unwrap();
                let Some(ours) = texts(&dis, folder.path(), &kept, &entry) else { continue };
                let near = others.iter().map(|(bytes, texts)| match () {
                    () if *bytes == kept => Near::Bytes,
                    () if texts[0] == ours[0] => Near::Text,
                    () if texts[1] == ours[1] => Near::Structure,
                    () => Near::Other,
                });
                let Some(near) = near.min() else { continue };
                *counts.entry(near).or_default() += 1;
            }
        }
    }
    println!("{counts:?}");
    let of = |near| counts.get(&near).copied().unwrap_or_default();
    let same = of(Near::Bytes) + of(Near::Text) + of(Near::Structure);
    assert!(counts.is_empty() || same > 250 && same > 2 * of(Near::Other), "{counts:?}");
}
