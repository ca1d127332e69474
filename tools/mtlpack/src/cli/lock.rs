//! `mtlpack lock`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use super::failure::Failure;
use super::options::{OneFile, Threads};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::{Claims, Input, OutputFile, Target};

/// Write down what host code relies on in a library, for `verify --lock`
///
/// The lock is a text to commit: platform and floor, and of each function its name, type,
/// versions, function constants, vertex attributes, results and arguments, and a digest of its
/// reflection.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack lock default.metallib -o default.lock")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// File to write, `-` for standard output
    #[arg(short, long, value_name = "LOCK", default_value = "-")]
    output: OsString,
    #[command(flatten)]
    threads: Threads,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, _: &mut Printer) -> Result<Answer, Failure> {
    let input = Input::open(&args.input.file)?;
    let library = source::parse(&input)?;
    let target = Target::parse(&args.output);
    if let Some(path) = target.path() {
        let mut claims = Claims::default();
        for read in args.response_files.iter().map(PathBuf::as_path).chain(input.path()) {
            claims.read(read);
        }
        claims.write(path)?;
    }
    let lock = crate::lock(&input, &library, args.threads.count())?;
    let mut output = OutputFile::open_text(&target)?;
    output.write_all(lock.to_string().as_bytes())?;
    output.finish()?;
    Ok(Answer::Yes)
}
