//! Symbols as text or JSON. Made on the threads that read the modules.

use std::borrow::Cow;

use air_bitcode::{GlobalKind, ImportKind, Linkage};
use metallib::{Function, Library};
use serde::Serialize;

use crate::cli::printer::clean;
use crate::modules::Users;
use crate::symbols::{kind, linkage, origin};
use crate::{ModuleSymbols, Symbol, United, names};

/// How symbols are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Lists with headings, which stand between two sequences for the terminal; `bare`
    /// headings are those of modules with nothing to show.
    Human { heading: (String, String), bare: bool },
    /// Objects.
    Json,
    /// Names, one on each line.
    Names,
}

/// What the symbols belong to.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    pub(super) input: &'s str,
    /// Whether the input is one of several.
    pub(super) several: bool,
    /// The library that it is; none if it is a module itself.
    pub(super) library: Option<(&'s Library<'s>, &'s Users)>,
}

/// A part of what is printed.
#[derive(Default)]
pub(super) struct Page {
    pub(super) text: Vec<u8>,
    /// Modules that cannot be read, and why.
    pub(super) unread: Vec<(usize, String)>,
    /// What the last line of a symbol began with.
    columns: Option<(Shape, Vec<u8>)>,
}

/// All of a symbol but its name.
type Shape = (Option<ImportKind>, Linkage, GlobalKind);

/// One object of `--format json`.
#[derive(Serialize)]
struct Row<'r, S> {
    input: &'r str,
    functions: Option<Vec<Cow<'r, str>>>,
    modules: usize,
    symbols: Vec<S>,
    errors: Vec<String>,
}

impl<'s> Subject<'s> {
    /// The functions that use a module, or have none.
    fn functions(&self, module: Option<usize>) -> impl Iterator<Item = &'s Function<'s>> {
        let (functions, pairs): (&[Function<'_>], _) = match self.library {
            Some((library, users)) => (library.functions(), users.of(module)),
            None => (&[], &[][..]),
        };
        pairs.iter().filter_map(|(_, index)| functions.get(*index))
    }
}

impl Page {
    /// The symbols of a module, or none for the functions that have no module.
    pub(super) fn entry(
        &mut self,
        look: &Look,
        subject: &Subject<'_>,
        module: Option<usize>,
        found: air_bitcode::Result<ModuleSymbols<'_>>,
    ) {
        let error = found.as_ref().err().map(ToString::to_string);
        let mut symbols = found.iter().flat_map(ModuleSymbols::iter).peekable();
        match look {
            Look::Names => symbols.for_each(|symbol| self.name_line(symbol.name)),
            Look::Json => {
                let functions = subject.functions(module).map(Function::name);
                let row = Row {
                    input: subject.input,
                    functions: subject.library.map(|_| functions.collect()),
                    modules: usize::from(subject.library.is_none() || module.is_some()),
                    symbols: symbols.collect(),
                    errors: error.iter().cloned().collect(),
                };
                self.row(&row);
            }
            Look::Human { bare: false, .. } if symbols.peek().is_none() && error.is_none() => {}
            Look::Human { heading, .. } => {
                self.heading(heading, subject, module);
                symbols.for_each(|symbol| self.line(symbol, None));
                if let Some(error) = &error {
                    self.push("  cannot be read: ");
                    self.push(&clean(error));
                    self.text.push(b'\n');
                }
            }
        }
        self.unread.extend(error.map(|error| (module.unwrap_or(0), error)));
    }

    /// The symbols of a whole library.
    pub(super) fn united(
        &mut self,
        look: &Look,
        subject: &Subject<'_>,
        modules: usize,
        found: United,
    ) {
        self.unread.extend(found.errors.iter().map(|(index, error)| (*index, error.to_string())));
        let names = found.symbols.iter().map(|symbol| symbol.name.as_slice());
        match look {
            Look::Names => names.for_each(|name| self.name_line(name)),
            Look::Json => {
                let errors = self.unread.iter().map(|(_, error)| error.clone()).collect();
                let (input, symbols) = (subject.input, found.symbols);
                self.row(&Row { input, functions: None, modules, symbols, errors });
            }
            Look::Human { heading: (on, off), .. } => {
                let plural = if modules == 1 { "" } else { "s" };
                let input = clean(subject.input);
                self.push(&format!("{on}{input}: {modules} module{plural}{off}\n"));
                for united in &found.symbols {
                    let (name, import) = (united.name.as_slice(), united.import);
                    let (kind, linkage) = (united.kind, united.linkage);
                    self.line(Symbol { name, import, kind, linkage }, Some(united.modules));
                }
            }
        }
    }

    fn row(&mut self, row: &impl Serialize) {
        // Writing to memory cannot fail, and the objects are made of texts and numbers.
        let _ = crate::cli::json::write_compact(&mut self.text, row);
        self.text.push(b'\n');
    }

    /// Says which functions the symbols are of.
    fn heading(&mut self, (on, off): &(String, String), subject: &Subject<'_>, of: Option<usize>) {
        self.push(on);
        if subject.several || subject.library.is_none() {
            self.push(&clean(subject.input));
        }
        let mut functions = subject.functions(of);
        let first = functions.next();
        if let Some(first) = first {
            self.push(if subject.several { ": " } else { "" });
            self.name(first.name_bytes());
        }
        match functions.count() {
            0 => {}
            more => self.push(&format!(" and {more} more")),
        }
        if subject.library.is_some() && of.is_none() {
            self.push(": no module");
        }
        self.push(off);
        self.text.push(b'\n');
    }

    /// A symbol's line in a list.
    fn line(&mut self, symbol: Symbol<'_>, modules: Option<u64>) {
        let shape = (symbol.import, symbol.linkage, symbol.kind);
        match &self.columns {
            // Most lines begin as the one before, which shows in the time of long lists.
            Some((last, columns)) if *last == shape => self.text.extend_from_slice(columns),
            _ => self.columns(shape),
        }
        if let Some(modules) = modules {
            self.push(&format!("{modules:>7}  "));
        }
        self.name(symbol.name);
        self.text.push(b'\n');
    }

    /// What a line begins with, which the next one may do, too.
    fn columns(&mut self, shape: Shape) {
        let start = self.text.len();
        let (import, of, what) = shape;
        self.push("  ");
        self.column(8, origin(import));
        self.column(13, &linkage(of));
        self.column(9, kind(what));
        self.columns = self.text.get(start..).map(|columns| (shape, columns.to_vec()));
    }

    /// Text filled up to a width, and a space behind it if it is wider.
    fn column(&mut self, width: usize, text: &str) {
        const SPACES: &str = "                ";
        self.push(text);
        let missing = width.saturating_sub(text.len()).max(1);
        self.push(SPACES.get(..missing).unwrap_or(SPACES));
    }

    /// A name for people, on one line.
    fn name(&mut self, name: &[u8]) {
        if name.is_empty() {
            self.push("(without a name)");
        } else if name.iter().fold(true, |plain, byte| plain & (b' '..0x7f).contains(byte)) {
            self.text.extend_from_slice(name);
        } else {
            let text = String::from_utf8_lossy(name);
            self.push(&clean(&text).replace('\n', "\\n"));
        }
    }

    /// A name as `list --format names` prints it.
    fn name_line(&mut self, name: &[u8]) {
        self.push(&names::escape(name));
        self.text.push(b'\n');
    }

    fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }
}
