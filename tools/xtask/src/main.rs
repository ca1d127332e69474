//! What CI runs, and what makes the committed files: `cargo xtask COMMAND`.
#![forbid(unsafe_code)]

mod bench;
mod ci;
mod corpus;
mod examples;
mod fuzz;
mod run;
mod schema;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What CI runs, and what makes the committed files.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Formatting, lints, tests, documentation and builds, as CI runs them
    Ci,
    /// Round trip of every library of the corpus with everything recomputed
    Corpus(corpus::Args),
    /// Make the libraries of examples/ of their .ll files (needs llvm-as of LLVM 14)
    Examples(examples::Args),
    /// Make the JSON Schemas of pipeline scripts, for editors
    Schema(schema::Args),
    /// Fuzz a target with libFuzzer (needs a C++ compiler)
    Fuzz(fuzz::Args),
    /// Measure the command on large libraries beside public commands
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Ci => ci::run(),
        Command::Corpus(args) => corpus::run(&args),
        Command::Examples(args) => examples::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
