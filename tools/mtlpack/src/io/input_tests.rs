use super::*;
use std::io::Write;

fn file_with(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

#[test]
fn maps_a_file_and_its_windows() {
    let bytes: Vec<u8> = (0..=252).cycle().take(2_000_000).collect();
    let file = file_with(&bytes);
    let input = Input::open(file.path()).unwrap();
    assert!(matches!(input.source, Source::Mapped { .. }));
    assert_eq!(input.bytes(), bytes);
    assert_eq!(input.path(), Some(file.path()));
    assert_eq!(input.name(), file.path().to_str().unwrap());
    // Longer and shorter ones are read into the same memory, one after the other.
    for range in [5000..12_345, 0..1_000_000, 1..2, 7..2_000_000, 5000..12_345] {
        let at = |offset| usize::try_from(offset).unwrap();
        let expected = &bytes[at(range.start)..at(range.end)];
        for window in [input.window(range.clone()), input.sparse_window(range.clone())] {
            let window = window.unwrap();
            assert_eq!(&*window, expected);
            assert_eq!(window.range(), range);
            assert_eq!(input.offset_of(&window), None);
        }
    }
    let wide = input.wide_window(5000..1_000_000).unwrap();
    assert_eq!((wide.range(), &*wide), (0..bytes.len() as u64, &bytes[..]));
    let both = [input.window(10..20).unwrap(), input.window(30..40).unwrap()];
    assert_eq!(both.each_ref().map(|window| window[0]), [bytes[10], bytes[30]]);
    assert_eq!(input.offset_of(&input.bytes()[5000..5010]), Some(5000));
    assert_eq!(input.offset_of(&input.bytes()[2_000_000..]), Some(2_000_000));
    assert!(input.window(2_000_000..2_000_000).unwrap().is_empty());
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn refuses_windows_outside() {
    let file = file_with(b"0123456789");
    for input in [Input::open(file.path()).unwrap(), Input::from_bytes("x", vec![0; 10])] {
        for range in [0..11, 11..11, 5..4, u64::MAX - 1..u64::MAX] {
            let sparse = input.sparse_window(range.clone());
            for window in [input.window(range.clone()), sparse, input.wide_window(range)] {
                let error = IoError::from(window.unwrap_err());
                assert!(matches!(error, IoError::Range { .. }), "{error}");
            }
        }
    }
    let error = Input::from_bytes("x", vec![0; 10]).window(2..11).unwrap_err();
    assert_eq!(error.to_string(), "`x` has no bytes 0x2..0xb, it ends at 0xa");
}

/// Else a merge of many files would have them all open.
#[test]
fn small_files_are_mapped_and_not_kept_open() {
    let file = file_with(&[7; 100_000]);
    let input = Input::open(file.path()).unwrap();
    assert!(matches!(input.source, Source::Mapped { file: None, .. }));
    // The smallest are read.
    let file = file_with(&[7; 10_000]);
    let input = Input::open(file.path()).unwrap();
    assert!(matches!(input.source, Source::Memory(_)) && input.path().is_some());
    assert_eq!(input.offset_of(&input.window(4096..8192).unwrap()), Some(4096));
}

#[test]
fn in_memory_windows_are_borrowed() {
    let file = file_with(b"0123456789");
    let input = Input::open_in_memory(file.path()).unwrap();
    assert!(matches!(input.source, Source::Memory(_)));
    let window = input.window(3..6).unwrap();
    assert_eq!(input.offset_of(&window), Some(3));
}

#[test]
fn an_empty_file_is_an_empty_slice() {
    let input = Input::open(file_with(b"").path()).unwrap();
    assert!(input.bytes().is_empty());
    assert!(input.window(0..0).unwrap().is_empty());
    assert!(input.window(0..1).is_err());
}

#[test]
fn notices_a_file_that_became_shorter() {
    let file = file_with(&vec![7; 2_000_000]);
    let input = Input::open(file.path()).unwrap();
    file.as_file().set_len(100).unwrap();
    let range = 4096..8192;
    let sparse = input.sparse_window(range.clone());
    for window in [input.window(range.clone()), sparse, input.wide_window(range)] {
        let error = IoError::from(window.unwrap_err());
        assert!(matches!(error, IoError::Changed { .. }));
    }
    assert_eq!(&*input.window(0..100).unwrap(), &[7; 100]);
}

#[test]
fn names_what_cannot_be_opened() {
    let error = Input::open("/no/such/file").unwrap_err().to_string();
    assert_eq!(error, "cannot open `/no/such/file`: no such file or folder");
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Input::open(folder.path()), Err(IoError::Directory { .. })));
}

#[test]
fn standard_input_is_read_once() {
    let taken = AtomicBool::new(false);
    let input = Input::from_stdin(&taken, &mut &b"abc"[..]).unwrap();
    assert_eq!((input.bytes(), input.name(), input.path()), (&b"abc"[..], "<stdin>", None));
    let again = Input::from_stdin(&taken, &mut &b"abc"[..]);
    assert!(matches!(again, Err(IoError::StdinTwice)));
}

#[test]
fn endless_streams_are_cut() {
    assert_eq!(read_all("x", &mut io::repeat(0).take(8), 8, 0).unwrap().len(), 8);
    assert!(matches!(read_all("x", &mut io::repeat(0), 8, 0), Err(IoError::TooLarge { .. })));
}

#[test]
fn text_must_be_utf8() {
    assert_eq!(Input::from_bytes("x", "né".into()).text().unwrap(), "né");
    let error = Input::from_bytes("x", b"ab\xff".to_vec()).text().unwrap_err();
    assert_eq!(error.to_string(), "`x` is not UTF-8 text (offset 0x2)");
}

#[cfg(unix)]
#[test]
fn pipes_and_odd_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let input = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, b"through a pipe").unwrap());
        Input::open(&fifo).unwrap()
    });
    assert_eq!((input.bytes(), input.path()), (&b"through a pipe"[..], None));
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_claim_to_be_empty_are_read() {
    assert!(!Input::open("/proc/self/cmdline").unwrap().bytes().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn dropped_windows_leave_memory() {
    // Of this file alone: other tests map theirs at the same time.
    fn resident(path: &Path) -> usize {
        let text = fs::read_to_string("/proc/self/smaps").unwrap();
        let path = path.to_str().unwrap();
        let (mut of_file, mut sum) = (false, 0);
        for line in text.lines() {
            match line.split_once(':') {
                Some(("Rss", size)) if of_file => {
                    sum += size.split_whitespace().next().unwrap().parse::<usize>().unwrap();
                }
                // The line of a mapping begins with its addresses.
                _ if line.split(' ').next().unwrap().contains('-') => {
                    of_file = line.ends_with(path);
                }
                _ => {}
            }
        }
        sum
    }
    const MIB: u64 = 1 << 20;
    let file = tempfile::NamedTempFile::new().unwrap();
    (&mut file.as_file()).write_all(&vec![1; 64 << 20]).unwrap();
    let input = Input::open(file.path()).unwrap();
    let (mut sum, mut most) = (0u64, 0);
    for start in (0..64 * MIB).step_by(4 << 20) {
        let window = input.window(start..start + 4 * MIB).unwrap();
        sum += window.iter().map(|b| u64::from(*b)).sum::<u64>();
        most = most.max(resident(file.path()));
    }
    assert_eq!(sum, 64 * MIB);
    assert!((4 << 10..8 << 10).contains(&most), "{most} kB of windows of 4096 kB");
}
