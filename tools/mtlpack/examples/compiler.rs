//! How a compiler emits a library: bitcode from memory in, a library out, nothing in files.
//!
//! ```sh
//! cargo run -p mtlpack --example compiler
//! ```

use std::error::Error;

use mtlpack::air_bitcode::Envelope;
use mtlpack::metallib::Library;
use mtlpack::{PackOptions, Packer};

/// What a compiler would make: the bitcode of a kernel. This one is taken out of a library.
fn compile(library: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let library = Library::parse(library)?;
    let module = library.modules().first().ok_or("the library has no module")?;
    // Compilers give the bitstream alone; the packer adds wrapper and padding.
    Ok(Envelope::parse(module.bytes())?.stream.to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let examples = [
        ("add", &include_bytes!("../../../examples/vector_add.metallib")[..]),
        ("scale", &include_bytes!("../../../examples/scale.metallib")[..]),
    ];
    let modules: Vec<(&str, Vec<u8>)> = examples
        .iter()
        .map(|(name, file)| Ok((*name, compile(file)?)))
        .collect::<Result<_, Box<dyn Error>>>()?;

    let mut packer = Packer::new(PackOptions::default());
    for (name, bitcode) in &modules {
        // The name is for messages; the function is called as the module says.
        packer.add(name, bitcode)?;
    }
    let packed = packer.finish()?;
    packed.notes.iter().for_each(|note| eprintln!("note: {note}"));
    let bytes = packed.to_vec()?;

    let library = Library::parse(&bytes)?;
    for function in library.functions() {
        println!("{} {}", function.function_type().ok_or("no type")?, function.name());
    }
    println!("{} bytes", bytes.len());
    Ok(())
}
