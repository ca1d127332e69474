//! `mtlpack disassemble`.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use super::failure::Failure;
use super::options::OneFile;
use super::printer::Printer;
use super::{Answer, source};
use crate::io::{Claims, Input, OutputFile, Target};

/// Show the module of a function as text of LLVM
///
/// The text is made by `llvm-dis` of LLVM 14 to 22, which must be there. Of the versions
/// found, the one that is called `llvm-dis` is taken, else the newest; the next one if it
/// cannot read the module. If all fail or print nothing, the exit status is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  mtlpack disassemble default.metallib vector_add -o vector_add.ll"
)]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Name of the function
    #[arg(value_name = "NAME")]
    function: String,
    /// The llvm-dis to run, instead of one that is found
    #[arg(long, value_name = "PATH")]
    llvm_dis: Option<PathBuf>,
    /// File to write, `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: OsString,
    /// The response files of the command line: they are inputs too.
    #[arg(skip)]
    pub(super) response_files: Vec<PathBuf>,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
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
    let named = source::named(&input, &library);
    let found = crate::disassemble(named, &args.function, args.llvm_dis.as_deref())?;
    if !found.messages.is_empty() {
        printer.note(&found.messages);
    }
    let mut output = OutputFile::open_text(&target)?;
    output.write_all(&found.text)?;
    output.finish()?;
    Ok(Answer::Yes)
}
