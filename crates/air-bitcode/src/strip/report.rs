//! What a strip took out.

/// How many of each were taken out of a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StripReport {
    /// Named metadata.
    pub lists: usize,
    /// Module flags.
    pub flags: usize,
    /// Places of instructions in the source.
    pub locations: usize,
    /// Attachments, and places in the source that loops had.
    pub attachments: usize,
    /// Calls of debug intrinsics.
    pub calls: usize,
    /// Declarations of functions: of debug intrinsics, or that nothing uses.
    pub declarations: usize,
    /// Functions with their bodies, and variables, that nothing uses.
    pub definitions: usize,
    /// Constants of the module and of functions.
    pub constants: usize,
    /// Strings, values and nodes of metadata, of the module and of functions.
    pub metadata: usize,
    /// Types that nothing has; a [`strip`](crate::Module::strip) leaves them.
    pub types: usize,
    /// Lists of attributes, and groups of them, that nothing has; a strip leaves them.
    pub attributes: usize,
    /// Names of sections that nothing is in; a strip leaves them.
    pub sections: usize,
}
