use super::*;
use std::fs;
use tempfile::{TempDir, tempdir};

fn in_folder() -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("out.metallib");
    (folder, path)
}

fn put(path: &Path, bytes: &[u8]) -> Result<Outcome> {
    write_bytes(&Target::Path(path.to_path_buf()), bytes)
}

fn entries(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn streams_and_patches() {
    let (folder, path) = in_folder();
    let mut output = OutputFile::create(&path).unwrap();
    let mut expected = Vec::new();
    for n in 0..40u8 {
        let batch = vec![n; 50_000];
        output.write_all(&batch).unwrap();
        expected.extend(batch);
        output.write_at(u64::from(n) * 50_000 + 7, b"patch").unwrap();
        expected[usize::from(n) * 50_000 + 7..][..5].copy_from_slice(b"patch");
    }
    output.write_at(0, b"begin").unwrap();
    output.write_at(output.written() - 3, b"end").unwrap();
    expected[..5].copy_from_slice(b"begin");
    let length = expected.len();
    expected[length - 3..].copy_from_slice(b"end");
    assert_eq!(output.written(), 2_000_000);
    assert!(!path.exists());
    let names = entries(&folder);
    assert!(matches!(&names[..], [n] if n.starts_with('.') && n.ends_with(".tmp")), "{names:?}");
    assert_eq!(output.finish().unwrap(), Outcome::Written);
    assert_eq!(fs::read(&path).unwrap(), expected);
    assert_eq!(entries(&folder), ["out.metallib"]);
}

#[test]
fn patches_stay_within_what_was_written() {
    let (_folder, path) = in_folder();
    let mut output = OutputFile::create(&path).unwrap();
    output.write_all(b"0123").unwrap();
    for (offset, bytes) in [(0, &b"01234"[..]), (4, b"x"), (u64::MAX, b"x")] {
        assert!(matches!(output.write_at(offset, bytes), Err(IoError::Patch { .. })));
    }
    output.write_at(4, b"").unwrap();
    output.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"0123");
}

#[test]
fn dropping_leaves_no_trace() {
    let (folder, path) = in_folder();
    fs::write(&path, b"old").unwrap();
    let mut output = OutputFile::create(&path).unwrap();
    output.write_all(&[1; 1 << 20]).unwrap();
    drop(output);
    assert_eq!(entries(&folder), ["out.metallib"]);
    let mut output = OutputFile::create(&path).unwrap();
    output.write_all(b"new").unwrap();
    drop(output.prepare().unwrap());
    assert_eq!(entries(&folder), ["out.metallib"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_failed_write_is_never_committed() {
    let (folder, path) = in_folder();
    fs::write(&path, b"old").unwrap();
    let mut output = OutputFile::create(&path).unwrap();
    output.write_all(b"new").unwrap();
    let error = output.failure(ErrorKind::StorageFull.into());
    assert_eq!(
        error.to_string(),
        format!("cannot write `{}`: no space left on the device", path.display())
    );
    assert!(matches!(output.finish(), Err(IoError::Incomplete { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(entries(&folder), ["out.metallib"]);
}

#[test]
fn says_what_is_missing() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("no/out");
    assert!(matches!(put(&path, b""), Err(IoError::MissingFolder { .. })));
    assert!(matches!(put(folder.path(), b""), Err(IoError::Directory { .. })));
}

#[test]
fn says_that_a_folder_takes_no_file() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("out");
    let label = folder.path().display();
    for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem, ErrorKind::NotFound] {
        let error = not_created("out".to_owned(), &path, kind.into()).to_string();
        assert_eq!(error, format!("cannot write `out`: the folder `{label}` is not writable"));
    }
    let other = not_created("out".to_owned(), &path, ErrorKind::StorageFull.into()).to_string();
    assert_eq!(other, "cannot create `out`: no space left on the device");
}

#[test]
fn binary_is_not_written_to_a_terminal() {
    assert!(matches!(OutputFile::to_stdout(true), Err(IoError::Terminal)));
    let mut output = OutputFile::to_stdout(false).unwrap();
    output.write_all(b"0123456789").unwrap();
    output.write_at(2, b"xx").unwrap();
    assert_eq!((output.written(), output.name()), (10, "<stdout>"));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn modes_are_usual_or_kept() {
        let (folder, path) = in_folder();
        put(&path, b"one").unwrap();
        let plain = folder.path().join("plain");
        fs::write(&plain, b"").unwrap();
        assert_eq!(mode(&path), mode(&plain));
        for kept in [0o755, 0o600, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            put(&path, format!("{kept}").as_bytes()).unwrap();
            assert_eq!(mode(&path), kept);
        }
    }

    #[test]
    fn links_stay() {
        let (folder, path) = in_folder();
        let link = folder.path().join("link");
        symlink("out.metallib", &link).unwrap();
        assert_eq!(put(&link, b"through a dangling link").unwrap(), Outcome::Written);
        assert_eq!(put(&link, b"through a link").unwrap(), Outcome::Written);
        assert_eq!(put(&link, b"through a link").unwrap(), Outcome::Unchanged);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"through a link");
    }

    #[test]
    fn devices_and_pipes_are_written_to() {
        let null = Path::new("/dev/null");
        let mut output = OutputFile::create(null).unwrap();
        output.write_all(b"0123").unwrap();
        output.write_at(1, b"x").unwrap();
        assert_eq!(output.finish().unwrap(), Outcome::Written);
        assert!(!fs::symlink_metadata(null).unwrap().is_file());

        let (folder, path) = in_folder();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let read = std::thread::scope(|scope| {
            let reader = scope.spawn(|| fs::read(&path).unwrap());
            put(&path, b"through a pipe").unwrap();
            reader.join().unwrap()
        });
        assert_eq!(read, b"through a pipe");
        assert_eq!(entries(&folder), ["out.metallib"]);
    }

    #[test]
    fn a_closed_pipe_is_typed() {
        let (_folder, path) = in_folder();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = std::thread::scope(|scope| {
            scope.spawn(|| drop(fs::File::open(&path).unwrap()));
            put(&path, &vec![1; 4 << 20]).unwrap_err()
        });
        assert!(error.is_broken_pipe(), "{error}");
    }

    #[test]
    fn a_full_device_is_an_error() {
        if Path::new("/dev/full").exists() {
            let error = put(Path::new("/dev/full"), b"x").unwrap_err().to_string();
            assert_eq!(error, "cannot write `/dev/full`: no space left on the device");
        }
    }
}
