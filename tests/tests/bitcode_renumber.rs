//! Every id of every real module, written anew: the same, and in another order and back.

use air_bitcode::{Module, Renumbering, WriteOptions};
use mtlpack_tests::id_laws::modules;

/// A module with its ids written anew, and every record encoded.
fn renumbered(name: &str, bytes: &[u8], how: Renumbering) -> Vec<u8> {
    let fail = |error| -> ! { panic!("{name}: {error}") };
    let mut module = Module::parse(bytes).unwrap_or_else(|error| fail(error));
    module.renumber(how).unwrap_or_else(|error| fail(error));
    let options = WriteOptions { positions: true, records: true };
    module.to_bytes(options).unwrap_or_else(|error| fail(error))
}

#[test]
fn ids_that_stay_give_the_same_module() {
    modules("ids that stay", |name, bytes| {
        assert!(renumbered(name, bytes, Renumbering::Same) == bytes, "{name}: differs");
    });
}

#[test]
fn ids_that_move_come_back() {
    let mut moved = 0;
    let count = modules("ids there and back", |name, bytes| {
        let there = renumbered(name, bytes, Renumbering::Reversed);
        moved += u32::from(there != bytes);
        let back = renumbered(name, &there, Renumbering::Reversed);
        assert!(back == bytes, "{name}: differs");
    });
    println!("{moved} of {count} modules are others in between");
    assert!(count < 1000 || moved as usize > count * 9 / 10);
}
