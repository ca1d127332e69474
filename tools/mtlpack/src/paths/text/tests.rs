//! What is a path in a text, and what is none.

use super::homes::user;
use super::*;

fn found(text: &str, form: Form) -> Vec<&str> {
    let spans = spans(text.as_bytes(), form);
    spans.map(|span| &text[span.start..span.range.end]).collect()
}

#[test]
fn a_whole_path_is_found_with_its_blanks() {
    for form in [Form::File, Form::Folder, Form::Member] {
        for path in ["/a b/c.metal", "C:\\x\\y", "D:/x", "/Users/me/x", "\\\\host\\share", "/tmp"] {
            assert_eq!(found(path, form), [path], "{form:?}");
            assert_eq!(found(&format!("{path}\n"), form), [path], "{form:?}");
        }
        for other in
            ["", "/", "a/b.metal", "x.metal", "//", "@rpath/a", "https://x.y/z", "<built-in>"]
        {
            assert!(found(other, form).is_empty(), "{other} {form:?}");
        }
    }
}

#[test]
fn paths_are_found_among_other_things() {
    let text = "ld -I/usr/x -L /opt/a:/opt/b -o \"/my files/o\" '/q' -D P=/tmp/y,-rpath,/z a/b ../c /d\\ e";
    let all = ["/usr/x", "/opt/a", "/opt/b", "/my files/o", "/q", "/tmp/y", "/z", "/d\\ e"];
    assert_eq!(found(text, Form::Text), all);
    assert_eq!(found("lambda at /x/y.metal:3:4) in", Form::Text), ["/x/y.metal"]);
    assert_eq!(
        found("cl C:\\a\\b.metal /Fo:D:\\o", Form::Text),
        ["C:\\a\\b.metal", "/Fo", "D:\\o"]
    );
    assert_eq!(found("see https://a.b/c and file:///Users/me/x", Form::Text), ["/Users/me/x"]);
    assert!(found("a / b, operator/=, air/buffer", Form::Text).is_empty());
}

#[test]
fn options_with_relative_paths_hold_none() {
    let relative = "-Isrc/x -Llib/x -Fmy-frameworks/x -isystemsrc/x -iquotesrc/x -oout/x -MFd/x";
    for form in [Form::Text, Form::Command] {
        assert!(found(relative, form).is_empty());
        assert!(found("-Isrc//x -I../src/x -include-pchpch/x", form).is_empty());
    }
    let rest =
        "-objc-isystem/a/x -stdlib++-isystem/b/x @/c/x -iwithsysroot/d/x x@/e -ivfsoverlay/f";
    assert_eq!(found(rest, Form::Text), ["/a/x", "/b/x", "/c/x", "/d/x", "/f"]);
    let valued = "-fmodules-cache-path=/a -ffile-prefix-map=/b=/c --sysroot=/d -Wl,-rpath,/e";
    assert_eq!(found(valued, Form::Text), ["/a", "/b", "/c", "/d", "/e"]);
    let absolute = "-I/a/x -isystem/b/x -isystem-after/c/x -include-pch/d/x -o/e -MF/f -Qx/g";
    let all = ["/a/x", "/b/x", "/c/x", "/d/x", "/e", "/f", "/g"];
    assert_eq!(found(absolute, Form::Command), all);
    assert_eq!(found("-Isrc/Users/me/x", Form::Command), ["-Isrc/Users/me/x"]);
}

#[test]
fn of_joined_paths_the_second_counts() {
    let text = "/Users/a/dir//Users/a/dir/x.metal";
    assert_eq!(found(text, Form::File), ["/Users/a/dir/x.metal"]);
    assert_eq!(found("dir//private/x.metal", Form::File), ["/private/x.metal"]);
    assert_eq!(found("/a//b/x.metal", Form::File), ["/a//b/x.metal"]);
}

#[test]
fn archives_leave_out_the_first_slash() {
    for (text, form) in [("Users/me/x.metal", Form::Member), ("Volumes/a/x", Form::Member)] {
        assert_eq!(found(text, form), [text]);
        assert!(found(text, Form::File).is_empty());
    }
    let text = "-isysroot Applications/Xcode.app/SDKs -c Users/me/x.metal src/home/y";
    assert_eq!(found(text, Form::Command), ["Applications/Xcode.app/SDKs", "Users/me/x.metal"]);
}

#[test]
fn homes_are_found_behind_relative_paths_too() {
    let span = spans(b"-I ../../Users/me/x", Form::Text).next().unwrap();
    assert_eq!((span.range.clone(), span.is_absolute), (3..19, false));
    assert!(spans(b"../Users/Shared/x", Form::File).next().is_none());
    assert!(spans(b"src/home/page.metal", Form::File).next().is_none());
    let user =
        |path: &'static str| user(path.as_bytes()).map(|name| std::str::from_utf8(name).unwrap());
    assert_eq!(user("/Users/me/x"), Some("me"));
    assert_eq!(user("/Users/me"), Some("me"));
    assert_eq!(user("Users/me/x"), Some("me"));
    assert_eq!(user("/home/me/x"), Some("me"));
    assert_eq!(user("C:\\Users\\me\\x"), Some("me"));
    assert_eq!(user("/Volumes/disk/Users/me/x"), Some("me"));
    assert_eq!(user("/src/home/me/x"), None);
    assert_eq!(user("/Users/Shared/x"), None);
    assert_eq!(user("/tmp/x"), None);
}

