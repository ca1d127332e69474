//! The laws of Metal libraries as fuzz targets.
//!
//! Each target is a plain function that panics if a law does not hold. The ordinary test run
//! feeds them seeds and mutations of seeds; `cargo xtask fuzz TARGET --seconds N` lets
//! libFuzzer find inputs by coverage.
#![forbid(unsafe_code)]

mod bitcode;
mod builder;
mod derive;
mod edit;
mod laws;
mod pack;
mod renumber;
mod reports;
mod scripts;
mod seeds;
#[cfg(test)]
mod smoke;
mod sources;
mod views;

pub use bitcode::bitcode;
pub use builder::builder;
pub use derive::derive;
pub use edit::edit;
pub use pack::pack;
pub use renumber::renumber;
pub use reports::reports;
pub use scripts::scripts;
pub use seeds::seeds;
pub use sources::sources;
pub use views::views;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also that of its program.
    pub name: &'static str,
    /// What it does with an input.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 11] = [
    Target { name: "parse", run: parse },
    Target { name: "edit", run: edit },
    Target { name: "builder", run: builder },
    Target { name: "views", run: views },
    Target { name: "reports", run: reports },
    Target { name: "bitcode", run: bitcode },
    Target { name: "sources", run: sources },
    Target { name: "renumber", run: renumber },
    Target { name: "derive", run: derive },
    Target { name: "pack", run: pack },
    Target { name: "scripts", run: scripts },
];

/// Any bytes: they are refused, or written back as they are; a canonical library is also
/// rebuilt to the same bytes, and an irregular one cannot be edited.
///
/// # Panics
/// If a law does not hold.
pub fn parse(data: &[u8]) {
    if let Ok(library) = metallib::Library::parse(data) {
        laws::identity(&library, data);
    }
}
