//! What CI runs: a contributor runs the same with `cargo xtask ci`.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::run::{Result, cargo, check, output, shown, target};

/// Name, target and packages of what must also build elsewhere: the libraries use no files.
const TARGETS: [(&str, &str, &[&str]); 2] = [
    (
        "WebAssembly",
        "wasm32-unknown-unknown",
        &["metallib", "metallib-write", "air-bitcode", "mtlp-script"],
    ),
    ("Windows", "x86_64-pc-windows-gnu", &["mtlpack"]),
];

/// A step with its name.
struct Step {
    name: &'static str,
    command: Command,
}

/// Runs all steps; the first that fails ends it.
pub(crate) fn run() -> Result<()> {
    for Step { name, mut command } in steps()? {
        println!("==> {name}: {}", shown(&command));
        let start = Instant::now();
        check(&mut command).map_err(|error| format!("step `{name}` failed: {error}"))?;
        println!("==> {name}: done in {:.0} s", start.elapsed().as_secs_f64());
    }
    println!("==> all steps passed");
    Ok(())
}

/// The steps, quick ones first.
fn steps() -> Result<Vec<Step>> {
    let step = |name, arguments: &[&str]| Step { name, command: cargo(arguments) };
    let mut doc = step("documentation", &["doc", "--workspace", "--no-deps"]);
    doc.command.env("RUSTDOCFLAGS", "-D warnings");
    // The same cases each time: a chance find must not fail an unrelated change.
    let mut tests = step("tests", &["test", "--workspace"]);
    tests.command.env("PROPTEST_RNG_SEED", "1");
    let lints = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let mut steps = vec![
        step("format", &["fmt", "--all", "--check"]),
        step("lints", &lints),
        step("without the command", &["check", "-p", "mtlpack", "--no-default-features"]),
        // The tests exercise every fuzz target too.
        tests,
        doc,
        build_script(),
    ];
    steps.extend(other_systems()?);
    Ok(steps)
}

/// The example of a build script, a workspace of its own, built and run.
fn build_script() -> Step {
    let manifest = "tools/mtlpack/examples/build-script/Cargo.toml";
    let mut command = cargo(&["run", "--manifest-path", manifest]);
    command.env("CARGO_TARGET_DIR", target().join("build-script"));
    Step { name: "build script", command }
}

/// Checks for other systems, as far as their targets are installed.
fn other_systems() -> Result<Vec<Step>> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let installed = Path::new(sysroot.trim()).join("lib/rustlib");
    let mut steps = Vec::new();
    for (name, target, packages) in TARGETS {
        if !installed.join(target).is_dir() {
            println!("==> {name}: skipped, target {target} is not installed");
            continue;
        }
        let mut command = cargo(&["check", "--target", target]);
        command.args(packages.iter().flat_map(|package| ["-p", package]));
        steps.push(Step { name, command });
    }
    Ok(steps)
}