#[test]
fn whole_texts_begin_at_any_root() {
    for form in [Form::File, Form::Folder, Form::Member] {
        for path in [
            "/[ci]/a.metal",
            "/ x/y",
            "/#1/x",
            "/'q'",
            "\\x\\y",
            "\\\\?\\D:\\x",
            "C:\\[x]\\y",
            "C:/%/y",
            "\\/Users\\/ada",
        ] {
            assert_eq!(found(path, form), [path], "{form:?}");
        }
        assert_eq!(found("//data/x.metal", form), ["/data/x.metal"]);
        assert_eq!(found("///x", form), ["/x"]);
        for none in ["\\", "///\n", "C:\\", "C:/", "\n", "[ci]/x", "%/x"] {
            assert!(found(none, form).is_empty(), "{none} {form:?}");
        }
    }
}

#[test]
fn other_beginnings_count_in_texts() {
    for form in [Form::Text, Form::Command] {
        for (text, path) in [
            ("x //data/ada/x.metal y", "/data/ada/x.metal"),
            ("-I//data/ada/x y", "/data/ada/x"),
            ("-c /[ci]/ada/x.metal y", "/[ci]/ada/x.metal"),
            ("-c /(a)/b/c:3", "/(a)/b/c"),
            ("x=/%d/b/c d", "/%d/b/c"),
            ("\"/ a/b/c\" d", "/ a/b/c"),
            ("file://host/Users/ada/x d", "/Users/ada/x"),
            ("cl C:\\[ci]\\a\\x d", "C:\\[ci]\\a\\x"),
            ("cl C:\\\\ci\\\\x d", "C:\\\\ci\\\\x"),
            ("cl C://ci/x d", "C://ci/x"),
            ("cl \\\\?\\D:\\a b", "\\\\?\\D:\\a"),
            ("cl \\\\?\\UNC\\host\\a b", "\\\\?\\UNC\\host\\a"),
            ("cl \\\\host\\share\\a b", "\\\\host\\share\\a"),
            ("{\"f\":\"\\/Users\\/ada\\/x\"}", "\\/Users\\/ada\\/x"),
            ("file:\\/\\/\\/Users\\/ada x", "\\/\\/\\/Users\\/ada"),
            ("-I ../../home/ada/x y", "../../home/ada/x"),
            ("-I ~ada/x y", "~ada/x"),
        ] {
            assert_eq!(found(text, form), [path], "{text}");
        }
        for none in [
            "a / b",
            "// comment",
            "x //comment",
            "/* a */ b /*a*/b/c",
            "http://a.b/c https://[::1]/a/b",
            "https:\\/\\/a.b\\/c\\/d",
            "x /= y",
            "operator/(a, b)",
            "/(a|b)/",
            "~a/b ~T()",
            "src/home/ada/x ./home/ada/x",
            "\\n \\\\d\\w",
            "a\\/b",
        ] {
            assert!(found(none, form).is_empty(), "{none} {form:?} {:?}", found(none, form));
        }
    }
    for (path, name) in
        [("~ada/x", "ada"), ("../../home/ada/x", "ada"), ("\\/Users\\/ada\\/x", "ada")]
    {
        assert_eq!(user(path.as_bytes()), Some(name.as_bytes()));
    }
}

#[test]
fn what_is_quoted_ends_at_its_quote() {
    for (text, paths) in [
        ("ld \"-I/Users/Jo Hn/x/inc\" z", &["/Users/Jo Hn/x/inc"][..]),
        ("ld '-Wl,-rpath,/Users/Jo Hn/x' /z", &["/Users/Jo Hn/x", "/z"]),
        ("ld -DX=\\\"/Users/a b/c\\\" z", &["/Users/a b/c"]),
        ("ld /Users/Jo'Hn/x z", &["/Users/Jo'Hn/x"]),
        ("it isn't '/a b' or '/c'", &["/a b", "/c"]),
        ("\"ld -I/a/b -L/c d\" e", &["/a/b", "/c"]),
        ("\"a\"=/b/c d", &["/b/c"]),
        ("say \"/a b", &["/a b"]),
    ] {
        assert_eq!(found(text, Form::Text), paths, "{text}");
    }
}

#[test]
fn archives_may_leave_out_the_first_slash_of_any_root() {
    for member in ["opt/homebrew/a.metal", "tmp/ada/a.metal", "builds/ada/a.metal", "nix/store/x"] {
        assert_eq!(found(member, Form::Member), [member]);
    }
    for none in ["build/x.metal", "tmp/x", "build//x", "library/a/b", "src/tmp/a/b"] {
        assert!(found(none, Form::Member).is_empty(), "{none}");
    }
    assert!(found("-o build/gen/x.air -I tmp/x/y", Form::Command).is_empty());
}

/// Texts of a megabyte are read in one pass: a pass for each path would take minutes.
#[test]
fn time_is_linear_in_the_text() {
    let long = "A".repeat(300_000);
    for piece in
        ["//a", "/a ", "C:\\a ", "\"a,/b ", "'/", "/[a/b", "file://a", "~ab", "\\/a", "../home"]
    {
        let text = format!("{long}{}", piece.repeat(300_000 / piece.len()));
        for form in [Form::Text, Form::Command] {
            assert!(spans(text.as_bytes(), form).count() <= text.len());
        }
    }
}
