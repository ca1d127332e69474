//! The quick way to the module of a function that is alone gives what the tree gives.

use air_bitcode::{Keeper, Module};
use mtlpack_tests::air_files;
use mtlpack_tests::id_laws::modules;

/// What the tree makes of a module; none if it refuses it.
fn by_tree(bytes: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    Module::parse(bytes).ok()?.keep_entry(name).ok()?.to_bytes().ok()
}

/// The names of a module's entry points, or those of all its functions if it has none.
fn names(bytes: &[u8]) -> Vec<Vec<u8>> {
    let module = Module::parse(bytes).unwrap();
    let entries = module.air_info().unwrap().entries;
    match entries.is_empty() {
        true => module.globals().unwrap().iter().map(|global| global.name.to_vec()).collect(),
        false => entries.iter().map(|entry| entry.name.to_vec()).collect(),
    }
}

#[test]
fn what_is_alone_is_what_the_tree_makes_of_it() {
    let mut keeper = Keeper::new();
    let (mut alone, mut quick) = (0, 0);
    modules("modules of one function, quickly", |name, bytes| {
        for entry in names(bytes) {
            let mut out = b"in front".to_vec();
            let done = keeper.keep_alone(bytes, &entry, &mut out);
            assert!(out.starts_with(b"in front") && done == (out.len() > 8), "{name}");
            if done {
                assert!(by_tree(bytes, &entry).as_deref() == out.get(8..), "{name}");
                quick += 1;
            }
        }
    });
    for air in air_files() {
        let [entry] = &names(&air.bytes)[..] else { continue };
        let report = *Module::parse(&air.bytes).unwrap().keep_entry(entry).unwrap().report();
        if report.listed == 1 && report.definitions + report.declarations + report.types == 0 {
            alone += 1;
        }
    }
    println!("{quick} modules quickly, {alone} .air files of one function that uses all of them");
    assert!(quick >= alone / 2);
}

/// Whatever is damaged is refused, or comes out as the tree makes it.
#[test]
fn what_is_damaged_is_what_the_tree_makes_of_it() {
    let mut keeper = Keeper::new();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % limit
    };
    let (mut done, mut rounds) = (0, 0);
    for air in air_files().into_iter().filter(|air| air.bytes.len() < 20_000) {
        let [entry] = &names(&air.bytes)[..] else { continue };
        if !keeper.keep_alone(&air.bytes, entry, &mut Vec::new()) {
            continue;
        }
        for _ in 0..400 {
            let mut bytes = air.bytes.clone();
            for _ in 0..=below(2) {
                let at = below(bytes.len());
                bytes[at] ^= 1 << below(8);
            }
            let mut out = Vec::new();
            rounds += 1;
            if keeper.keep_alone(&bytes, entry, &mut out) {
                done += 1;
                assert!(by_tree(&bytes, entry).as_deref() == Some(&out), "{}", air.name);
            }
        }
    }
    println!("{done} of {rounds} damaged modules were done quickly");
}
