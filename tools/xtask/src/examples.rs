//! The libraries of `examples/`: LLVM IR assembled, packed with the library builder.

use std::fs;
use std::path::Path;
use std::process::Command;

use metallib::metadata::{self, FunctionConstant, VertexAttribute};
use metallib::{
    Container, DataType, Dialect, FileType, FourCc, FunctionSpec, FunctionType, LibraryBuilder,
    OsVersion, Platform, TagList, Version, Versions,
};
use metallib_write::{Plan, WriteOptions};
use mtlpack::io::{Outcome, Target, write_bytes};

use crate::run::{Result, output, root};

/// Arguments of `cargo xtask examples`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only compare with the files that are there
    #[arg(long)]
    check: bool,
}

/// Bitcode names the LLVM that wrote it, so another release gives other bytes.
pub(crate) const LLVM: &str = "14.0.6";

/// A library and its functions.
pub(crate) struct Example {
    /// Base name of the library.
    pub(crate) name: &'static str,
    /// Name of each function, which is also that of its `.ll` file, and its type.
    pub(crate) functions: &'static [(&'static str, FunctionType)],
}

/// The libraries, in the order of `examples/README.md`.
pub(crate) const EXAMPLES: [Example; 3] = [
    Example { name: "vector_add", functions: &[("vector_add", FunctionType::KERNEL)] },
    Example {
        name: "quad",
        functions: &[
            ("quad_vertex", FunctionType::VERTEX),
            ("quad_fragment", FunctionType::FRAGMENT),
        ],
    },
    Example { name: "scale", functions: &[("scale", FunctionType::KERNEL)] },
];

/// Makes the libraries, or compares them.
pub(crate) fn run(args: &Args) -> Result<()> {
    let assembler = assembler()?
        .ok_or_else(|| format!("no llvm-as of LLVM {LLVM} on PATH (Debian: package llvm-14)"))?;
    let folder = root().join("examples");
    let mut stale = Vec::new();
    for example in &EXAMPLES {
        let path = folder.join(example.name).with_extension("metallib");
        let made = make(example, &folder, assembler)?;
        if !args.check {
            let outcome = write_bytes(&Target::from(path.clone()), &made)?;
            let verb = if outcome == Outcome::Unchanged { "unchanged" } else { "written" };
            println!("{verb}: {} ({} bytes)", path.display(), made.len());
        } else if fs::read(&path).ok().as_ref() != Some(&made) {
            stale.push(format!("{} differs; run `cargo xtask examples`", path.display()));
        }
    }
    if stale.is_empty() { Ok(()) } else { Err(stale.join("\n").into()) }
}

/// The first `llvm-as` on PATH that is of the right release.
pub(crate) fn assembler() -> Result<Option<&'static str>> {
    let fits = |name: &&str| {
        let said = output(Command::new(name).arg("--version"));
        said.is_ok_and(|said| said.split_whitespace().any(|word| word == LLVM))
    };
    Ok(["llvm-as", "llvm-as-14"].into_iter().find(fits))
}

/// The bytes of a library.
fn make(example: &Example, folder: &Path, assembler: &str) -> Result<Vec<u8>> {
    let os = OsVersion { major: 14, minor: 0, update: 0 };
    let (container, kind) = (Container::new(7), FileType::Executable);
    let mut builder = LibraryBuilder::new(Dialect::Archiver, container, Platform::MACOS, os, kind);
    let versions = Versions { air: Version::new(2, 6), language: Version::new(3, 1) };
    for &(name, function_type) in example.functions {
        let module = assemble(&folder.join(name).with_extension("ll"), assembler)?;
        let mut spec = FunctionSpec::new(name, function_type, versions, module);
        spec.public = public_metadata(name)?;
        builder.add(spec)?;
    }
    Ok(Plan::new(&builder.finish()?, WriteOptions::default())?.to_vec())
}

/// The module of a `.ll` file. For `air64` triples `llvm-as` writes wrapper and padding.
fn assemble(path: &Path, assembler: &str) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let module = folder.path().join("module.bc");
    let mut command = Command::new(assembler);
    command.arg("-preserve-bc-uselistorder=false").arg("-o").arg(&module).arg(path);
    output(&mut command)?;
    let module = fs::read(module)?;
    let size = metallib::Wrapper::parse(&module).map(|wrapper| wrapper.module_size());
    if size != Some(module.len() as u64) {
        return Err(format!("{}: not a wrapped and padded module", path.display()).into());
    }
    Ok(module)
}

/// Public metadata, which says again what the module's AIR metadata says.
fn public_metadata(function: &str) -> Result<TagList<'static>> {
    let mut tags = TagList::new();
    match function {
        "quad_vertex" => {
            let active =
                |name: &str, index| VertexAttribute { name: name.into(), word: 0x8000_u16 | index };
            let attributes = [active("position", 0), active("color", 1)];
            let types = [data_type("Float2")?, data_type("Float4")?];
            tags.push(FourCc::VATT, &metadata::encode_vertex_attributes(&attributes)?)?;
            tags.push(FourCc::VATY, &metadata::encode_vertex_attribute_types(&types)?)?;
        }
        "scale" => {
            let required = |name: &str, data_type, index| FunctionConstant {
                name: name.into(),
                data_type,
                index,
                required: 1,
            };
            let constants = [
                required("factor", data_type("Float")?, 0),
                required("clamp_result", data_type("Bool")?, 1),
            ];
            tags.push(FourCc::CNST, &metadata::encode_function_constants(&constants)?)?;
        }
        _ => {}
    }
    Ok(tags)
}

fn data_type(name: &str) -> Result<DataType> {
    Ok(DataType::from_name(name).ok_or_else(|| format!("there is no type {name}"))?)
}

#[cfg(test)]
#[path = "examples_tests.rs"]
mod tests;
