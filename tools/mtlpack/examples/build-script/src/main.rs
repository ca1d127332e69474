//! Ships the library that the build script packed.

/// What Metal loads with `newLibraryWithData`.
static SHADERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shaders.metallib"));

fn main() {
    assert!(SHADERS.starts_with(b"MTLB"), "not a Metal library");
    println!("{} bytes of shaders are built in", SHADERS.len());
}
