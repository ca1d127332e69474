//! What a rename changed.

/// What a rename changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenameReport {
    /// Functions that have another name now.
    pub functions: u32,
    /// Bytes appended to STRTAB. They stay when the function is renamed back.
    pub string_growth: u64,
    /// Symbols of SYMTAB that have another name now.
    pub symbols: u32,
    /// Whether the source file's name was the function's, and follows it.
    pub source_file_name: bool,
    /// Strings `air-alias-scopes(NAME)` that follow.
    pub alias_scopes: u32,
    /// Names in debug information that follow.
    pub debug_names: u32,
    /// Names in debug information that could not follow: something else uses the string too.
    pub debug_names_kept: u32,
}
