//! Members of a static archive (`ar`): the forms of GNU, BSD and Darwin.
//!
//! All of them share the magic and the headers of 60 bytes, and differ in where a long name
//! is: in a table (`//`, GNU) or in front of the data (`#1/`, BSD and Darwin).

use std::borrow::Cow;

use metallib::printable;

use crate::error::{Error, Result};

/// First bytes of an archive.
pub(super) const MAGIC: &[u8] = b"!<arch>\n";

/// First bytes of a thin archive, whose members are elsewhere.
pub(super) const THIN: &[u8] = b"!<thin>\n";

/// Bytes of a member's header: name 16, date 12, owner 6, group 6, mode 8, size 10, end 2.
const HEADER: usize = 60;

/// The longest name that is looked up in the table of long names, which a hostile archive
/// could have searched once for each of its members.
const LONGEST: usize = 1024;

/// A member that is no table of the archive itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, [u8]>,
    pub(super) data: &'a [u8],
}

/// Cuts an archive into its members, without its symbol and name tables.
///
/// # Errors
/// If it is thin, or a header, size or name makes no sense.
pub(super) fn members<'a>(input: &str, archive: &'a [u8]) -> Result<Vec<Member<'a>>> {
    if archive.starts_with(THIN) {
        return Err(Error::refused(format!(
            "{input}: a thin archive names its members instead of holding them; give the .air \
             files themselves, or make a whole archive (`llvm-ar rcs`, without `T`)"
        )));
    }
    let wrong = |(offset, what): (usize, String)| {
        Error::refused(format!("{input}: {what} (offset {offset:#x}, member header)"))
    };
    let mut walk = Walk { archive, at: MAGIC.len(), names: &[] };
    let mut members = Vec::new();
    while let Some(member) = walk.next().map_err(wrong)? {
        members.extend(member);
    }
    Ok(members)
}

/// Offset and words of what is wrong.
type Fault = (usize, String);

struct Walk<'a> {
    archive: &'a [u8],
    at: usize,
    /// The table of long names, once it was there.
    names: &'a [u8],
}

impl<'a> Walk<'a> {
    /// The next member, or nothing for a table; `None` at the end.
    fn next(&mut self) -> Result<Option<Option<Member<'a>>>, Fault> {
        let start = self.at;
        let rest = self.archive.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let Some((header, rest)) = rest.split_at_checked(HEADER) else {
            return Err((start, format!("{} bytes are left, expected {HEADER}", rest.len())));
        };
        if !header.ends_with(b"`\n") {
            let end = header.get(HEADER - 2..).unwrap_or_default();
            return Err((
                start + 58,
                format!("ends with \"{}\", expected \"`\\n\"", end.escape_ascii()),
            ));
        }
        let size = number(header.get(48..58).unwrap_or_default())
            .ok_or_else(|| (start + 48, "the size is no decimal number".to_owned()))?;
        let Some(data) = rest.get(..size) else {
            let left = rest.len();
            return Err((start + 48, format!("the member has {size} bytes, {left} are left")));
        };
        // Members begin at even offsets; the last one may lack its padding.
        self.at = start + HEADER + size + size % 2;
        self.named(header.get(..16).unwrap_or_default(), data)
            .map(Some)
            .map_err(|what| (start, what))
    }

    /// Finds a member's name; nothing for the archive's own tables.
    fn named(&mut self, field: &'a [u8], data: &'a [u8]) -> Result<Option<Member<'a>>, String> {
        let field = field.trim_ascii_end();
        if field == b"//" {
            self.names = data;
            return Ok(None);
        }
        // Symbol tables: `/` and `/SYM64/` (GNU), `/<…>/` (Microsoft).
        if field == b"/" || field == b"/SYM64/" || field.starts_with(b"/<") {
            return Ok(None);
        }
        let (name, data) = if let Some(length) = field.strip_prefix(b"#1/") {
            let length = number(length).ok_or("the length of the name is no decimal number")?;
            let cut = data.split_at_checked(length);
            let (name, data) = cut
                .ok_or_else(|| format!("the name has {length} bytes, the member {}", data.len()))?;
            (until(name, 0), data)
        } else if let Some(at) = field.strip_prefix(b"/") {
            let at = number(at).ok_or("the offset of the name is no decimal number")?;
            (self.long_name(at)?, data)
        } else {
            (field.strip_suffix(b"/").unwrap_or(field), data)
        };
        // `__.SYMDEF`, also ` SORTED` and `_64`: symbol tables of BSD and Darwin.
        let is_table = name.starts_with(b"__.SYMDEF");
        Ok((!is_table).then_some(Member { name: name.into(), data }))
    }

    /// A name of the table of long names: it ends with `/` and a line feed, or with NUL.
    fn long_name(&self, at: usize) -> Result<&'a [u8], String> {
        let names = self.names.get(at..).filter(|names| !names.is_empty()).ok_or_else(|| {
            format!("the name is at {at} of the name table, which has {} bytes", self.names.len())
        })?;
        let names = names.get(..LONGEST).unwrap_or(names);
        let end = names.iter().position(|byte| matches!(byte, b'\n' | 0));
        let name = end.and_then(|end| names.get(..end));
        let name =
            name.ok_or_else(|| format!("the name at {at} of the name table does not end"))?;
        Ok(name.strip_suffix(b"/").unwrap_or(name))
    }
}

