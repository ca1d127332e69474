//! `mtlpack split`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;

use super::deliver::{self, Consumed, OutputReport, Report};
use super::failure::Failure;
use super::options::{Format, OneFile, Writing, check_output, folder, refused};
use super::printer::Printer;
use super::{Answer, json, source};
use crate::error::Error;
use crate::io::{Claims, Input, OutputFolder, Target, write_text};
use crate::{INDEX_FILE, Splitter, read_index, stream};

/// Split a library into one for each function
///
/// The folder also gets a file `index.tsv` with the names of the files and functions, in
/// order. Merged in that order, the parts are the original library, byte for byte.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  mtlpack split default.metallib -o parts")]
pub(super) struct Args {
    #[command(flatten)]
    input: OneFile,
    /// Folder to write into, which is created; it must be empty
    #[arg(short, long, value_name = "DIR")]
    output: Option<OsString>,
    /// Allow a folder that is not empty, replace files in it, and remove those of an earlier
    /// split that its index names
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    pub(super) writing: Writing,
}

pub(super) fn run(args: &Args, printer: &mut Printer) -> Result<Answer, Failure> {
    check_output(args.output.as_ref(), &args.writing)?;
    let inputs = [Input::open(&args.input.file)?];
    let [input] = &inputs;
    let library = source::parse(input)?;
    let splitter = Splitter::new(source::named(input, &library), args.writing.new_layout)
        .map_err(|error| Failure::on(error, &inputs))?;
    let folder = args.output.as_deref().map(folder).transpose()?;
    let job = Job { args, splitter: &splitter, input };
    let report = match &folder {
        Some(folder) => job.run(folder)?,
        None => Report { outputs: job.plan(Path::new(""))?, ..Report::default() },
    };
    report.notes.iter().for_each(|note| printer.note(note));
    match args.writing.format.format {
        Format::Json => json::print(&report, printer)?,
        Format::Human if args.writing.dry_run => deliver::print(&report, Format::Human, printer)?,
        Format::Human => {}
    }
    Ok(Answer::Yes)
}

/// As many removed files are named.
const SHOWN: usize = 8;

/// What there is to do.
struct Job<'j, 'l, 'a> {
    args: &'j Args,
    splitter: &'j Splitter<'l, 'a>,
    input: &'j Input,
}

impl Job<'_, '_, '_> {
    /// Writes the parts to a folder, or plans to.
    fn run(&self, path: &Path) -> Result<Report<'static>, Failure> {
        let claims = self.claims(path)?;
        let stale = if self.args.overwrite { self.stale(path, &claims) } else { Vec::new() };
        let dry_run = self.args.writing.dry_run;
        let outputs = if dry_run { self.plan(path)? } else { self.write(path, &stale)? };
        let verb = if dry_run { "would remove" } else { "removed" };
        let note = match stale.len() {
            0 => None,
            1..=SHOWN => Some(format!("{verb} what an earlier split left: {}", stale.join(", "))),
            count => Some(format!("{verb} {count} files that an earlier split left")),
        };
        Ok(Report { outputs, notes: note.into_iter().collect(), ..Report::default() })
    }

    /// Refuses outputs that would replace what is read, or each other.
    fn claims(&self, path: &Path) -> Result<Claims, Failure> {
        let (writing, mut claims) = (&self.args.writing, Claims::default());
        let consumed = self.consumed();
        for path in self.input.path().into_iter().chain(consumed.beside_libraries(writing)) {
            claims.read(path);
        }
        for file in self.splitter.file_names() {
            claims.write(&path.join(file))?;
        }
        claims.write(&path.join(INDEX_FILE))?;
        if let Some(depfile) = writing.depfile() {
            depfile.path().map_or(Ok(()), |path| claims.write(path))?;
        }
        match writing.text_on_stdout().count() {
            2.. if !writing.dry_run => Err(refused(
                "the dependency file and the report of --format json would both go to standard \
                 output; give a file for --depfile",
            )),
            _ => Ok(claims),
        }
    }

    fn consumed(&self) -> Consumed<'_> {
        Consumed { libraries: std::slice::from_ref(self.input), lists: &[] }
    }

    /// Files that the index of an earlier split names and this one does not write. What is
    /// no index that `split` wrote names nothing.
    fn stale(&self, path: &Path, claims: &Claims) -> Vec<String> {
        let Ok(index) = Input::open(path.join(INDEX_FILE)) else { return Vec::new() };
        let old = index.text().map_err(Error::from).and_then(|text| read_index(path, text));
        let Ok(old) = old else { return Vec::new() };
        // Names that differ in case only are one file on many systems.
        let lower = |name: &str| name.to_lowercase();
        let mut known: HashSet<String> =
            self.splitter.file_names().iter().map(|name| lower(name)).collect();
        known.insert(lower(INDEX_FILE));
        let is_file = |path: &Path| path.is_file() && !path.is_symlink();
        let old = old.into_iter().filter(|path| is_file(path) && !claims.has(path));
        let names = old.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        names.filter(|name| known.insert(lower(name))).collect()
    }

    /// What each part will be.
    fn plan(&self, folder: &Path) -> Result<Vec<OutputReport>, Failure> {
        let splitter = self.splitter;
        let mut outputs = Vec::with_capacity(splitter.len() + 1);
        for (index, file) in splitter.file_names().iter().enumerate() {
            let part = splitter.part(index)?;
            outputs.push(planned(folder, file, part.plan()?.total_size()));
        }
        outputs.push(planned(folder, INDEX_FILE, splitter.index().len() as u64));
        Ok(outputs)
    }

    /// Writes the parts one by one: a library may have more of them than files can be open.
    fn write(&self, path: &Path, stale: &[String]) -> Result<Vec<OutputReport>, Failure> {
        let Self { args, splitter, input } = self;
        let index_path = path.join(INDEX_FILE);
        let rule = deliver::dependencies(&[&index_path], self.consumed());
        let depfile = args.writing.depfile().map(|target| Ok::<_, Failure>((target, rule?)));
        let depfile = depfile.transpose()?;
        let mut folder = OutputFolder::create(path, args.overwrite)?;
        let mut outputs = Vec::with_capacity(splitter.len() + 1);
        for (index, file) in splitter.file_names().iter().enumerate() {
            let part = splitter.part(index)?;
            let plan = part.plan()?;
            let mut output = folder.file(file)?;
            stream::write(&plan, &[*input], &mut output, args.writing.threads.count())?;
            let target = Target::Path(path.join(file));
            outputs.push(deliver::written(&target, plan.total_size(), output.finish()?));
        }
        // The index comes last: where it is, the parts are complete.
        let text = splitter.index();
        let outcome = folder.write(INDEX_FILE, text.as_bytes())?;
        outputs.push(deliver::written(&Target::Path(index_path), text.len() as u64, outcome));
        for name in stale {
            folder.remove(name)?;
        }
        if let Some((target, rule)) = depfile {
            write_text(&target, &rule)?;
        }
        Ok(outputs)
    }
}

fn planned(folder: &Path, file: &str, size: u64) -> OutputReport {
    let file = Some(folder.join(file).display().to_string());
    OutputReport { file, size, outcome: "planned", regions: Vec::new() }
}
