//! The one way to standard output and standard error.

use std::fmt::Display;
use std::io::{self, BufWriter, Stdout, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::failure::Failure;
use super::options::Color;

/// What is printed in colour. The meaning never depends on it.
pub(super) mod style {
    use super::{AnsiColor, Style};

    pub(in crate::cli) const HEADING: Style = Style::new().bold();
    pub(in crate::cli) const DIM: Style = Style::new().dimmed();
    pub(in crate::cli) const ERROR: Style = AnsiColor::Red.on_default().bold();
    pub(in crate::cli) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    pub(in crate::cli) const NOTE: Style = AnsiColor::Cyan.on_default().bold();
}

/// Data goes to standard output, buffered; messages go to standard error.
pub(super) struct Printer {
    out: BufWriter<Stdout>,
    out_color: bool,
    err_color: bool,
}

impl Printer {
    pub(super) fn new(color: Color) -> Self {
        let colored = |automatic: ColorChoice| match color {
            Color::Auto => automatic != ColorChoice::Never,
            Color::Always => true,
            Color::Never => false,
        };
        Self {
            out_color: colored(AutoStream::choice(&io::stdout())),
            err_color: colored(AutoStream::choice(&io::stderr())),
            out: BufWriter::with_capacity(64 << 10, io::stdout()),
        }
    }

    /// Standard output, for data.
    pub(super) fn out(&mut self) -> &mut BufWriter<Stdout> {
        &mut self.out
    }

    /// Text for standard output in a style.
    pub(super) fn styled(&self, style: Style, text: impl Display) -> String {
        paint(self.out_color, style, text)
    }

    /// What stands in front of and behind text for standard output in a style.
    pub(super) fn around(&self, style: Style) -> (String, String) {
        match self.out_color {
            true => (style.to_string(), format!("{style:#}")),
            false => Default::default(),
        }
    }

    /// Writes out what is buffered.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Says something that was decided on the user's behalf.
    pub(super) fn note(&mut self, text: impl Display) {
        self.message("note", style::NOTE, &text.to_string());
    }

    /// Says why something was not done, and gives the exit status of that.
    pub(super) fn fail(&mut self, failure: &Failure) -> ExitCode {
        self.error(failure);
        ExitCode::from(failure.exit_code())
    }

    /// Says why something was not done.
    pub(super) fn error(&mut self, failure: &Failure) {
        self.message("error", style::ERROR, &failure.to_string());
        for row in failure.rows() {
            let _ = writeln!(io::stderr(), "  {row}");
        }
        if let Some(hint) = failure.hint() {
            self.note(hint);
        }
    }

    fn message(&mut self, kind: &str, style: Style, text: &str) {
        // Messages come behind the data that was printed before. There is no place to
        // say that neither can be written.
        let _ = self.out.flush();
        let kind = paint(self.err_color, style, format_args!("{kind}:"));
        let _ = writeln!(io::stderr(), "{kind} {}", clean(text));
    }
}

fn paint(color: bool, style: Style, text: impl Display) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_string() }
}

/// Text for a terminal: control characters, which files can hold, are escaped.
pub(super) fn clean(text: &str) -> std::borrow::Cow<'_, str> {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) || byte == b'\n';
    if text.bytes().all(plain) || !text.contains(|c: char| c.is_control() && c != '\n') {
        return text.into();
    }
    let escaped = |c: char| match c.is_control() && c != '\n' {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_would_drive_a_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb\nc");
        assert!(matches!(clean("plain ünï"), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn paints_only_when_told() {
        assert_eq!(paint(false, style::HEADING, "x"), "x");
        assert_eq!(paint(true, style::HEADING, "x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
