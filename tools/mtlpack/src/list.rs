//! The functions of a library, one row each.

use std::borrow::Cow;

use metallib::{Function, FunctionType, Library, Version};

/// A function in brief. What its entry does not say is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Row<'l> {
    /// Name; bytes that are not UTF-8 are replaced.
    pub name: Cow<'l, str>,
    /// What the function is for.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "crate::text::ser::maybe")
    )]
    pub function_type: Option<FunctionType>,
    /// AIR version of its module.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::maybe"))]
    pub air: Option<Version>,
    /// Metal language version of its module.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::maybe"))]
    pub language: Option<Version>,
    /// Size of its module with wrapper and padding, in bytes.
    pub module_size: Option<u64>,
    /// The stored HASH.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::hash"))]
    pub hash: Option<&'l [u8; 32]>,
}

/// The functions in the order of the library. Rows are made one at a time.
///
/// ```no_run
/// let bytes = std::fs::read("default.metallib").unwrap();
/// let library = metallib::Library::parse(&bytes).unwrap();
/// for row in mtlpack::list(&library) {
///     println!("{} {}", row.name, row.module_size.unwrap_or_default());
/// }
/// ```
pub fn list<'l>(library: &'l Library<'_>) -> impl Iterator<Item = Row<'l>> {
    library.functions().iter().map(|function| row(library, function))
}

fn row<'l>(library: &'l Library<'_>, function: &'l Function<'_>) -> Row<'l> {
    let versions = function.versions();
    Row {
        name: function.name(),
        function_type: function.function_type(),
        air: versions.map(|versions| versions.air),
        language: versions.map(|versions| versions.language),
        module_size: library.module_of(function).map(|module| module.bytes().len() as u64),
        hash: function.hash(),
    }
}
