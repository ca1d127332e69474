//! Absolute paths and names of users in libraries: finding them, and what becomes of them.
//!
//! | place | read as |
//! |---|---|
//! | tags DEBI and DEPF | the path of a file |
//! | sections HSRC and HSRD: link options; working directory | a command line; a folder |
//! | source archives: names of members; `metal-options.txt`, `metal-working-dir.txt`, `original-input-filename.txt` | the path of a file; a command line, a folder, the path of a file |
//! | source archives: owners and groups of members | names, and numbers other than zero, which are no paths |
//! | section HDYN: NAME, DYNL | the path of a file |
//! | reflection entries: strings | text |
//! | modules: [texts](air_bitcode::Module::texts) | by their use |
//! | modules: [names, attributes, assembly](air_bitcode::Module::carried_texts) | text, which is not rewritten |
//! | unknown tags and sections, scripts, tags of other texts (ALIS, CNST, …), ids of source archives; what stands behind a text; bytes beside the bitcode of a module, in headers of source archives and behind their files | text, where they are printable |
//!
//! Not looked at: the sources themselves and libraries in archives, constants of the program,
//! function bodies (names of values, inline assembly), and what is compressed in an unknown way.

mod archives;
mod find;
mod group;
mod rules;
mod text;
mod untyped;

use std::borrow::Cow;
use std::sync::Arc;

use air_bitcode::{Text, TextUse};

pub(crate) use archives::{content_form, in_archive_rest};
pub(crate) use find::{At, in_what_is_carried, reflection_strings};
pub use find::{module_paths, paths};
#[cfg(feature = "cli")]
pub(crate) use group::Groups;
pub use group::PathGroup;
pub use rules::PathRules;
pub(crate) use text::{Form, spans};
pub(crate) use untyped::untyped;

/// One place where a path stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathOccurrence {
    /// The path; bytes need not be UTF-8.
    pub path: Vec<u8>,
    /// Name of the user whose home it is in.
    pub user: Option<Vec<u8>>,
    /// What it stands in, such as `tag DEBI` or `module: DIFile directory`.
    pub place: Arc<str>,
    /// Index of the function that it belongs to, or of the first that uses the module.
    pub function: Option<usize>,
    /// Index of the source archive.
    pub archive: Option<usize>,
    /// Offset in the file where it begins; of an archive, which is compressed, where that does.
    pub offset: u64,
}

/// Bytes that the text of every path holds.
pub(crate) const HOLDING: &[u8] = b"/\\";

/// How a text of a module is to be read.
pub(crate) fn form_of(text: &Text<'_>) -> Form {
    let is = |usage: &TextUse, names: &[&[u8]]| matches!(usage, TextUse::Named(name) if names.contains(&name.as_slice()));
    let is_folder =
        |usage: &TextUse| *usage == TextUse::Directory || is(usage, &[b"llvm_utils.workingdir"]);
    let is_file = |usage: &TextUse| {
        matches!(
            usage,
            TextUse::FileName | TextUse::SourceFileName | TextUse::SplitName | TextUse::SystemRoot
        ) || is(usage, &[b"air.source_file_name"])
    };
    match &text.uses {
        uses if uses.iter().any(is_folder) => Form::Folder,
        uses if !uses.is_empty() && uses.iter().all(is_file) => Form::File,
        _ => Form::Text,
    }
}

/// What a text of a module is called in a report.
fn use_name(text: &Text<'_>) -> String {
    let names: Vec<String> =
        text.uses.iter().take(MOST_USES).map(|name| cut(&name.to_string()).into_owned()).collect();
    match text.uses.len() {
        0 => "metadata that nothing uses".to_owned(),
        1..=MOST_USES => names.join(", "),
        more => format!("{}, and {} more", names.join(", "), more - MOST_USES),
    }
}

/// How many uses of a text are named, and how long their names may be, in bytes.
const MOST_USES: usize = 8;
const MOST_NAME: usize = 128;

/// A name that is short enough to be shown.
fn cut(name: &str) -> Cow<'_, str> {
    match name.char_indices().take_while(|(at, c)| at + c.len_utf8() <= MOST_NAME).last() {
        Some((at, c)) if at + c.len_utf8() < name.len() => {
            format!("{}…", name.get(..at + c.len_utf8()).unwrap_or_default()).into()
        }
        _ => name.into(),
    }
}
