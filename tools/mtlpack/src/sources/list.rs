//! What sources are embedded.

use metallib::{Archive, FourCc, Function};

use super::{Embedded, absence};
use crate::archive::{ArchiveError, Budget, Member, Unpacked};
use crate::edited::Named;
use crate::error::Result;
use crate::text::lossy;

/// The member that holds the name of the file that was compiled or linked.
const ORIGINAL_NAME: &[u8] = b"original-input-filename.txt";

/// The embedded sources of a library. Sizes are in bytes, offsets absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SourcesReport {
    /// Name of the input.
    pub input: String,
    /// Name of the section, HSRC or HSRD; `None` if no sources are embedded.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::maybe"))]
    pub section: Option<FourCc>,
    /// The linker's command line.
    pub link_options: Option<String>,
    /// The linker's working directory; HSRD only.
    pub working_dir: Option<String>,
    /// The archives in order.
    pub archives: Vec<ArchiveReport>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// A source archive: one translation unit, or a linked runtime library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ArchiveReport {
    /// Its id: a decimal index, or the base name of the input.
    pub id: String,
    /// Absolute offset of its bzip2 stream.
    pub offset: u64,
    /// Size of the bzip2 stream; `None` if that cannot be unpacked.
    pub packed_size: Option<u64>,
    /// Zeros behind the stream; `None` if that cannot be unpacked.
    pub padding: Option<u64>,
    /// Size of the tar archive; `None` if it cannot be unpacked.
    pub unpacked_size: Option<u64>,
    /// The file that was compiled or linked, as the archive says it.
    pub original_name: Option<String>,
    /// Names of the functions that refer to the archive.
    pub functions: Vec<String>,
    /// The members in order.
    pub members: Vec<MemberReport>,
    /// Why it cannot be unpacked.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::text::ser::maybe"))]
    pub fault: Option<ArchiveError>,
}

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MemberReport {
    /// Its name as it stands; what is not UTF-8 is replaced.
    pub name: String,
    /// What it is: `file`, `symbolic link`, …
    pub kind: String,
    /// Size of its content.
    pub size: u64,
}

/// Lists the embedded sources. An archive that cannot be unpacked is listed with the reason.
///
/// ```no_run
/// use mtlpack::{Named, archive::Budget, list_sources};
///
/// let bytes = std::fs::read("default.metallib").unwrap();
/// let library = mtlpack::metallib::Library::parse(&bytes).unwrap();
/// let named = Named { name: "default.metallib", library: &library };
/// for archive in list_sources(named, Budget::default())?.archives {
///     println!("{:?} for {:?}", archive.original_name, archive.functions);
/// }
/// # Ok::<(), mtlpack::Error>(())
/// ```
///
/// # Errors
/// If the library has both of the sections that hold sources.
pub fn list_sources(input: Named<'_, '_>, mut budget: Budget) -> Result<SourcesReport> {
    let embedded = Embedded::of(input)?;
    let mut report = SourcesReport {
        input: input.name.to_owned(),
        section: None,
        link_options: None,
        working_dir: None,
        archives: Vec::new(),
        notes: absence(input.library).map(str::to_owned).into_iter().collect(),
    };
    let Some(embedded) = embedded else { return Ok(report) };
    let sources = embedded.sources;
    report.section = Some(sources.id());
    report.link_options = Some(lossy(&sources.link_options));
    report.working_dir = sources.working_dir.as_deref().map(lossy);
    let mut functions = users(embedded);
    for (index, archive) in sources.archives.iter().enumerate() {
        let functions = functions.get_mut(index).map(std::mem::take).unwrap_or_default();
        let unpacked = budget.unpack(archive.data());
        report.archives.push(describe(archive, functions, unpacked));
    }
    Ok(report)
}

/// For each archive the names of the functions that refer to it.
fn users(embedded: Embedded<'_, '_>) -> Vec<Vec<String>> {
    let mut users = vec![Vec::new(); embedded.archives().len()];
    let of = |function: &Function<'_>| Some((function.archive?.index(), function.name().into()));
    for (index, name) in embedded.input.library.functions().iter().filter_map(of) {
        users.get_mut(index).into_iter().for_each(|names| names.push(String::clone(&name)));
    }
    users
}

fn describe(
    archive: &Archive<'_>,
    functions: Vec<String>,
    unpacked: std::result::Result<Unpacked, ArchiveError>,
) -> ArchiveReport {
    let report = ArchiveReport {
        id: lossy(archive.id()),
        offset: Embedded::offset(archive),
        packed_size: None,
        padding: None,
        unpacked_size: None,
        original_name: None,
        functions,
        members: Vec::new(),
        fault: None,
    };
    let unpacked = match unpacked {
        Ok(unpacked) => unpacked,
        Err(fault) => return ArchiveReport { fault: Some(fault), ..report },
    };
    let original = unpacked.members().find(|member| member.header.name() == ORIGINAL_NAME);
    ArchiveReport {
        packed_size: Some(unpacked.packed_size()),
        padding: Some(unpacked.padding()),
        unpacked_size: Some(unpacked.bytes().len() as u64),
        original_name: original.map(|member| lossy(member.content.trim_ascii_end())),
        members: unpacked.members().map(|member| describe_member(&member)).collect(),
        ..report
    }
}

fn describe_member(member: &Member<'_>) -> MemberReport {
    MemberReport {
        name: lossy(&member.header.name()),
        kind: member.header.kind().to_string(),
        size: member.content.len() as u64,
    }
}
