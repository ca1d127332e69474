//! `size` over the corpus: every byte is counted once.
#![allow(clippy::unwrap_used)]

use mtlpack::{FunctionSize, family_sizes, function_sizes, section_sizes};
use mtlpack_tests::corpus_and_large;

fn sum(rows: &[FunctionSize], of: fn(&FunctionSize) -> u64) -> u64 {
    rows.iter().map(of).sum()
}

#[test]
fn sizes_add_up() {
    let (mut libraries, mut functions, mut families) = (0, 0, 0);
    for sample in corpus_and_large("size") {
        let (name, library) = (&sample.name, sample.library());
        let sections = section_sizes(&library);
        let file: u64 = sections.iter().map(|part| part.size).sum();
        assert_eq!(file, sample.bytes.len() as u64, "{name}");
        assert!(sections.iter().all(|part| part.name != "unused"), "{name}");
        let of = |names: &[&str]| -> u64 {
            let is_one = |name: &str| names.contains(&name);
            sections.iter().filter(|part| is_one(&part.name)).map(|part| part.size).sum()
        };
        let rows = function_sizes(&library);
        assert_eq!(sum(&rows, |row| row.modules), of(&["bitcode"]), "{name}");
        let metadata = of(&["function list", "public metadata", "private metadata"]);
        // Without the number of functions.
        assert_eq!(sum(&rows, |row| row.metadata), metadata - 4, "{name}");
        let used: std::collections::HashSet<_> =
            library.functions().iter().filter_map(|function| function.reflection).collect();
        let entries = library.reflection().map_or(0, |list| list.entries().len());
        if used.len() == entries && entries > 0 {
            assert_eq!(sum(&rows, |row| row.reflection), of(&["RLST"]) - 4, "{name}");
        }
        let all = family_sizes(&library);
        for of in [
            |row: &FunctionSize| row.functions,
            |row: &FunctionSize| row.modules,
            |row: &FunctionSize| row.metadata,
            |row: &FunctionSize| row.reflection,
            |row: &FunctionSize| row.size,
        ] {
            assert_eq!(sum(&all, of), sum(&rows, of), "{name}");
        }
        assert!(all.is_sorted_by(|a, b| a.size >= b.size));
        // Each name begins as its family does; a name is no other's family.
        for row in &rows {
            let fits = |family: &&FunctionSize| match family.name.strip_suffix('*') {
                Some(stem) => row.name.starts_with(stem),
                None => row.name == family.name,
            };
            assert!(all.iter().any(|family| fits(&family)), "{name}: {}", row.name);
        }
        libraries += 1;
        functions += rows.len();
        families += all.len();
    }
    println!("{libraries} libraries, {functions} functions in {families} families");
}
