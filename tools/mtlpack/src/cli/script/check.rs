//! `mtlpack script check`.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use mtlp_script::json::Span;
use mtlp_script::{Form, Report, Rule, Script, Severity};
use serde::Serialize;

use super::super::failure::Failure;
use super::super::printer::{Printer, clean, style};
use super::super::{Answer, json, source};
use super::sarif;
use crate::ScriptLibraries;
use crate::io::Input;
use crate::text::plural;

/// Check pipeline scripts without a GPU: exit status 1 if there is an error
///
/// Checked are syntax, keys, values, labels, predicates and stitching graphs; and, in the libraries
/// that are named, that every function is there and of the right type, function constants, and
/// vertex descriptors. Without --library and -L functions are not looked up.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  mtlpack script check shaders.mtlp-json --library shaders.metallib -L build")]
pub(super) struct Args {
    /// Scripts to check, `-` for standard input
    #[arg(required = true, value_name = "SCRIPT")]
    scripts: Vec<PathBuf>,
    /// Library in which plain names are looked up, as the one on the command line of metal-tt; it
    /// also serves for paths with its file name
    #[arg(long, value_name = "FILE")]
    library: Vec<PathBuf>,
    /// Folder in which relative paths of libraries are looked for
    #[arg(short = 'L', long, value_name = "DIR")]
    library_dir: Vec<PathBuf>,
    /// What else is to be a "no"
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// What else is to be a "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Warnings
    Warnings,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One `path:line:col: severity: message` a line
    Human,
    /// JSON for programs, as described in docs/cli.md
    Json,
    /// SARIF 2.1.0, which code hosts show beside the lines
    Sarif,
}

/// A script that was checked.
#[derive(Serialize)]
pub(super) struct Checked {
    pub(super) script: String,
    errors: u64,
    warnings: u64,
    omitted: u64,
    not_looked_up: u64,
    pub(super) findings: Vec<Row>,
}

/// A finding.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) severity: &'static str,
    pub(super) rule: &'static str,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    let mut libraries = ScriptLibraries::new(args.library_dir.clone());
    args.library.iter().try_for_each(|path| libraries.add(path))?;
    let mut all = Vec::new();
    let mut passed = true;
    let done = source::for_each(&args.scripts, printer, |input, printer| {
        let report = check(input, &mut libraries)?;
        let denied = match args.deny {
            Some(Deny::Warnings) => report.count(Severity::Warning),
            None => 0,
        };
        passed &= report.count(Severity::Error) + denied == 0;
        let checked = Checked::of(input, &report);
        match args.format {
            Format::Human => human(&checked, printer),
            Format::Json | Format::Sarif => {
                all.push(checked);
                Ok(())
            }
        }
    });
    match args.format {
        Format::Human => {}
        Format::Json => json::print(&all, printer)?,
        Format::Sarif => json::print(&sarif::log(&all), printer)?,
    }
    done.map(|()| if passed { Answer::Yes } else { Answer::No })
}

fn check(input: &Input, libraries: &mut ScriptLibraries) -> Result<Report, Failure> {
    let form = Form::of_name(input.name());
    let mut report = match Script::parse(input.bytes(), form) {
        Err(error) => Report::of_syntax(error),
        Ok(script) => {
            let paths = libraries.of_script(&script.model())?;
            mtlp_script::check(&script, &paths.known())
        }
    };
    if form.is_none() && input.path().is_some() {
        let message = "the name of a script must end in .mtlp-json (of Metal 4: .mtl4-json); \
                       metal-tt takes any other file for malformed binary data";
        report.add(Severity::Error, Rule::FileName, Span::default(), message);
    }
    Ok(report)
}

impl Checked {
    fn of(input: &Input, report: &Report) -> Self {
        let row = |placed: mtlp_script::Placed<'_>| Row {
            severity: name(placed.finding.severity),
            rule: placed.finding.rule.name(),
            line: placed.line,
            column: placed.column,
            message: placed.finding.message.clone(),
        };
        Self {
            script: input.name().to_owned(),
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            omitted: report.omitted(),
            not_looked_up: report.not_looked_up,
            findings: report.placed(input.bytes()).map(row).collect(),
        }
    }
}

const fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn human(checked: &Checked, printer: &mut Printer) -> Result<(), Failure> {
    let script = clean(&checked.script).replace('\n', "\\n");
    for Row { severity, rule, line, column, message } in &checked.findings {
        let color = if *severity == "error" { style::ERROR } else { style::WARNING };
        let severity = printer.styled(color, severity);
        let message = clean(message).replace('\n', "\\n");
        writeln!(printer.out(), "{script}:{line}:{column}: {severity}: {message} [{rule}]")?;
    }
    if checked.omitted > 0 {
        writeln!(printer.out(), "{script}: {} more", plural(checked.omitted, "finding"))?;
    }
    let (errors, warnings) = (checked.errors, checked.warnings);
    let (errors, warnings) = (plural(errors, "error"), plural(warnings, "warning"));
    writeln!(printer.out(), "{script}: {errors}, {warnings}")?;
    if checked.not_looked_up > 0 {
        let references = plural(checked.not_looked_up, "reference");
        printer.note(format_args!(
            "{script}: {references} not looked up: name the libraries with --library (plain names) \
             or their folders with -L (paths)"
        ));
    }
    Ok(())
}
