//! Merges two libraries, strips their sources, verifies the result.

use std::error::Error;
use std::path::Path;

use metallib::Library;
use mtlpack::io::{Input, Target, write_bytes};
use mtlpack::{MergeOptions, Named, VerifyOptions, merge, strip_source, verify};

const INPUTS: [&str; 2] =
    ["../../../../examples/vector_add.metallib", "../../../../examples/quad.metallib"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut inputs = Vec::new();
    for path in INPUTS {
        println!("cargo:rerun-if-changed={path}");
        inputs.push(Input::open(path)?);
    }
    let merged = merged(&inputs)?;
    let shaders = Input::from_bytes("shaders.metallib", stripped(&merged)?);
    let report = verify(&shaders, VerifyOptions::default())?;
    for finding in &report.findings {
        println!("cargo:warning={finding}");
    }
    if !report.passed() {
        return Err("the packed library is not right".into());
    }
    // A file that has these bytes already is left alone, and so is its time.
    let folder = std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let path = Path::new(&folder).join("shaders.metallib");
    write_bytes(&Target::Path(path), shaders.bytes())?;
    Ok(())
}

/// The functions of all inputs, in order.
fn merged(inputs: &[Input]) -> Result<Vec<u8>, Box<dyn Error>> {
    let parsed = inputs.iter().map(|input| Library::parse(input.bytes()));
    let libraries = parsed.collect::<Result<Vec<_>, _>>()?;
    let named = inputs.iter().zip(&libraries);
    let named: Vec<_> =
        named.map(|(input, library)| Named { name: input.name(), library }).collect();
    let merged = merge(&named, &MergeOptions::default())?;
    for note in &merged.notes {
        println!("cargo:warning={note}");
    }
    Ok(merged.to_vec()?)
}

/// A library without embedded sources.
fn stripped(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let library = Library::parse(bytes)?;
    let input = Named { name: "shaders.metallib", library: &library };
    Ok(strip_source(input, false)?.library.to_vec()?)
}
