//! `mtlpack sources`.

mod extract;
mod list;

use std::path::PathBuf;

use super::Answer;
use super::failure::Failure;
use super::printer::Printer;
use crate::archive::Budget;

/// List the embedded sources of a library, or take them out as files
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack sources list debug.metallib
  mtlpack sources extract debug.metallib -o src")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Extract(extract::Args),
}

impl Args {
    /// Where the response files are kept that outputs may not replace.
    pub(super) fn response_files_mut(&mut self) -> Option<&mut Vec<PathBuf>> {
        match &mut self.command {
            Command::List(_) => None,
            Command::Extract(args) => Some(&mut args.response_files),
        }
    }
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    match &args.command {
        Command::List(args) => list::run(args, printer),
        Command::Extract(args) => extract::run(args, printer),
    }
}

/// How much may be unpacked.
#[derive(Clone, Copy, Debug, clap::Args)]
struct MaxSize {
    /// Unpack up to this many bytes of all archives together (K, M and G are binary units);
    /// by default 256M and 4096 members of an archive, 1G in all, and 32 times the packed sizes
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
}

impl MaxSize {
    fn budget(self) -> Budget {
        self.max_size.map_or_else(Budget::default, Budget::up_to)
    }
}

/// A number of bytes, in units if it ends with one.
fn size(text: &str) -> Result<u64, String> {
    let unit = |suffix: char| match suffix.to_ascii_uppercase() {
        'K' => Some(1 << 10),
        'M' => Some(1 << 20),
        'G' => Some(1 << 30),
        _ => None,
    };
    let (digits, unit) = match text.chars().next_back().and_then(unit) {
        Some(unit) => (text.get(..text.len() - 1).unwrap_or_default(), unit),
        None => (text, 1),
    };
    let number = digits.parse::<u64>().ok().filter(|_| !digits.starts_with('+'));
    number
        .and_then(|number| number.checked_mul(unit))
        .ok_or_else(|| "expected a number of bytes, such as 500000 or 512M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn reads_sizes() {
        for (text, expected) in [("0", 0), ("1000", 1000), ("2k", 2048), ("3M", 3 << 20)] {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        for text in ["", "M", "-1", "+1", "1.5G", "1T", "99999999999G", "1\u{e9}"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
