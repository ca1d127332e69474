//! First folders of absolute paths.

/// First folders of absolute paths on systems that have compilers for Metal, or build for it,
/// and what behind them shows that a path in a command line lacks its first slash and is no
/// relative one.
const ROOTS: [(&[u8], &[&[u8]]); 20] = [
    (b"Applications", &[b"Xcode"]),
    (b"Library", &[b"Developer/"]),
    (b"Network", &[]),
    (b"System", &[b"Library/"]),
    (b"Users", &[b""]),
    (b"Volumes", &[b""]),
    (b"bin", &[]),
    (b"build", &[]),
    (b"builds", &[]),
    (b"etc", &[]),
    (b"home", &[b""]),
    (b"mnt", &[]),
    (b"nix", &[b"store/"]),
    (b"opt", &[b"homebrew/", b"local/"]),
    (b"private", &[b"tmp/", b"var/"]),
    (b"root", &[]),
    (b"srv", &[]),
    (b"tmp", &[]),
    (b"usr", &[b"lib/", b"local/"]),
    (b"var", &[b"folders/", b"tmp/"]),
];

/// Whether absolute paths begin with such a folder.
pub(super) fn is_root(name: &[u8]) -> bool {
    ROOTS.iter().any(|(root, _)| *root == name)
}

/// Whether a path in a command line lacks its first slash.
pub(super) fn is_slashless(path: &[u8]) -> bool {
    let behind = |root: &[u8]| path.strip_prefix(root)?.strip_prefix(b"/");
    ROOTS.iter().any(|(root, sure)| {
        behind(root).is_some_and(|rest| sure.iter().any(|sure| rest.starts_with(sure)))
    })
}

/// Whether the path of a file in an archive lacks its first slash. What may be a relative one,
/// such as `build/x.metal`, is none unless it goes through two folders.
pub(super) fn is_slashless_member(path: &[u8]) -> bool {
    let mut names = path.splitn(3, |byte| *byte == b'/');
    let root = names.next().unwrap_or_default();
    is_slashless(path)
        || is_root(root) && names.count() == 2 && !path.split(|b| *b == b'/').any(<[u8]>::is_empty)
}
