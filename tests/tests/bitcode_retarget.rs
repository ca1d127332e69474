//! Modules for other targets: what changes is the target, and LLVM's text says the same.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use air_bitcode::{AirInfo, Module, RetargetReport, Target};
use mtlpack_tests::id_laws::modules;
use mtlpack_tests::llvm;

/// AIR versions and the language versions that came with them, oldest first.
const VERSIONS: [([u32; 2], [u32; 2]); 13] = [
    ([1, 6], [1, 0]),
    ([1, 8], [1, 1]),
    ([1, 11], [1, 2]),
    ([2, 0], [2, 0]),
    ([2, 1], [2, 1]),
    ([2, 2], [2, 2]),
    ([2, 3], [2, 3]),
    ([2, 4], [2, 4]),
    ([2, 5], [3, 0]),
    ([2, 6], [3, 1]),
    ([2, 7], [3, 2]),
    ([2, 8], [4, 0]),
    ([2, 9], [4, 1]),
];

/// Of how many modules LLVM reads one.
const STEP: usize = 20;

fn info(module: &[u8]) -> AirInfo<'_> {
    Module::parse(module).unwrap().air_info().unwrap()
}

fn pair(version: [i64; 3]) -> [u32; 2] {
    [version[0], version[1]].map(|number| u32::try_from(number).unwrap())
}

/// The versions of a module, and its triple.
fn own(module: &[u8]) -> ([u32; 2], [u32; 2], String) {
    let found = info(module);
    let triple = Module::parse(module).unwrap().triple().unwrap().unwrap();
    (pair(found.version.unwrap()), pair(found.language.unwrap().version), triple)
}

/// A triple of another length for another system.
fn other_triple(triple: &str) -> String {
    let digits = triple.rfind(|c: char| c.is_ascii_alphabetic()).unwrap();
    let (head, _) = triple.split_at(digits + 1);
    format!("{head}12.34.5")
}

fn retarget(module: &[u8], target: &Target<'_>) -> Result<(Vec<u8>, RetargetReport), String> {
    let made = Module::parse(module).unwrap().retarget(target).map_err(|e| e.to_string())?;
    Ok((made.to_bytes().map_err(|error| error.to_string())?, *made.report()))
}

