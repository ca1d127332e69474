//! `mtlpack symbols`.

mod page;

use std::io::Write;

use clap::ValueEnum;
use metallib::Library;

use super::failure::Failure;
use super::options::{Files, Threads, refused};
use super::printer::{Printer, style};
use super::{Answer, json, source};
use crate::io::Input;
use crate::modules::{self, Users};
use crate::{ModuleSymbols, United, Which};
use page::{Look, Page, Subject};

/// Show what the modules of libraries define and import
///
/// Also takes modules alone: `.air` files and bitcode. Imports are those of `air.*` and
/// `llvm.*`, which the system has, and others. A module that several functions share is shown
/// once. The exit status is 2 if a module cannot be read, which hides none of the others.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack symbols --united --undefined-only default.metallib")]
pub(super) struct Args {
    #[command(flatten)]
    input: Files,
    /// One list for each library, instead of one for each module
    #[arg(long)]
    united: bool,
    /// Show only what is imported
    #[arg(long, conflicts_with = "defined_only")]
    undefined_only: bool,
    /// Show only what is defined
    #[arg(long)]
    defined_only: bool,
    #[command(flatten)]
    threads: Threads,
    /// How to print the symbols
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: SymbolFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SymbolFormat {
    /// Text for people; it may change between versions
    Human,
    /// JSON for programs, as described in docs/cli.md
    Json,
    /// The names alone, one on each line; without --united again for each module
    Names,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let look = match args.format {
        SymbolFormat::Human => Look::Human {
            heading: printer.around(style::HEADING),
            bare: !args.undefined_only && !args.defined_only,
        },
        SymbolFormat::Json => Look::Json,
        SymbolFormat::Names => Look::Names,
    };
    let mut job = Job { args, look, rows: json::Rows::default() };
    let done = source::for_each(&args.input.files, printer, |input, printer| {
        if source::is_module(input) {
            job.module(input, printer)
        } else {
            job.library(input, &source::parse(input)?, printer)
        }
    });
    if job.look == Look::Json {
        job.rows.end(printer.out())?;
    }
    done.map(|()| Answer::Yes)
}

/// What there is to do.
struct Job<'j> {
    args: &'j Args,
    look: Look,
    rows: json::Rows,
}

impl Job<'_> {
    fn which(&self) -> Which {
        match (self.args.defined_only, self.args.undefined_only) {
            (true, _) => Which::Defined,
            (_, true) => Which::Undefined,
            _ => Which::All,
        }
    }

    fn several(&self) -> bool {
        self.args.input.files.len() > 1
    }

    /// A file that is a module itself: its list and the united one are the same.
    fn module(&mut self, input: &Input, printer: &mut Printer) -> Result<(), Failure> {
        let subject = Subject { input: input.name(), several: self.several(), library: None };
        let mut page = Page::default();
        let found = ModuleSymbols::read(input.bytes(), self.which());
        page.entry(&self.look, &subject, None, found);
        self.print(&page, printer)?;
        match page.unread.first() {
            Some((_, error)) => Err(refused(format!("{}: {error}", input.name()))),
            None => Ok(()),
        }
    }

    fn library(
        &mut self,
        input: &Input,
        library: &Library<'_>,
        printer: &mut Printer,
    ) -> Result<(), Failure> {
        let users = Users::new(library);
        let library_and_users = Some((library, &users));
        let several = self.several();
        let subject = Subject { input: input.name(), several, library: library_and_users };
        let unread = match self.args.united {
            true => self.united(input, library, &subject, printer)?,
            false => self.single(input, library, &subject, printer)?,
        };
        let Some((first, error)) = unread.first() else { return Ok(()) };
        let (count, all) = (unread.len(), library.modules().len());
        let place = modules::place(library, &users, *first);
        Err(refused(format!(
            "{}: {count} of {all} modules cannot be read: {place}: {error}",
            input.name()
        )))
    }

    fn united(
        &mut self,
        input: &Input,
        library: &Library<'_>,
        subject: &Subject<'_>,
        printer: &mut Printer,
    ) -> Result<Vec<(usize, String)>, Failure> {
        let united = United::read(input, library, self.which(), self.args.threads.count())?;
        let mut page = Page::default();
        page.united(&self.look, subject, library.modules().len(), united);
        self.print(&page, printer)?;
        Ok(page.unread)
    }

    /// Prints the list of each module as it comes.
    fn single(
        &mut self,
        input: &Input,
        library: &Library<'_>,
        subject: &Subject<'_>,
        printer: &mut Printer,
    ) -> Result<Vec<(usize, String)>, Failure> {
        let (which, threads, look) = (self.which(), self.args.threads.count(), self.look.clone());
        let mut unread = Vec::new();
        let each = |page: &mut Page, index, found: air_bitcode::Result<ModuleSymbols<'_>>| {
            page.entry(&look, subject, Some(index), found);
        };
        crate::symbols(input, library, which, threads, each, |mut page: Page| {
            unread.append(&mut page.unread);
            self.print(&page, printer).map_err(Failure::into_error)
        })?;
        if library.functions().iter().any(|function| function.module.is_none()) {
            let mut page = Page::default();
            page.entry(&look, subject, None, ModuleSymbols::read(&[], which));
            self.print(&page, printer)?;
        }
        Ok(unread)
    }

    fn print(&mut self, page: &Page, printer: &mut Printer) -> Result<(), Failure> {
        match self.look {
            Look::Json => self.rows.add(&page.text, printer.out())?,
            _ => printer.out().write_all(&page.text)?,
        }
        Ok(())
    }
}
