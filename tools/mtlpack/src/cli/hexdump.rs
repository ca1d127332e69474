//! Three rows of bytes around an error of the format.

use std::fmt::Write;
use std::ops::Range;

use metallib::{Error, ErrorKind};

/// Bytes in a row.
const ROW: usize = 16;

/// The row of the bad bytes with its neighbours; the bad bytes are in brackets.
pub(super) fn rows(bytes: &[u8], error: &Error) -> Vec<String> {
    let Ok(start) = usize::try_from(error.offset()) else { return Vec::new() };
    let bad = start..start.saturating_add(bad_size(error.kind()));
    let row = start.min(bytes.len()) / ROW;
    let first = row.saturating_sub(1);
    let shown = bytes.chunks(ROW).enumerate().skip(first).take(row + 2 - first);
    shown.map(|(index, chunk)| line(index * ROW, chunk, &bad)).collect()
}

/// How many bytes are to blame.
fn bad_size(kind: &ErrorKind) -> usize {
    let size = match kind {
        ErrorKind::NotALibrary { .. } | ErrorKind::Version { .. } => 4,
        ErrorKind::MissingEnd | ErrorKind::GroupSize { .. } => 4,
        ErrorKind::Truncated { available, .. } => *available,
        ErrorKind::TagSize { found, .. } => *found,
        ErrorKind::OutOfRange { size, .. } => *size,
        _ => 1,
    };
    usize::try_from(size).unwrap_or(usize::MAX).max(1)
}

fn line(offset: usize, chunk: &[u8], bad: &Range<usize>) -> String {
    let mut line = format!("{offset:#010x} ");
    let is_bad = |index: usize| index < chunk.len() && bad.contains(&(offset + index));
    for index in 0..=ROW {
        let left = index > 0 && is_bad(index - 1);
        // One column between bytes holds a space or a bracket.
        line.push(match (left, is_bad(index)) {
            (false, true) => '[',
            (true, false) => ']',
            _ => ' ',
        });
        if let Some(byte) = chunk.get(index) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{byte:02x}");
        } else if index < ROW {
            line.push_str("  ");
        }
    }
    let letter = |&byte: &u8| if byte.is_ascii_graphic() { char::from(byte) } else { '.' };
    line.push_str(" |");
    line.extend(chunk.iter().map(letter));
    line.push('|');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(kind: ErrorKind, offset: u64, length: u8) -> Vec<String> {
        let bytes: Vec<u8> = (0x30..0x30 + length).collect();
        rows(&bytes, &Error::new(kind, offset))
    }

    #[test]
    fn marks_the_bad_bytes() {
        let rows = at(ErrorKind::MissingEnd, 0x12, 40);
        assert_eq!(
            rows,
            [
                "0x00000000  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  |0123456789:;<=>?|",
                "0x00000010  40 41[42 43 44 45]46 47 48 49 4a 4b 4c 4d 4e 4f  |@ABCDEFGHIJKLMNO|",
                "0x00000020  50 51 52 53 54 55 56 57                          |PQRSTUVW|",
            ]
        );
    }

    #[test]
    fn stays_within_the_input() {
        assert!(at(ErrorKind::MissingEnd, 0, 0).is_empty());
        assert_eq!(
            at(ErrorKind::MissingEnd, 0, 2),
            ["0x00000000 [30 31]                                           |01|"]
        );
        assert_eq!(at(ErrorKind::MissingEnd, u64::MAX, 20).len(), 2);
        assert_eq!(at(ErrorKind::MissingEnd, 16, 16).len(), 1);
        let all =
            at(ErrorKind::TagSize { tag: metallib::FourCc::NAME, found: 99, expected: 1 }, 0, 20);
        assert!(all.iter().all(|row| row.contains('[') && row.contains(']')), "{all:?}");
    }
}
