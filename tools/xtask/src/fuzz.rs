//! Coverage-guided fuzzing with libFuzzer, on a stable compiler.
//!
//! The instrumentation is LLVM's own pass, asked for by name; only the sanitizers, which
//! safe code has little use for, would need a nightly compiler. libFuzzer itself is C++ and
//! is built with the system's compiler.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, cargo, check, output, shown, target};

/// Arguments of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to fuzz
    #[arg(value_parser = targets())]
    target: String,
    /// How long, in seconds
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u64,
}

/// Edge counters, comparisons, and checks of arithmetic.
const FLAGS: [&str; 8] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Clink-dead-code",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// Seconds after which one input counts as a hang.
const HANG: u64 = 10;

/// Names of the targets.
fn targets() -> clap::builder::PossibleValuesParser {
    mtlpack_fuzz::TARGETS.map(|target| target.name).into()
}

/// Builds a target, fills its corpus and lets it run; a finding is an error.
pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("fuzz");
    let (corpus, artifacts) =
        (folder.join("corpus").join(&args.target), folder.join("artifacts").join(&args.target));
    fs::create_dir_all(&artifacts)?;
    let added = seed(&corpus, &args.target)?;
    println!("corpus: {} ({added} seeds added)", corpus.display());
    let program = build(&folder.join("build"), &args.target)?;
    let mut command = Command::new(program);
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(artifacts.join(""));
    command.arg(&corpus).arg(prefix).args([
        format!("-max_total_time={}", args.seconds),
        format!("-timeout={HANG}"),
        "-rss_limit_mb=1024".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]);
    println!("{}", shown(&command));
    check(&mut command).map_err(|error| {
        format!("{error}\nthe input that did it is in {}", artifacts.display()).into()
    })
}

/// Writes the seeds that are not there yet.
fn seed(corpus: &Path, name: &str) -> Result<usize> {
    fs::create_dir_all(corpus)?;
    let mut added = 0;
    for (index, seed) in mtlpack_fuzz::seeds(name).iter().enumerate() {
        let path = corpus.join(format!("seed-{index:03}"));
        if !path.exists() {
            fs::write(path, seed)?;
            added += 1;
        }
    }
    Ok(added)
}

/// Builds a target with instrumentation; gives its program.
fn build(folder: &Path, name: &str) -> Result<PathBuf> {
    let host = host()?;
    let mut command =
        cargo(&["build", "--release", "-p", "mtlpack-fuzz", "--features", "libfuzzer"]);
    // With a target named, build scripts and macros go without the flags.
    command.args(["--bin", name, "--target", &host, "--target-dir"]).arg(folder);
    command.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"));
    command.env("CARGO_PROFILE_RELEASE_LTO", "false");
    check(&mut command)?;
    Ok(folder.join(host).join("release").join(name))
}

/// The target that the compiler builds for by default.
fn host() -> Result<String> {
    let about = output(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc -vV does not name the host")?.to_owned())
}
