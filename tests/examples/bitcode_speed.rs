//! Times what `air-bitcode` does with all modules of a library, on one thread.
//!
//! On Linux it counts the time that the thread has a processor, so other load matters less.
//!
//! ```text
//! cargo run --release -p mtlpack-tests --example bitcode_speed -- LIBRARY.metallib [RUNS]
//! ```

use std::time::{Duration, Instant};

use air_bitcode::{GlobalReader, Module, PATH_LISTS, Rename, Renumbering, Strip, WriteOptions};
use metallib::Library;

/// Runs without a number on the command line; the median is told.
const RUNS: usize = 9;

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| panic!("which library?"));
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{error}"));
    let library = Library::parse(&bytes).unwrap_or_else(|error| panic!("{error}"));
    let modules: Vec<&[u8]> = library.modules().iter().map(metallib::Module::bytes).collect();
    let names: Vec<&[u8]> =
        library.functions().iter().map(metallib::Function::name_bytes).collect();
    let total: usize = modules.iter().map(|module| module.len()).sum();
    println!("{} modules, {total} bytes", modules.len());
    let parse = |module| Module::parse(module).unwrap_or_else(|error| panic!("{error}"));
    measure("parse", || modules.iter().map(|module| parse(module).items().len()).sum());
    measure("air info", || {
        let count = |module| parse(module).air_info().map_or(0, |info| info.entries.len());
        modules.iter().map(|module| count(module)).sum()
    });
    let mut reader = air_bitcode::HeadReader::new();
    measure("head", || {
        let mut count = |module| reader.read(module).map_or(0, |head| head.entries.len());
        modules.iter().map(|module| count(module)).sum()
    });
    measure("globals", || {
        let count = |module| parse(module).globals().map_or(0, |globals| globals.len());
        modules.iter().map(|module| count(module)).sum()
    });
    let mut lists = GlobalReader::new();
    measure("symbols", || {
        let mut count = |module| lists.list(module).map_or(0, |globals| globals.len());
        modules.iter().map(|module| count(module)).sum()
    });
    let written = WriteOptions { positions: true, records: false };
    measure("nothing to strip", || {
        let all = Strip { debug_info: true, lists: &PATH_LISTS };
        let strip = |module| parse(module).strip(&all).map_or(0, |it| usize::from(it.is_changed()));
        modules.iter().map(|module| strip(module)).sum()
    });
    let mut out = Vec::new();
    measure("renumber", || {
        let mut sum = 0;
        for module in &modules {
            out.clear();
            let mut module = parse(module);
            let renumbered = module.renumber(Renumbering::Same);
            renumbered.unwrap_or_else(|error| panic!("{error}"));
            module.write(&mut out, written).unwrap_or_else(|error| panic!("{error}"));
            sum += out.len();
        }
        sum
    });
    let new: Vec<Vec<u8>> = names.iter().map(|name| [b"prefix_", *name].concat()).collect();
    measure("rename", || {
        let mut sum = 0;
        for ((module, old), new) in modules.iter().zip(&names).zip(&new) {
            out.clear();
            let renamed = parse(module).rename(&[Rename::new(*old, new)]);
            let renamed = renamed.unwrap_or_else(|error| panic!("{error}"));
            renamed.write(&mut out).unwrap_or_else(|error| panic!("{error}"));
            sum += out.len();
        }
        sum
    });
}

fn measure(what: &str, mut run: impl FnMut() -> usize) {
    let mut times: Vec<Duration> = Vec::new();
    let mut result = 0;
    let runs = std::env::args().nth(2).and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    for _ in 0..runs {
        let (start, busy) = (Instant::now(), processor_time());
        result = run();
        let elapsed = processor_time().zip(busy).map(|(end, start)| end - start);
        times.push(elapsed.unwrap_or_else(|| start.elapsed()));
    }
    times.sort();
    let median = times[runs / 2];
    println!("{what}: median {median:.1?}, best {:.1?} ({result})", times[0]);
}

/// Time that this thread has run, where the system tells.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
