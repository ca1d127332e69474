//! Running what is measured.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{Result, output, shown};

/// Prints the peak memory of a command, in KiB.
const TIME: &str = "/usr/bin/time";

/// One command of a job.
struct Step {
    words: Vec<OsString>,
    stdout: Option<PathBuf>,
}

/// Commands that run one after the other, and the file that they make.
pub(super) struct Job {
    steps: Vec<Step>,
    made: Option<PathBuf>,
}

impl Job {
    /// A job of one command that makes nothing.
    pub(super) fn new<S: Into<OsString>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { steps: vec![], made: None }.then(words)
    }

    /// Adds a command.
    pub(super) fn then<S: Into<OsString>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.steps.push(Step { words: words.into_iter().map(Into::into).collect(), stdout: None });
        self
    }

    /// Names the file that the commands make, which is removed before each run.
    pub(super) fn making(mut self, path: &Path) -> Self {
        self.made = Some(path.to_path_buf());
        self
    }

    /// Sends the standard output of the last command to the file that is made.
    pub(super) fn redirected(mut self, path: &Path) -> Self {
        if let Some(step) = self.steps.last_mut() {
            step.stdout = Some(path.to_path_buf());
        }
        self.making(path)
    }

    /// Runs all commands; gives how long they took.
    pub(super) fn time(&self) -> Result<Duration> {
        self.clean();
        let start = Instant::now();
        for step in &self.steps {
            let stdout = match &step.stdout {
                Some(path) => File::create(path)?.into(),
                None => Stdio::null(),
            };
            let mut command = step.command();
            let status = command.stdout(stdout).stderr(Stdio::null()).status()?;
            if !status.success() {
                return Err(format!("{}: {status}", shown(&command)).into());
            }
        }
        let taken = start.elapsed();
        self.clean();
        Ok(taken)
    }

    /// Peak memory of the first command in MiB; `None` where nothing tells it.
    pub(super) fn peak(&self) -> Result<Option<f64>> {
        let Some(step) = self.steps.first().filter(|_| Path::new(TIME).exists()) else {
            return Ok(None);
        };
        self.clean();
        let report = tempfile::NamedTempFile::new()?;
        let mut command = Command::new(TIME);
        command.args(["-f", "%M", "-o"]).arg(report.path()).args(&step.words);
        output(&mut command)?;
        self.clean();
        let said = fs::read_to_string(report.path())?;
        Ok(Some(said.trim().parse::<f64>()? / 1024.0))
    }

    fn clean(&self) {
        if let Some(path) = &self.made {
            // It is not there in the first run.
            let _ = fs::remove_file(path);
        }
    }
}

impl Step {
    fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", |word| word.to_str().unwrap_or("")));
        command.args(words);
        command
    }
}

/// The value in the middle.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The smallest value.
pub(super) fn best(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_in_order_and_clean_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made");
        let job = Job::new(["echo", "text"]).redirected(&path);
        let job = job.then([OsString::from("test"), "-s".into(), path.clone().into()]);
        assert!(job.time().unwrap() > Duration::ZERO);
        assert!(!path.exists());
        assert!(Job::new(["false"]).time().is_err());
    }

    #[test]
    fn the_middle_and_the_best() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).to_bits(), 2_f64.to_bits());
        assert_eq!(best(&[3.0, 1.0, 2.0]).to_bits(), 1_f64.to_bits());
    }
}
