//! `mtlpack replace`.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};

use super::deliver::{Consumed, Product, deliver};
use super::failure::Failure;
use super::merge::Os;
use super::options::{Destination, OneFile, Writing, refused};
use super::printer::Printer;
use super::{Answer, source};
use crate::io::{Input, Target};
use crate::names::unescape;
use crate::{ReplaceOptions, Replacement};

/// Replace functions of a library by those of others, under the old names
///
/// Module, metadata, reflection, versions and source archive come from the other library;
/// the function is renamed if it had another name there. The order of functions and all
/// others stay.
///
/// NAME ends at the first `=`. FUNCTION stands behind the last `#` and is by default NAME
/// if OTHER has it, else its only function; a path with `#` needs another one behind it,
/// with or without a FUNCTION. Names have the escapes of `mtlpack list --format names`: `\x3d`
/// is a `=`, `\x23` a `#`, `\\` a backslash. Paths have none.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack replace all.metallib gemm=tuned.metallib 'sum=fast.metallib#sum_v2' -o new.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Function to replace, library with the new one, and its name there
    #[arg(required = true, value_name = "NAME=OTHER[#FUNCTION]")]
    #[arg(value_parser = OsStringValueParser::new().try_map(Request::parse))]
    replacements: Vec<Request>,
    #[command(flatten)]
    destination: Destination,
    /// Allow a function of another type in the place of one
    #[arg(long)]
    allow_type_change: bool,
    /// Which of different minimum OS versions the output has
    #[arg(long, value_name = "CHOICE", default_value = "highest")]
    os: Os,
    #[command(flatten)]
    pub(super) writing: Writing,
}

/// NAME=OTHER[#FUNCTION].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    name: Vec<u8>,
    other: PathBuf,
    function: Option<Vec<u8>>,
    /// All behind the `=`, for the message where it is a path with `#`.
    whole: PathBuf,
}

const FORM: &str = "expected NAME=OTHER[#FUNCTION]";

impl Request {
    fn parse(argument: OsString) -> Result<Self, String> {
        let (name, rest) = split(&argument, '=', End::First)?.ok_or(FORM)?;
        let (other, function) = match split(&rest, '#', End::Last)? {
            Some((other, function)) => (other, Some(function)),
            None => (rest.clone(), None),
        };
        if name.is_empty() || other.is_empty() {
            return Err(FORM.to_owned());
        }
        // Nothing behind the `#` of a path is as good as no `#`.
        let function = function.filter(|function| !function.is_empty());
        Ok(Self {
            name: name_of(&name)?,
            other: other.into(),
            function: function.as_deref().map(name_of).transpose()?,
            whole: rest.into(),
        })
    }

    /// Opens the other library.
    fn open(&self) -> Result<Input, Failure> {
        Input::open(&self.other).map_err(|error| {
            if self.function.is_none() || !self.whole.is_file() {
                return error.into();
            }
            refused(format!(
                "`{}`: a `#` of a path needs another one behind the path, for a function may \
                 follow it",
                self.whole.display()
            ))
        })
    }
}

/// The name that escaped text stands for.
fn name_of(text: &OsStr) -> Result<Vec<u8>, String> {
    let shown = text.to_string_lossy();
    let text = text.to_str().ok_or_else(|| format!("the name `{shown}` is no Unicode text"))?;
    unescape(text)
        .map_err(|escape| format!("`{escape}` is no escape; a backslash of a name is `\\\\`"))
}

/// At which of several separators text is parted.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// Parts text at an ASCII character, if it has that.
#[cfg(unix)]
fn split(text: &OsStr, at: char, end: End) -> Result<Option<(OsString, OsString)>, String> {
    use std::os::unix::ffi::OsStrExt;

    let bytes = text.as_bytes();
    let is_at = |&byte: &u8| char::from(byte) == at;
    let found = match end {
        End::First => bytes.iter().position(is_at),
        End::Last => bytes.iter().rposition(is_at),
    };
    let part = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let parts = found.and_then(|found| bytes.split_at_checked(found));
    Ok(parts.map(|(front, rest)| (part(front), part(rest.get(1..).unwrap_or_default()))))
}

