use super::super::output::OutputFile;
use super::*;
use std::time::{Duration, SystemTime};

fn prepared(path: &Path, bytes: &[u8]) -> Prepared {
    let mut output = OutputFile::create(path).unwrap();
    output.write_all(bytes).unwrap();
    output.prepare().unwrap()
}

#[test]
fn same_bytes_leave_the_target_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let bytes: Vec<u8> = (0..=248).cycle().take(3 * CHUNK + 5).collect();
    fs::write(&path, &bytes).unwrap();
    let old = SystemTime::now() - Duration::from_secs(1000);
    OpenOptions::new().write(true).open(&path).unwrap().set_modified(old).unwrap();
    let modified = || fs::metadata(&path).unwrap().modified().unwrap();
    let before = modified();
    let output = prepared(&path, &bytes);
    assert_eq!(output.outcome(), Outcome::Unchanged);
    assert_eq!(output.commit().unwrap(), Outcome::Unchanged);
    assert_eq!(modified(), before);

    let mut other = bytes.clone();
    *other.last_mut().unwrap() ^= 1;
    for changed in [&other[..], &other[..CHUNK], &[]] {
        assert_eq!(prepared(&path, changed).commit().unwrap(), Outcome::Written);
        assert_eq!(fs::read(&path).unwrap(), changed);
    }
    assert!(modified() > before);
    assert_eq!(prepared(&path, &[]).commit().unwrap(), Outcome::Unchanged);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn several_outputs_appear_together() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), b"same").unwrap();
    let outputs = vec![prepared(&at("a"), b"same"), prepared(&at("b"), b"new")];
    assert!(!at("b").exists());
    assert_eq!(commit_all(outputs).unwrap(), [Outcome::Unchanged, Outcome::Written]);
    assert_eq!(fs::read(at("b")).unwrap(), b"new");
    assert!(commit_all(Vec::new()).unwrap().is_empty());
}

#[test]
fn two_outputs_need_two_targets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::create_dir(folder.path().join("sub")).unwrap();
    let detour = folder.path().join("sub/../a");
    fs::write(&path, b"old").unwrap();
    for first in [&b"old"[..], b"one"] {
        let outputs = vec![prepared(&path, first), prepared(&detour, b"two")];
        assert!(matches!(commit_all(outputs), Err(IoError::SameTarget { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}

#[cfg(unix)]
#[test]
fn files_come_before_streams_and_outcomes_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, b"same").unwrap();
    let outputs = vec![prepared(Path::new("/dev/null"), b"x"), prepared(&path, b"same")];
    assert_eq!(commit_all(outputs).unwrap(), [Outcome::Written, Outcome::Unchanged]);
    if Path::new("/dev/full").exists() {
        let outputs = vec![prepared(Path::new("/dev/full"), b"x"), prepared(&path, b"new")];
        assert!(matches!(commit_all(outputs), Err(IoError::Write { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }
}

#[test]
fn an_output_over_its_own_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, vec![5; 100_000]).unwrap();
    let input = super::super::Input::open(&path).unwrap();
    let mut output = OutputFile::create(&path).unwrap();
    output.write_all(&input.window(10..60_000).unwrap()).unwrap();
    let ready = output.prepare().unwrap();
    #[cfg(windows)]
    drop(input);
    ready.commit().unwrap();
    #[cfg(unix)]
    assert_eq!(input.window(0..100_000).unwrap().len(), 100_000);
    assert_eq!(fs::read(&path).unwrap(), vec![5; 59_990]);
}
