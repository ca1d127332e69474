//! The command `mtlpack`; everything is in the library.

fn main() -> std::process::ExitCode {
    mtlpack::cli::run(std::env::args_os())
}