/// A decimal number, padded with spaces.
fn number(field: &[u8]) -> Option<usize> {
    let digits = field.trim_ascii_end();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The bytes in front of the first `end`.
fn until(bytes: &[u8], end: u8) -> &[u8] {
    bytes.split(|byte| *byte == end).next().unwrap_or_default()
}

/// A member's name within its archive, for messages.
pub(super) fn name_in(input: &str, member: &[u8]) -> String {
    format!("{input}({})", printable(member))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, size: usize) -> Vec<u8> {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644).into_bytes()
    }

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for (name, data) in members {
            bytes.extend(header(name, data.len()));
            bytes.extend_from_slice(data);
            bytes.resize(bytes.len().next_multiple_of(2), b'\n');
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        let members = members("lib.a", bytes).unwrap();
        members.iter().map(|m| (name_in("", &m.name), m.data.to_vec())).collect()
    }

    fn expected(list: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
        list.iter().map(|(name, data)| (format!("({name})"), data.to_vec())).collect()
    }

    #[test]
    fn gnu_names_are_in_a_table() {
        let bytes = archive(&[
            ("/", b"symbols"),
            ("//", b"a_long_name_of_one.air/\nanother_long_name.air/\n"),
            ("a.air/", b"AAA"),
            ("/24", b"BB"),
            ("/0", b""),
        ]);
        let found = read(&bytes);
        let names = [
            ("a.air", &b"AAA"[..]),
            ("another_long_name.air", b"BB"),
            ("a_long_name_of_one.air", b""),
        ];
        assert_eq!(found, expected(&names));
    }

    #[test]
    fn bsd_names_are_in_front_of_the_data() {
        let bytes = archive(&[
            ("#1/20", b"__.SYMDEF SORTED\0\0\0\0table"),
            ("short.air", b"S"),
            ("#1/12", b"long one.airDATA"),
            ("#1/8", b"b.air\0\0\0B"),
        ]);
        let names = [("short.air", &b"S"[..]), ("long one.air", b"DATA"), ("b.air", b"B")];
        assert_eq!(read(&bytes), expected(&names));
        assert!(read(MAGIC).is_empty());
    }

    #[test]
    fn the_last_member_may_lack_its_padding() {
        let mut bytes = archive(&[("a/", b"odd")]);
        bytes.pop();
        assert_eq!(read(&bytes), expected(&[("a", b"odd")]));
    }

    #[test]
    fn says_what_is_wrong() {
        let mut end = archive(&[("a/", b"")]);
        end[8 + 58] = b'x';
        let cases = [
            (THIN.to_vec(), "thin archive"),
            ([MAGIC, b"abc"].concat(), "3 bytes are left, expected 60 (offset 0x8,"),
            (end, "ends with \"x\\n\", expected \"`\\n\" (offset 0x42,"),
            (
                [MAGIC, &header("a/", 9)].concat(),
                "the member has 9 bytes, 0 are left (offset 0x38,",
            ),
            (archive(&[("/7", b"")]), "is at 7 of the name table, which has 0 bytes"),
            (
                archive(&[("//", b"abc"), ("/1", b"")]),
                "the name at 1 of the name table does not end",
            ),
            (archive(&[("/x", b"")]), "the offset of the name is no decimal number"),
            (archive(&[("#1/9", b"abc")]), "the name has 9 bytes, the member 3"),
            (archive(&[("#1/", b"abc")]), "the length of the name is no decimal number"),
        ];
        for (bytes, message) in cases {
            let error = members("lib.a", &bytes).unwrap_err().to_string();
            assert!(error.starts_with("lib.a: ") && error.contains(message), "{error}");
        }
    }
}
