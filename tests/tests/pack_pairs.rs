//! Packing `.air` files as Apple did: the corpus holds what its linker made of the same source.

use std::collections::BTreeMap;
use std::path::Path;

use air_bitcode::Head;
use metallib::{FourCc, Function, Library};
use mtlpack::io::Input;
use mtlpack::{PackOptions, Packer, Severity, VerifyOptions, verify};
use mtlpack_tests::{Sample, air_files, corpus};

/// A `.air` and a library of another state of the source: its function begins at another line.
const OTHER_SOURCE: (&str, &str) =
    ("vanity.air_a0fa1491bf.air", "default.metallib_98c55c4c24.metallib");

/// The folder of a sample below `libraries` or `air`.
fn folder(sample: &Sample) -> String {
    let mut parts = Path::new(&sample.name).components().skip(1);
    parts.next().map_or_else(String::new, |part| part.as_os_str().to_string_lossy().into_owned())
}

/// Whether a library's modules are of the same compiler and for the same system as a `.air`;
/// repositories hold builds of several.
fn is_of_one_build(air: &Sample, stored: &Library<'_>) -> bool {
    let head = |module| {
        let Head { triple, version, language, producer, debug_info, .. } =
            Head::full(module).unwrap();
        (triple, version, language, producer, debug_info)
    };
    let module = stored.modules().first();
    module.is_some_and(|module| head(module.bytes()) == head(&air.bytes))
}

fn pack(air: &Sample, stored: &Library<'_>) -> Vec<u8> {
    let options = PackOptions {
        dialect: Some(stored.dialect()),
        container: Some(stored.identity().container),
        ..PackOptions::default()
    };
    let mut packer = Packer::new(options);
    packer.add(&air.name, &air.bytes).unwrap();
    packer.finish().unwrap_or_else(|error| panic!("{}: {error}", air.name)).to_vec().unwrap()
}

/// What differs between a function as we pack it and as Apple did, but for its module.
fn differences(ours: &Function<'_>, theirs: &Function<'_>) -> Vec<&'static str> {
    let private =
        |function: &Function<'_>| function.private.payload(FourCc::DEBI).map(<[u8]>::to_vec);
    let extra = |function: &Function<'_>, id| function.tags.payload(id).map(<[u8]>::to_vec);
    [
        ("type", ours.function_type() == theirs.function_type()),
        ("versions", ours.versions() == theirs.versions()),
        ("public metadata", ours.public == theirs.public),
        ("DEBI", private(ours) == private(theirs)),
        ("LAYR", extra(ours, FourCc::LAYR) == extra(theirs, FourCc::LAYR)),
        ("TESS", extra(ours, FourCc::TESS) == extra(theirs, FourCc::TESS)),
    ]
    .into_iter()
    .filter(|(_, same)| !same)
    .map(|(what, _)| what)
    .collect()
}

#[test]
fn air_files_give_what_apple_made_of_them() {
    let libraries = corpus("pack pairs");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for air in air_files() {
        let entries = Head::full(&air.bytes).unwrap().entries;
        if entries.is_empty() {
            *counts.entry(".air without entry points".to_owned()).or_default() += 1;
            continue;
        }
        for sample in libraries.iter().filter(|sample| folder(sample) == folder(&air)) {
            let stored = sample.library();
            let (ours, theirs) = OTHER_SOURCE;
            let is_other = air.name.ends_with(ours) && sample.name.ends_with(theirs);
            if is_other || !is_of_one_build(&air, &stored) {
                continue;
            }
            let packed = pack(&air, &stored);
            let packed = Library::parse(&packed).unwrap();
            let find = |function: &Function<'_>| {
                stored.functions().iter().position(|f| f.name_bytes() == function.name_bytes())
            };
            let places: Vec<Option<usize>> = packed.functions().iter().map(find).collect();
            if places.contains(&None) {
                continue;
            }
            *counts.entry("pairs".to_owned()).or_default() += 1;
            if !places.is_sorted() {
                wrong.push(format!("{} {}: order {places:?}", air.name, sample.name));
            }
            let single = if packed.functions().len() == 1 { "single" } else { "split" };
            for (ours, place) in packed.functions().iter().zip(places) {
                let theirs = &stored.functions()[place.unwrap()];
                let module = |library: &Library<'_>, f: &Function<'_>| {
                    library.module_of(f).map(|module| module.bytes().to_vec())
                };
                let same = module(&packed, ours) == module(&stored, theirs);
                let what = if same { "same" } else { "other" };
                *counts.entry(format!("{single}: {what} module")).or_default() += 1;
                let differ = differences(ours, theirs);
                if !differ.is_empty() {
                    wrong.push(format!(
                        "{} {}: `{}` {}",
                        air.name,
                        sample.name,
                        ours.name(),
                        differ.join(", ")
                    ));
                }
            }
        }
    }
    counts.iter().for_each(|(what, count)| println!("{count:>4} {what}"));
    let count = |what: &str| counts.get(what).copied().unwrap_or(0);
    assert!(libraries.is_empty() || count("pairs") > 100);
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every `.air` of the corpus by itself.
#[test]
fn packed_air_files_verify() {
    let files = air_files();
    let (mut packed, mut refused) = (0, BTreeMap::new());
    for air in &files {
        let mut packer = Packer::new(PackOptions::default());
        packer.add(&air.name, &air.bytes).unwrap();
        let library = match packer.finish() {
            Ok(library) => library.to_vec().unwrap(),
            Err(error) => {
                let why = error.to_string().replace(&air.name, "");
                *refused.entry(why).or_insert(0) += 1;
                continue;
            }
        };
        packed += 1;
        let input = Input::from_bytes(air.name.clone(), library);
        let report = verify(&input, VerifyOptions { threads: 1 }).unwrap();
        let wrong = report.findings.iter().find(|finding| finding.severity == Severity::Error);
        assert!(wrong.is_none(), "{}: {wrong:?}", air.name);
        assert!(report.canonical);
    }
    println!("{packed} packed; refused: {refused:#?}");
    let no_entry = refused.iter().all(|(why, count)| why.contains("no entry point") && *count == 1);
    assert!(refused.len() <= 1 && no_entry);
}
