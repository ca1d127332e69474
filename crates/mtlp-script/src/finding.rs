//! What is wrong with a script, and where.

use std::fmt;

use crate::json::{Span, SyntaxError};
use crate::nearest::Nearest;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It works, but hardly as meant.
    Warning,
    /// It cannot work.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal;)*) => {
        /// What a finding is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Rule {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name in reports; it does not change.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is about, in one sentence.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),*).trim_ascii(),)* }
            }
        }
    };
}

rules! {
    /// The text is no JSON.
    Syntax "syntax";
    /// A comma behind the last element.
    TrailingComma "trailing-comma";
    /// The name of the file does not tell the form.
    FileName "file-name";
    /// A key is there twice.
    DuplicateKey "duplicate-key";
    /// A key that is not known.
    UnknownKey "unknown-key";
    /// A key that stands elsewhere in the manual.
    MisplacedKey "misplaced-key";
    /// A required key is not there.
    MissingKey "missing-key";
    /// A value of another kind.
    WrongKind "wrong-kind";
    /// A name that is none of Metal's.
    UnknownValue "unknown-value";
    /// A number that is too large, too small or no whole number.
    OutOfRange "out-of-range";
    /// A reference that cannot be read.
    BadReference "bad-reference";
    /// A predicate that cannot be read, or names what is not there.
    BadPredicate "bad-predicate";
    /// A label or name that is there twice.
    DuplicateLabel "duplicate-label";
    /// A label that nothing refers to.
    UnusedLabel "unused-label";
    /// A reference to a label or name that is not there.
    UnknownLabel "unknown-label";
    /// A library that was not found.
    UnknownLibrary "unknown-library";
    /// A function that the library does not hold.
    UnknownFunction "unknown-function";
    /// A function of a type that the key does not take.
    WrongFunctionType "wrong-function-type";
    /// A specialised function that refers to itself.
    CyclicReference "cyclic-reference";
    /// A constant that the function does not have.
    UnknownConstant "unknown-constant";
    /// A constant of another type than the function's.
    WrongConstantType "wrong-constant-type";
    /// A required constant that has no value.
    MissingConstant "missing-constant";
    /// A constant that has two values.
    DuplicateConstant "duplicate-constant";
    /// A pipeline's function needs constants, and is not specialised.
    NotSpecialized "not-specialized";
    /// A specialised function that no pipeline uses.
    UnusedSpecialization "unused-specialization";
    /// A vertex attribute that the pipeline does not describe.
    MissingAttribute "missing-attribute";
    /// The format of a vertex attribute does not fit its type.
    WrongAttributeFormat "wrong-attribute-format";
    /// A name that is none of the functions listed.
    UnlistedFunction "unlisted-function";
    /// A stitching graph whose nodes are not in order.
    GraphOrder "graph-order";
    /// A stitching graph whose output is no call.
    GraphOutput "graph-output";
    /// What the other form of scripts cannot say.
    NotConvertible "not-convertible";
    /// A node of a stitching graph that its result does not need.
    UnusedNode "unused-node";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub rule: Rule,
    /// Where it stands.
    pub span: Span,
    /// What was found, and what was expected.
    pub message: String,
}

/// A finding with its position in the text.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'r> {
    /// Line, from 1.
    pub line: u32,
    /// Character in the line, from 1.
    pub column: u32,
    /// The finding.
    pub finding: &'r Finding,
}

/// The most findings of a report; of further ones only the number is kept.
const MOST: usize = 10_000;

/// All that is wrong with a script.
#[derive(Clone, Debug, Default)]
pub struct Report {
    findings: Vec<Finding>,
    errors: u64,
    warnings: u64,
    /// How many references were not looked up, as their libraries were not named.
    pub not_looked_up: u64,
}

impl Report {
    /// The report on a text that is no JSON.
    #[must_use]
    pub fn of_syntax(error: SyntaxError) -> Self {
        let SyntaxError { span, what } = error;
        let mut report = Self::default();
        report.add(Severity::Error, Rule::Syntax, span, what);
        report
    }

    /// The findings in the order of the text, 10,000 at the most.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many findings there are of a severity, those left out of the list too.
    #[must_use]
    pub const fn count(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.warnings,
        }
    }

    /// How many findings are not in the list.
    #[must_use]
    pub const fn omitted(&self) -> u64 {
        (self.errors + self.warnings).saturating_sub(self.findings.len() as u64)
    }

    /// The findings with their lines and columns in the text that was checked.
    pub fn placed<'r>(&'r self, text: &'r [u8]) -> impl Iterator<Item = Placed<'r>> {
        let (mut at, mut line, mut column) = (0, 1, 1);
        self.findings.iter().map(move |finding| {
            let start = (finding.span.start as usize).clamp(at, text.len().max(at));
            for &byte in text.get(at..start).unwrap_or_default() {
                match byte {
                    b'\n' => (line, column) = (line + 1, 1),
                    // Bytes that go on with a character.
                    0x80..0xc0 => {}
                    _ => column += 1,
                }
            }
            at = start;
            Placed { line, column, finding }
        })
    }

    /// Adds something, such as what is wrong with the file's name.
    pub fn add(&mut self, severity: Severity, rule: Rule, span: Span, message: impl Into<String>) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
        if self.findings.len() < MOST {
            self.findings.push(Finding { severity, rule, span, message: message.into() });
        }
        // What was added last mostly stands last.
        if let [.., before, last] = &self.findings[..]
            && before.span > last.span
        {
            self.findings.sort_by_key(|finding| finding.span);
        }
    }
}

/// Findings as they come.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    errors: u64,
    warnings: u64,
    pub(crate) not_looked_up: u64,
    pub(crate) nearest: Nearest,
}

impl Findings {
    pub(crate) fn error(&mut self, rule: Rule, span: Span, message: impl Into<String>) {
        self.errors += 1;
        self.add(Severity::Error, rule, span, message.into());
    }

    pub(crate) fn warn(&mut self, rule: Rule, span: Span, message: impl Into<String>) {
        self.warnings += 1;
        self.add(Severity::Warning, rule, span, message.into());
    }

    fn add(&mut self, severity: Severity, rule: Rule, span: Span, message: String) {
        if self.list.len() < MOST {
            self.list.push(Finding { severity, rule, span, message });
        }
    }

    pub(crate) fn report(self) -> Report {
        let Self { list: mut findings, errors, warnings, not_looked_up, .. } = self;
        findings.sort_by_key(|finding| finding.span);
        Report { findings, errors, warnings, not_looked_up }
    }
}

/// A text of the script for a message: on one line, and of a bounded length.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 120;
    let mut out = String::with_capacity(text.len().min(SHOWN) + 2);
    out.push('`');
    for (index, c) in text.chars().enumerate() {
        match c {
            _ if index == SHOWN => {
                out.push('…');
                break;
            }
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out.push('`');
    out
}
