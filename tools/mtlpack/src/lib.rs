//! Operations on Apple Metal libraries (`.metallib`), for build scripts and compilers.
//!
//! Every command of the tool `mtlpack` is a function here first. Operations take parsed
//! [`Library`](metallib::Library) values and give an [`Edited`] library or a report;
//! [`io`] reads and writes files.
//!
//! Without the default feature `cli` there is no command-line parser among the
//! dependencies.
#![deny(unsafe_code)]

mod air;
pub mod archive;
#[cfg(feature = "cli")]
pub mod cli;
pub mod derive;
mod diff;
mod disassemble;
mod draft;
mod edited;
mod error;
mod explain;
mod extract;
mod facts;
mod families;
mod file_names;
mod filter;
mod floor;
mod info;
pub mod inspect;
pub mod io;
mod join;
mod list;
mod lock;
mod merge;
mod modules;
mod names;
mod normalize;
mod pack;
mod paths;
mod permute;
mod policy;
mod rename;
mod replace;
mod retarget;
mod roundtrip;
mod scan;
mod script;
mod size;
mod sources;
mod split;
pub mod stream;
mod strip;
mod strip_source;
mod symbols;
mod text;
pub mod universal;
pub mod uuid;
mod verify;

pub use air_bitcode;
pub use metallib;
pub use metallib_fat;
pub use metallib_write;
pub use mtlp_script;

pub use diff::{
    Diff, DiffOptions, FamilyChange, FieldChange, FunctionChange, Ignored, OneSided, SectionChange,
    Symbols, changed_text, diff,
};
pub use disassemble::{Disassembly, disassemble};
pub use draft::Draft;
pub use edited::{Edited, Named, Renaming};
pub use error::{Error, Result};
pub use explain::{MESSAGES, Message, explain};
pub use extract::{Extracted, Extraction, ModuleForm, extract};
pub use facts::{BitcodeInfo, Counted, Facts, UnreadModule, bitcode_info};
pub use file_names::FileNames;
pub use filter::{FilterOptions, NameList, Selection, filter};
pub use floor::{FloorFinding, FloorGroup, FloorKind, FloorReport, Limits, floor};
pub use info::{Info, Reason, SourcesInfo, TypeCount, info};
pub use join::{Joined, Mismatch, join};
pub use list::{Row, list};
pub use lock::{Lock, LockChange, lock};
pub use merge::{MergeOptions, OnDuplicate, OsChoice, SourcesChoice, merge};
pub use normalize::{NormalizeOptions, normalize, normalize_bitcode};
pub use pack::{Order, PackOptions, Packer, container_of_its_time};
pub use paths::{PathGroup, PathOccurrence, PathRules, module_paths, paths};
pub use policy::{Policy, policy};
pub use rename::{RenameOptions, RenameRules, rename, rename_functions};
pub use replace::{ReplaceOptions, Replacement, replace};
pub use retarget::{RefusedFunction, RetargetOptions, Retargeted, retarget};
pub use roundtrip::{Difference, RoundtripOutcome, RoundtripReport, roundtrip};
pub use script::{ScriptLibraries, ScriptPaths, script_facts};
pub use size::{FunctionSize, SectionSize, family_sizes, function_sizes, section_sizes};
pub use sources::{
    ArchiveReport, MemberReport, SOURCES_INDEX, SourceExtraction, SourceFile, SourcesReport,
    extract_sources, list_sources,
};
pub use split::{INDEX_FILE, Splitter, read_index};
pub use strip::{StripOptions, StrippedBitcode, UuidPolicy, strip, strip_bitcode};
pub use strip_source::{Stripped, strip_source};
pub use symbols::{ModuleSymbols, Symbol, United, UnitedSymbol, Which, symbols};
pub use verify::{
    Finding, Kind, Omitted, Report, Severity, UuidState, VerifyOptions, verify, verify_deep,
};