/// Parts text at an ASCII character, if it has that.
#[cfg(not(unix))]
fn split(text: &OsStr, at: char, end: End) -> Result<Option<(OsString, OsString)>, String> {
    let text = text.to_str().ok_or("a path that is no Unicode text cannot stand here")?;
    let parts = match end {
        End::First => text.split_once(at),
        End::Last => text.rsplit_once(at),
    };
    Ok(parts.map(|(front, rest)| (front.into(), rest.into())))
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    args.destination.check(&args.writing)?;
    let file = Input::open(&args.input.file)?;
    let target = args.destination.target(&file)?;
    let (inputs, indices) = open(file, &args.replacements)?;
    let libraries = source::parse_all(&inputs)?;
    let named = source::named_all(&inputs, &libraries);
    let replacements: Vec<Replacement<'_, '_>> = args
        .replacements
        .iter()
        .zip(indices)
        .filter_map(|(request, index)| {
            let (name, function) = (request.name.clone(), request.function.clone());
            Some(Replacement { name, from: *named.get(index)?, function })
        })
        .collect();
    let Some(input) = named.first() else { return Ok(Answer::No) };
    let edited = crate::replace(*input, &replacements, &options(args, target.as_ref()))
        .map_err(|error| Failure::on(error, &inputs))?;
    let products = [Product { draft: edited.into(), target }];
    deliver(&products, Consumed { libraries: &inputs, lists: &[] }, &args.writing, printer)?;
    Ok(Answer::Yes)
}

/// Opens the other libraries, each once however many functions it gives; for each request
/// the index of its library among all.
fn open(file: Input, requests: &[Request]) -> Result<(Vec<Input>, Vec<usize>), Failure> {
    let mut inputs = vec![file];
    let mut known: HashMap<&Path, usize> = HashMap::new();
    let mut indices = Vec::with_capacity(requests.len());
    for request in requests {
        let index = match known.get(request.other.as_path()) {
            Some(index) => *index,
            None => {
                inputs.push(request.open()?);
                inputs.len() - 1
            }
        };
        known.insert(&request.other, index);
        indices.push(index);
    }
    Ok((inputs, indices))
}

fn options(args: &Args, target: Option<&Target>) -> ReplaceOptions {
    let file_name = target.and_then(Target::path).and_then(Path::file_name);
    ReplaceOptions {
        os: args.os.choice(),
        allow_type_change: args.allow_type_change,
        output_name: file_name.map(|name| name.to_string_lossy().into_owned()),
        new_layout: args.writing.new_layout,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(argument: &str) -> Result<(String, String, Option<String>), String> {
        let text = |name: Vec<u8>| String::from_utf8(name).unwrap_or_default();
        let request = Request::parse(argument.into())?;
        let other = request.other.to_string_lossy().into_owned();
        Ok((text(request.name), other, request.function.map(text)))
    }

    fn parts(
        name: &str,
        other: &str,
        function: Option<&str>,
    ) -> Result<(String, String, Option<String>), String> {
        Ok((name.to_owned(), other.to_owned(), function.map(str::to_owned)))
    }

    #[test]
    fn parts_at_the_first_equals_sign_and_the_last_number_sign() {
        assert_eq!(parse("f=b.metallib"), parts("f", "b.metallib", None));
        assert_eq!(parse("f=b.metallib#g"), parts("f", "b.metallib", Some("g")));
        assert_eq!(parse("ns::f<a>=a=b/c#1/d#g<b>"), parts("ns::f<a>", "a=b/c#1/d", Some("g<b>")));
        assert_eq!(parse("f=c#1/d#"), parts("f", "c#1/d", None));
        assert_eq!(parse("f=-#g"), parts("f", "-", Some("g")));
    }

    #[test]
    fn paths_have_no_escapes_and_names_have() {
        let windows = r"C:\new\x23.metallib";
        assert_eq!(parse(&format!("f={windows}")), parts("f", windows, None));
        assert_eq!(parse(&format!("f={windows}#g")), parts("f", windows, Some("g")));
        let argument = r"operator\x3d\x3d=\\\\host\share\b#a\x23b\\c";
        let expected = parts("operator==", r"\\\\host\share\b", Some(r"a#b\c"));
        assert_eq!(parse(argument), expected);
    }

    #[test]
    fn refuses_what_has_another_form() {
        for argument in ["f", "", "=b", "f=", "f=#g"] {
            assert_eq!(parse(argument), Err(FORM.to_owned()), "{argument}");
        }
        let message = r"`\q` is no escape; a backslash of a name is `\\`";
        assert_eq!(parse(r"f\q=b"), Err(message.to_owned()));
        assert_eq!(parse(r"f=b#\q"), Err(message.to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn takes_any_path() {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};

        let request = Request::parse(OsString::from_vec(b"f=a\xff#g".to_vec()));
        let other = request.map(|request| request.other.as_os_str().as_bytes().to_vec());
        assert_eq!(other, Ok(b"a\xff".to_vec()));
        assert!(Request::parse(OsString::from_vec(b"f\xff=a".to_vec())).is_err());
    }
}