/// Whether a module says of itself what another says, but for its versions.
fn check_rest(name: &str, before: &[u8], after: &[u8]) {
    let (old, new) = (info(before), info(after));
    let names = |info: &AirInfo<'_>| {
        info.entries.iter().map(|entry| entry.name.to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(names(&old), names(&new), "{name}");
    let language = |info: &AirInfo<'_>| info.language.as_ref().map(|found| found.name.clone());
    assert_eq!(language(&old), language(&new), "{name}");
    assert_eq!(old.compile_options, new.compile_options, "{name}");
    assert_eq!((old.producer, old.debug_info), (new.producer, new.debug_info), "{name}");
    let globals = |bytes| format!("{:?}", Module::parse(bytes).unwrap().globals().unwrap());
    assert_eq!(globals(before), globals(after), "{name}");
    let table = |bytes| {
        let table = Module::parse(bytes).unwrap().symbol_table().unwrap();
        table.map(|table| format!("{:?}", table.symbols().unwrap()))
    };
    assert_eq!(table(before), table(after), "{name}");
    let module = Module::parse(after).unwrap();
    if let Some(table) = module.symbol_table().unwrap() {
        let triple = String::from_utf8_lossy(table.triple().unwrap()).into_owned();
        assert_eq!(Some(triple), module.triple().unwrap(), "{name}: SYMTAB");
    }
}

#[derive(Debug, Default)]
struct Sums {
    modules: usize,
    made: usize,
    constants: usize,
    values: usize,
}

#[test]
fn modules_say_another_target_and_nothing_else() {
    let mut sums = Sums::default();
    modules("retarget", |name, bytes| {
        if info(bytes).version.is_none() {
            return;
        }
        sums.modules += 1;
        let (air, language, triple) = own(bytes);
        let same = Target { triple: Some(&triple), air: Some(air), language: Some(language) };
        let (made, report) = retarget(bytes, &same).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(made == bytes && report == RetargetReport::default(), "{name}");
        let at = VERSIONS.iter().position(|known| known.0 == air).unwrap();
        for near in [at.wrapping_sub(1), at + 1] {
            let Some(&(air, language)) = VERSIONS.get(near) else { continue };
            let other = other_triple(&triple);
            let target = Target { triple: Some(&other), air: Some(air), language: Some(language) };
            let (made, report) = retarget(bytes, &target).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(own(&made), (air, language, other.clone()), "{name}");
            assert!(report.triple && report.air && report.metadata <= 6, "{name}");
            check_rest(name, bytes, &made);
            let (again, _) = retarget(&made, &target).unwrap();
            assert!(again == made, "{name}: once more");
            let (back, _) = retarget(&made, &same).unwrap_or_else(|e| panic!("{name}: {e}"));
            check_rest(name, bytes, &back);
            assert_eq!(own(&back), own(bytes), "{name}");
            if report.constants + report.metadata == 0 {
                assert!(back == bytes, "{name}: nothing was added, so back is what it was");
            }
            sums.made += 1;
            sums.constants += usize::from(report.constants > 0);
            sums.values += usize::from(report.metadata > 0);
        }
    });
    println!("{sums:?}");
    assert!(sums.modules == 0 || sums.made > sums.modules && sums.constants > 0);
}

/// The text that a module must have for another target: other lines for the triple and for the
/// nodes that the two lists name.
fn expected(before: &str, target: &Target<'_>) -> String {
    let node = |list: &str| {
        let line = before.lines().find(|line| line.starts_with(&format!("!{list} = !{{")));
        let (_, nodes) = line.unwrap().split_once('{').unwrap();
        nodes.trim_end_matches('}').to_owned()
    };
    let numbers = |[major, minor]: [u32; 2]| format!("i32 {major}, i32 {minor}, i32 0}}");
    let [air, language] = ["air.version", "air.language_version"].map(node);
    let mut text = String::new();
    for line in before.lines() {
        if line.starts_with("target triple = ") {
            text += &format!("target triple = \"{}\"", target.triple.unwrap());
        } else if line.starts_with(&format!("{air} = ")) {
            text += &format!("{air} = !{{{}", numbers(target.air.unwrap()));
        } else if line.starts_with(&format!("{language} = ")) {
            let (head, _) = line.split_once(", ").unwrap();
            text += &format!("{head}, {}", numbers(target.language.unwrap()));
        } else {
            text += line;
        }
        text.push('\n');
    }
    text
}

fn text(dis: &str, file: &Path) -> Option<String> {
    let folder = file.parent().unwrap();
    let name = file.file_name().unwrap();
    let output =
        Command::new(dis).current_dir(folder).arg(name).args(["-o", "-"]).output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

struct Case {
    name: String,
    files: [PathBuf; 2],
    target: (String, [u32; 2], [u32; 2]),
}

#[test]
fn llvm_reads_the_same_but_for_the_target() {
    let Some(dis) = llvm::find("llvm-dis", "other targets") else { return };
    let folder = tempfile::tempdir().unwrap();
    ["before", "after"].iter().for_each(|f| std::fs::create_dir(folder.path().join(f)).unwrap());
    let (mut index, mut cases) = (0, Vec::new());
    modules("other targets", |name, bytes| {
        index += 1;
        let found = info(bytes);
        if found.version.is_none() || index % STEP != 0 && found.debug_info.is_none() {
            return;
        }
        let (air, _, triple) = own(bytes);
        let at = VERSIONS.iter().position(|known| known.0 == air).unwrap();
        let near =
            if index % 2 == 0 && at > 0 || at + 1 == VERSIONS.len() { at - 1 } else { at + 1 };
        let (air, language) = VERSIONS[near];
        let triple = other_triple(&triple);
        let target = Target { triple: Some(&triple), air: Some(air), language: Some(language) };
        let (made, _) = retarget(bytes, &target).unwrap();
        let files = [("before", bytes), ("after", &made[..])].map(|(which, bytes)| {
            let path = folder.path().join(which).join(format!("{index}.bc"));
            std::fs::write(&path, bytes).unwrap();
            path
        });
        cases.push(Case { name: name.to_owned(), files, target: (triple, air, language) });
    });
    let unread = Mutex::new(0);
    std::thread::scope(|scope| {
        for half in cases.chunks(cases.len().div_ceil(2).max(1)) {
            let (dis, unread) = (&dis, &unread);
            scope.spawn(move || {
                for Case { name, files: [before, after], target: (triple, air, language) } in half {
                    let Some(before) = text(dis, before) else {
                        *unread.lock().unwrap() += 1;
                        continue;
                    };
                    let after = text(dis, after).unwrap_or_else(|| panic!("{name}: not read"));
                    let (air, language) = (Some(*air), Some(*language));
                    let expected =
                        expected(&before, &Target { triple: Some(triple), air, language });
                    let other = expected.lines().zip(after.lines()).find(|(a, b)| a != b);
                    assert!(expected == after, "{name}: {other:?}");
                }
            });
        }
    });
    let unread = unread.into_inner().unwrap();
    println!(
        "{} modules read the same but for their target, {unread} LLVM cannot read",
        cases.len()
    );
    assert!(unread <= 10 && (cases.is_empty() || cases.len() >= 1000));
}
