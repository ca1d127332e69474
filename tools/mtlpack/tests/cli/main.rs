//! The command as its users see it: exit status, standard output and standard error.
//!
//! Every test runs in a folder of its own with libraries made by the builder, so names
//! in messages are the same everywhere. The snapshots lie beside the tests.
// Tests may unwrap and panic: that is how they fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[allow(unreachable_pub, reason = "it is a module of the test package, too")]
#[path = "../../../../tests/src/air.rs"]
mod air;
#[allow(dead_code, unreachable_pub, reason = "it is a module of the test package, too")]
#[path = "../../../../tests/src/archives.rs"]
mod archives;
mod check;
mod diff;
mod disassemble;
mod docs;
mod explain;
mod extract;
mod files;
mod filter;
mod fixture;
mod general;
mod info;
mod inspect;
mod join;
mod lipo;
mod list;
mod lock;
mod merge;
mod normalize;
mod pack;
mod paths;
mod rename;
mod replace;
mod retarget;
mod roundtrip;
mod script;
mod size;
mod sources;
mod split;
mod strip;
mod strip_source;
mod symbols;
mod thin;
mod uuid;
mod verify;
