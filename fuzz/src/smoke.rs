//! Every target in the ordinary test run: seeds, and mutations that are the same each time.

use metallib::Library;

use crate::seeds::Random;
use crate::{TARGETS, Target, seeds};

/// Mutations a target; a few seconds for all.
const ROUNDS: usize = 100_000;

impl Random {
    /// A number below `limit`, which is at least 1.
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }
}

fn smoke(name: &str) {
    let Target { run, .. } = TARGETS.into_iter().find(|target| target.name == name).unwrap();
    let seeds = seeds(name);
    assert!(seeds.len() > 30, "{} seeds", seeds.len());
    seeds.iter().for_each(|seed| run(seed));
    let mut random = Random(7);
    for _ in 0..ROUNDS {
        let mut input = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(3) {
            mutate(&mut input, &seeds, &mut random);
        }
        run(&input);
    }
}

/// Changes a few bytes: a flip, an interesting number, a cut, a copy, a splice.
fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    // Most of a library's structure is in its first bytes.
    let reach = if random.below(2) == 0 { input.len().min(400) } else { input.len() };
    let at = random.below(reach + 1);
    let length = random.below(24).min(input.len() - at);
    match random.below(7) {
        0 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        1 => {
            let words: [u64; 8] = [0, 1, 4, 8, 16, 0xff, 0xffff_ffff, u64::MAX];
            let number = words[random.below(words.len())].to_le_bytes();
            let wide = [1, 2, 4, 8][random.below(4)];
            input.iter_mut().skip(at).zip(number).take(wide).for_each(|(to, from)| *to = from);
        }
        2 => drop(input.drain(at..at + length)),
        3 => input.truncate(at),
        4 => {
            let copy = input[at..at + length].to_vec();
            let to = random.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        5 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            input.truncate(at);
            input.extend_from_slice(&other[from..]);
        }
        _ => input.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.bytes(1)[0]),
    }
}

#[test]
fn parse() {
    smoke("parse");
}

#[test]
fn edit() {
    smoke("edit");
}

#[test]
fn builder() {
    smoke("builder");
}

#[test]
fn views() {
    smoke("views");
}

#[test]
fn reports() {
    smoke("reports");
}

#[test]
fn bitcode() {
    smoke("bitcode");
}

#[test]
fn sources() {
    smoke("sources");
}

#[test]
fn renumber() {
    smoke("renumber");
}

#[test]
fn derive() {
    smoke("derive");
}

#[test]
fn pack() {
    smoke("pack");
}

#[test]
fn scripts() {
    smoke("scripts");
}

/// The seeds reach what there is: both dialects, every container, and what libraries hold.
#[test]
fn seeds_are_varied() {
    let seeds = seeds("parse");
    let libraries: Vec<Library<'_>> =
        seeds.iter().map(|seed| Library::parse(seed).unwrap()).collect();
    let any = |what: &dyn Fn(&Library<'_>) -> bool| libraries.iter().any(what);
    let views = |library: &Library<'_>, id| {
        library.functions().iter().any(|function| function.private.get(id).is_some())
    };
    assert!(any(&|library| views(library, metallib::FourCc::DEBI)));
    for patch in 2..=9 {
        assert!(any(&|library| library.identity().container.patch() == patch), "1.2.{patch}");
    }
    for dialect in [metallib::Dialect::Archiver, metallib::Dialect::Linker] {
        assert!(any(&|library| library.dialect() == dialect));
    }
    assert!(any(&|library| library.sources().is_some()));
    assert!(any(&|library| library.reflection().is_some()));
    assert!(any(&|library| library.dynamic_header().is_some()));
    assert!(any(&|library| library.functions().len() > 3));
    assert!(any(&|library| library.modules().len() < library.functions().len()));
}
