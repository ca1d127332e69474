//! `check`: the oldest system that a library loads on, and what asks for it.
//!
//! Header, VERS, triple, `air.version` and `air.language_version` say the same of every
//! function of an untouched library. Here each is asked by itself: the highest of their demands
//! is the floor, and where they disagree someone has edited the file.

mod judge;
mod limits;
mod need;
mod report;
mod said;

pub use limits::Limits;
pub use report::{FloorFinding, FloorGroup, FloorKind, FloorReport};

use metallib::Library;

use crate::error::Result;
use crate::io::Input;
use report::Findings;

/// What every function of a library needs, and whether that is within limits.
///
/// The library is to have been read from the input, which is seen through windows. Each module
/// is read as far as its versions and its triple, on as many threads.
///
/// ```
/// use mtlpack::io::Input;
/// use mtlpack::{Limits, floor};
///
/// # let bytes = include_bytes!("../../../../examples/scale.metallib");
/// let input = Input::from_bytes("scale.metallib", bytes.to_vec());
/// let library = mtlpack::metallib::Library::parse(input.bytes()).unwrap();
/// let limits = Limits { system: Some(Limits::system("macos26")?), ..Limits::default() };
/// let report = floor(&input, &library, &limits, 1)?;
/// assert!(report.holds());
/// println!("{:?}", report.os);
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If the input cannot be read to its end. A damaged module is a finding.
pub fn floor(
    input: &Input,
    library: &Library<'_>,
    limits: &Limits,
    threads: usize,
) -> Result<FloorReport> {
    let groups = said::read(input, library, threads)?;
    let mut findings = Findings::new(library);
    judge::library(library, &mut findings);
    let mut needs = Vec::with_capacity(groups.len());
    for group in &groups {
        judge::group(library, group, &mut findings);
        needs.push(need::of(library, group));
    }
    limits::check(library, &groups, &needs, limits, &mut findings);
    Ok(report::make(input.name(), library, &groups, &needs, findings))
}
