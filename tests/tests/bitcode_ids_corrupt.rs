//! Damaged modules: ids are followed, and debug information is taken out, by the laws or not
//! at all.

use mtlpack_tests::bitcode_old::old_debug_module;
use mtlpack_tests::id_laws::{DEBUG_MODULE, hold};

#[test]
fn bits_of_every_byte_may_be_wrong() {
    for module in [DEBUG_MODULE, &old_debug_module(None)] {
        hold(module);
        let mut damaged = module.to_vec();
        for index in 0..module.len() {
            for bit in [0, 3, 6] {
                damaged[index] ^= 1 << bit;
                hold(&damaged);
                damaged[index] = module[index];
            }
        }
    }
}

#[test]
fn every_word_may_be_zero_or_ones_or_gone() {
    for module in [DEBUG_MODULE, &old_debug_module(None)] {
        for index in (0..module.len() - 3).step_by(4) {
            for word in [[0; 4], [0xff; 4]] {
                let mut damaged = module.to_vec();
                damaged[index..index + 4].copy_from_slice(&word);
                hold(&damaged);
            }
            let mut damaged = module.to_vec();
            damaged.drain(index..index + 4);
            hold(&damaged);
        }
    }
}
