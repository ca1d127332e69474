//! The order of functions in Apple's libraries.

/// How functions are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As Apple's linkers do: input by input, in each kernels, vertex functions, fragment
    /// functions, then all others, each in the order of the module's lists; the functions of a
    /// dynamic library as they lie in a hash table.
    ///
    /// 256 pairs of a module and its library show it. Mesh and intersection functions were seen
    /// behind fragment functions; among the others no library tells, so that they come in the
    /// order of [`EntryKind::ALL`](air_bitcode::EntryKind::ALL).
    #[default]
    Apple,
    /// Input by input, in each in the order in which the module declares them.
    Input,
    /// By name.
    Name,
}

/// Buckets of a new table.
const FIRST_BUCKETS: usize = 16;

/// The order of a dynamic library's functions, and of imported symbols, given in the order of
/// the modules: indices.
///
/// Apple's linker lists them as they lie in an `llvm::StringMap`: a hash table of 16 buckets,
/// which is doubled when it is filled to more than three quarters, with quadratic probing and
/// Bernstein's hash. Measured on lists of up to seven names, so that the growth is LLVM's and
/// not seen in a file.
pub(super) fn string_map_order(names: &[&[u8]]) -> Vec<usize> {
    let mut table = Table { buckets: vec![None; FIRST_BUCKETS] };
    for (index, name) in names.iter().enumerate() {
        table.insert(index, hash(name));
        if (index + 1) * 4 > table.buckets.len() * 3 {
            table = table.doubled();
        }
    }
    table.buckets.into_iter().flatten().map(|(index, _)| index).collect()
}

/// Bernstein's hash, from 0.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

struct Table {
    /// Index and hash of the name in each bucket; a power of two, never full.
    buckets: Vec<Option<(usize, u32)>>,
}

impl Table {
    fn insert(&mut self, index: usize, hash: u32) {
        let mask = self.buckets.len() - 1;
        let mut bucket = hash as usize & mask;
        for step in 1..=self.buckets.len() {
            match self.buckets.get_mut(bucket) {
                Some(slot @ None) => {
                    *slot = Some((index, hash));
                    return;
                }
                _ => bucket = (bucket + step) & mask,
            }
        }
    }

    /// A table twice as large, filled in the order of the buckets.
    fn doubled(self) -> Self {
        let mut larger = Self { buckets: vec![None; self.buckets.len() * 2] };
        let filled = self.buckets.into_iter().flatten();
        filled.for_each(|(index, hash)| larger.insert(index, hash));
        larger
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_come_once_however_many() {
        for count in [0_usize, 1, 7, 12, 13, 500] {
            let names: Vec<Vec<u8>> = (0..count).map(|n| format!("f{n}").into_bytes()).collect();
            let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
            let mut order = string_map_order(&names);
            order.sort_unstable();
            assert_eq!(order, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn names_lie_by_their_hash() {
        // 97, 98, 99 and 113: buckets 1, 2, 3, and 1 again, so behind 1: 2, then 4.
        assert_eq!(string_map_order(&[b"c", b"b", b"a", b"q"]), [2, 1, 0, 3]);
        // Twelve fit; the thirteenth doubles the table, where `q` has bucket 17 and `a` 1.
        let names: Vec<[u8; 1]> = (b'a'..=b'm').map(|byte| [byte]).collect();
        let names: Vec<&[u8]> = names.iter().map(|name| &name[..]).collect();
        assert_eq!(string_map_order(&names), (0..13).collect::<Vec<_>>());
    }
}
