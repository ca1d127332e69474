//! Every id of every real module, written anew: the same, and in another order and back.

use air_bitcode::{Module, Renumbering, WriteOptions};
use mtlpack_tests::id_laws::{modules, values_of};

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
    let (mut moved, mut longer) = (0, 0);
    let count = modules("ids there and back", |name, bytes| {
        let there = renumbered(name, bytes, Renumbering::Reversed);
        moved += u32::from(there != bytes);
        let back = renumbered(name, &there, Renumbering::Reversed);
        if back != bytes {
            // A variable's type may get a number for which its abbreviation has no room.
            let values = |bytes| values_of(Module::parse(bytes).unwrap());
            let (back, bytes) = (values(&back), values(bytes));
            let other = back.iter().zip(&bytes).find(|(back, before)| back != before);
            assert!(back == bytes, "{name}: {other:?}");
            longer += 1;
        }
    });
    println!("{moved} of {count} modules are others in between, {longer} lose an abbreviation");
    assert!(count < 1000 || moved as usize > count * 9 / 10);
    assert!(longer <= count / 50, "{longer} modules lose an abbreviation");
}
