//! References to functions.

use crate::json::Span;

/// A reference to a function.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'s> {
    /// What it names.
    pub target: Target<'s>,
    /// Where it stands.
    pub span: Span,
}

/// What a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'s> {
    /// A function of the library of the command line.
    Name(&'s str),
    /// `alias:LABEL#NAME`: one of what has this label.
    Alias {
        /// The label.
        label: &'s str,
        /// The function.
        name: &'s str,
    },
    /// `file:PATH#NAME`: one of the library at this path.
    File {
        /// The path.
        path: &'s str,
        /// The function.
        name: &'s str,
    },
    /// `fnd:LABEL`: a function descriptor (Metal 4).
    Descriptor(&'s str),
}

impl<'s> Reference<'s> {
    /// Reads a reference of `.mtlp-json`.
    ///
    /// ```
    /// use mtlp_script::model::{Reference, Target};
    ///
    /// let read = Reference::read("alias:lib#ns::f").unwrap();
    /// assert_eq!(read, Target::Alias { label: "lib", name: "ns::f" });
    /// assert_eq!(Reference::read("file:a.metallib"), Err("`file:PATH#NAME`"));
    /// ```
    ///
    /// # Errors
    /// What was expected.
    pub fn read(text: &'s str) -> Result<Target<'s>, &'static str> {
        let whole = |(a, b): &(&str, &str)| !a.is_empty() && !b.is_empty();
        if let Some(rest) = text.strip_prefix("alias:") {
            let parts = rest.split_once('#').filter(whole);
            let (label, name) = parts.ok_or("`alias:LABEL#NAME`")?;
            return Ok(Target::Alias { label, name });
        }
        if let Some(rest) = text.strip_prefix("file:") {
            // Paths may hold `#`, names of functions do not.
            let parts = rest.rsplit_once('#').filter(whole);
            let (path, name) = parts.ok_or("`file:PATH#NAME`")?;
            return Ok(Target::File { path, name });
        }
        match text {
            "" => Err("the name of a function"),
            name => Ok(Target::Name(name)),
        }
    }

    /// Reads a reference of `.mtl4-json`.
    ///
    /// # Errors
    /// What was expected.
    pub fn read_descriptor(text: &'s str) -> Result<Target<'s>, &'static str> {
        let label = text.strip_prefix("fnd:").filter(|label| !label.is_empty());
        label.map(Target::Descriptor).ok_or("`fnd:LABEL`")
    }

    /// The name of the function, or the label of its descriptor.
    #[must_use]
    pub const fn name(&self) -> &'s str {
        match self.target {
            Target::Name(name)
            | Target::Alias { name, .. }
            | Target::File { name, .. }
            | Target::Descriptor(name) => name,
        }
    }
}
