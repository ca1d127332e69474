//! The bzip2 stream of an archive.

use bzip2::{Decompress, Status};

/// Bytes that are unpacked at a time.
const CHUNK: usize = 1 << 16;

/// What became of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is whole.
    Whole {
        /// Bytes of the stream.
        packed: u64,
    },
    /// It is damaged at this offset, or a little before.
    Damaged {
        /// Offset in the stream.
        at: u64,
    },
    /// The data ends before the stream does.
    Cut,
    /// It was not unpacked to its end, because it is more than the limit.
    Limited,
}

/// Unpacks the stream that `data` begins with, chunk by chunk, until its end or the limit.
///
/// # Errors
/// What `each` gives for a chunk; the rest is then not unpacked.
pub(crate) fn unpack_into<E>(
    data: &[u8],
    limit: u64,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut stream = Decompress::new(false);
    let mut buffer = vec![0; CHUNK];
    loop {
        let (packed, unpacked) = (stream.total_in(), stream.total_out());
        let rest = usize::try_from(packed).ok().and_then(|at| data.get(at..)).unwrap_or_default();
        let Ok(status) = stream.decompress(rest, &mut buffer) else {
            return Ok(Outcome::Damaged { at: stream.total_in() });
        };
        let now = (stream.total_in(), stream.total_out());
        if now.1 > limit {
            return Ok(Outcome::Limited);
        }
        let size = usize::try_from(now.1.saturating_sub(unpacked)).unwrap_or(usize::MAX);
        each(buffer.get(..size).unwrap_or_default())?;
        match status {
            Status::StreamEnd => return Ok(Outcome::Whole { packed: now.0 }),
            _ if now == (packed, unpacked) => return Ok(Outcome::Cut),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write;

    use bzip2::Compression;
    use bzip2::write::BzEncoder;

    use super::*;

    fn pack(data: &[u8]) -> Vec<u8> {
        let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn unpack(data: &[u8], limit: u64) -> (Outcome, usize) {
        let mut size = 0;
        let each = |chunk: &[u8]| {
            size += chunk.len();
            Ok::<_, Infallible>(())
        };
        let outcome = unpack_into(data, limit, each).unwrap();
        (outcome, size)
    }

    #[test]
    fn the_end_of_a_stream_is_found_whatever_follows() {
        let stream = pack(b"some sources");
        let whole = Outcome::Whole { packed: stream.len() as u64 };
        let padded = [stream.as_slice(), &[0; 100]].concat();
        let twice = stream.repeat(2);
        for data in [&stream, &padded, &twice] {
            assert_eq!(unpack(data, 1 << 30), (whole, 12));
        }
    }

    #[test]
    fn cut_and_damaged_streams_are_told_apart() {
        let stream = pack(b"some sources");
        for size in 3..stream.len() {
            assert_eq!(unpack(&stream[..size], 1 << 30).0, Outcome::Cut, "{size}");
        }
        let mut damaged = stream;
        damaged[20] ^= 0xff;
        assert!(matches!(unpack(&damaged, 1 << 30).0, Outcome::Damaged { .. }));
    }

    #[test]
    fn what_is_unpacked_is_bounded() {
        // 3 MB of zeros take 50 bytes.
        let stream = pack(&vec![0; 3 << 20]);
        assert!(stream.len() < 100);
        let (outcome, size) = unpack(&stream, 1 << 20);
        assert_eq!(outcome, Outcome::Limited);
        assert!(size <= 1 << 20 && size + CHUNK > 1 << 20);
        // The limit itself is allowed.
        let (outcome, size) = unpack(&stream, 3 << 20);
        assert_eq!((outcome, size), (Outcome::Whole { packed: stream.len() as u64 }, 3 << 20));
        assert_eq!(unpack(&stream, (3 << 20) - 1).0, Outcome::Limited);
    }

    #[test]
    fn a_chunk_can_end_it() {
        assert_eq!(unpack_into(&pack(&[7; 1000]), 1 << 20, |chunk| Err(chunk.len())), Err(1000));
    }
}
