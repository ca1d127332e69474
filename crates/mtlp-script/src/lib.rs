//! Pipeline scripts of Apple's Metal translator: `.mtlp-json` and, as far as they were seen,
//! `.mtl4-json`.
//!
//! A script describes pipelines by hand so that `metal-tt` can compile them ahead of time; nobody
//! but `metal-tt` checks one. This crate reads scripts with the position of everything
//! ([`Script::parse`]), checks them ([`check`]), makes them ([`make`]), converts them
//! ([`convert()`]), shows their stitching graphs ([`graph`]) and gives their [JSON
//! Schema](schema::json_schema).
//!
//! It opens no files and knows nothing of Metal libraries: what there is to know of them comes as
//! [`facts`].
//!
//! ```
//! use mtlp_script::{Form, Script, check, facts::Known};
//!
//! let text = br#"{ "pipelines": { "compute_pipelines": [ { "compute_functoin": "add" } ] } }"#;
//! let script = Script::parse(text, Form::Mtlp).unwrap();
//! let report = check(&script, &Known::default());
//! let first = report.placed(text).next().unwrap();
//! assert_eq!((first.line, first.column), (1, 41));
//! assert_eq!(first.finding.message, "a compute pipeline needs the key `compute_function`");
//! ```
#![forbid(unsafe_code)]

mod check;
mod constant;
pub mod convert;
pub mod facts;
mod finding;
pub mod graph;
pub mod json;
pub mod make;
pub mod model;
mod nearest;
mod predicate;
pub mod schema;
mod structure;
pub mod values;

pub use check::check;
pub use constant::ConstantType;
pub use convert::convert;
pub use finding::{Finding, Placed, Report, Rule, Severity};

use json::{Span, SyntaxError, Value};

/// The two forms of scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `.mtlp-json`, of Metal 3.
    Mtlp,
    /// `.mtl4-json`, of Metal 4.
    Mtl4,
}

impl Form {
    /// The form that a file's name tells; `metal-tt` goes by it too, and says something about
    /// malformed binary data where it is any other.
    ///
    /// ```
    /// use mtlp_script::Form;
    ///
    /// assert_eq!(Form::of_name("a.mtlp-json"), Some(Form::Mtlp));
    /// assert_eq!(Form::of_name("a.json"), None);
    /// ```
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Mtlp, Self::Mtl4].into_iter().find(|form| name.ends_with(form.extension()))
    }

    /// The form that the keys of a script tell.
    #[must_use]
    pub fn of_keys(script: &Value) -> Self {
        let is_new = |key| script.get(key).is_some();
        match ["function_descriptors", "pipeline_descriptors"].into_iter().any(is_new) {
            true => Self::Mtl4,
            false => Self::Mtlp,
        }
    }

    /// What names of its files end with.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mtlp => ".mtlp-json",
            Self::Mtl4 => ".mtl4-json",
        }
    }
}

/// A script that was read.
#[derive(Clone, Debug)]
pub struct Script {
    form: Form,
    value: Value,
    trailing_commas: Vec<Span>,
}

impl Script {
    /// Reads a script of this form, or of the form that its keys tell.
    ///
    /// # Errors
    /// If it is no JSON, but for trailing commas; see [`json::read`].
    pub fn parse(bytes: &[u8], form: impl Into<Option<Form>>) -> Result<Self, SyntaxError> {
        let json::Parsed { value, trailing_commas } = json::read(bytes)?;
        let form = form.into().unwrap_or_else(|| Form::of_keys(&value));
        Ok(Self { form, value, trailing_commas })
    }

    /// Its form.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// All of it, unknown keys too.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// What it means.
    #[must_use]
    pub fn model(&self) -> model::Model<'_> {
        model::Model::of(self)
    }

    /// The script as [`Value::to_text`] writes it.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.value.to_text()
    }
}
