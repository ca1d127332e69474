//! Writes libraries with hostile source archives into a folder, for measuring by hand how soon
//! and in how much memory each is refused.

use std::path::PathBuf;

use mtlpack_tests::archives::{hostile, library};

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map_or_else(|| "hostile".into(), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    for hostile in hostile() {
        let path = folder.join(hostile.name).with_extension("metallib");
        std::fs::write(path, library(8, &[("0", hostile.data)]))?;
    }
    Ok(())
}
