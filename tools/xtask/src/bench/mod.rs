//! Speed and memory of the command on large libraries, beside public commands.

mod growth;
mod jobs;
mod large;
mod packing;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, cargo, check, output, root, target};

/// Arguments of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Pairs of runs, of which the median counts
    #[arg(long, default_value_t = 7, value_name = "N")]
    rounds: usize,
    /// Write docs/performance.md instead of printing the tables
    #[arg(long)]
    write: bool,
}

/// What comes before the tables.
const HEAD: &str = include_str!("head.md");

/// Measures, and prints or writes the page.
pub(crate) fn run(args: &Args) -> Result<()> {
    check(&mut cargo(&["build", "--release", "--package", "mtlpack", "--bin", "mtlpack"]))?;
    let program = target().join("release").join("mtlpack");
    let folder = target().join("bench");
    fs::create_dir_all(&folder)?;
    let date = output(Command::new("date").arg("+%Y-%m-%d"))?;
    let mut page = HEAD.replace("DATE", date.trim()).replace("ROUNDS", &args.rounds.to_string());
    if let Some(load) = load() {
        writeln!(page, "{load}; with less than two processors free, two threads gain nothing.\n")?;
    }
    large::measure(&mut page, &program, &folder, args.rounds)?;
    packing::measure(&mut page, &program, &folder, args.rounds)?;
    growth::measure(&mut page, &program, &folder, args.rounds)?;
    fs::remove_dir_all(&folder)?;
    if args.write {
        let path = root().join("docs/performance.md");
        fs::write(&path, page)?;
        println!("written: {}", path.display());
    } else {
        print!("{page}");
    }
    Ok(())
}

/// How busy the machine is, where the system tells it.
fn load() -> Option<String> {
    let averages = fs::read_to_string("/proc/loadavg").ok()?;
    let processors = std::thread::available_parallelism().ok()?;
    let last = averages.split_whitespace().next()?;
    Some(format!("Load of the machine in the minute before: {last} on {processors} processors"))
}

/// Starts a table.
fn table(page: &mut String, columns: &[&str]) -> Result<()> {
    writeln!(page, "\n| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()))?;
    Ok(())
}

/// A list of 100 functions of a library, spread over all of it.
fn keep_list(program: &Path, library: &Path, folder: &Path) -> Result<PathBuf> {
    let mut list = Command::new(program);
    list.arg("list").arg(library).args(["--format", "names"]);
    let names = output(&mut list)?;
    let names: Vec<&str> = names.lines().collect();
    let step = (names.len() / 100).max(1);
    let kept: Vec<&str> = names.iter().step_by(step).take(100).copied().collect();
    let path = folder.join("keep.txt");
    fs::write(&path, kept.join("\n"))?;
    Ok(path)
}
