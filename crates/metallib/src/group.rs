//! Groups: a u32 size, tags, `ENDT`; and counted lists of them.

use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::irregular::Irregularities;
use crate::tags::TagList;

/// How a group's size word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeWord {
    /// It counts itself: function list, symbol, buffer and variable lists.
    Inclusive,
    /// It does not: source archives.
    Exclusive,
}

impl SizeWord {
    /// Bytes of the group that the size word does not count.
    pub(crate) const fn uncounted(self) -> u64 {
        match self {
            Self::Inclusive => 0,
            Self::Exclusive => 4,
        }
    }
}

/// Size of an encoded group around these tags.
pub(crate) const fn group_size(tags: u64) -> u64 {
    4 + tags + 4
}

/// Reads one group whose size word says where it ends.
///
/// Bytes between `ENDT` and that end are noted as irregular and left out.
pub(crate) fn read_group<'a>(
    cursor: &mut Cursor<'a>,
    rule: SizeWord,
    irregular: &mut Irregularities,
) -> Result<TagList<'a>> {
    let start = cursor.offset();
    let found = u64::from(cursor.u32("group size")?);
    let size = found + rule.uncounted();
    let Some(inner) = size.checked_sub(4).filter(|&inner| inner >= 4) else {
        let expected = "room for ENDT at least";
        return Err(Error::new(ErrorKind::GroupSize { found, expected }, start));
    };
    let offset = cursor.offset();
    let mut group = Cursor::new(cursor.take(inner, "group")?, offset);
    let tags = TagList::read(&mut group)?;
    if !group.rest().is_empty() {
        let what = format!("{} bytes behind ENDT in a group", group.rest().len());
        irregular.note(group.offset(), what);
    }
    Ok(tags)
}

/// Reads `u32 count` and that many groups; calls `each` with index, start and tags.
///
/// The count is not trusted: nothing is reserved for it. `what` names an element.
pub(crate) fn read_list<'a>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
    rule: SizeWord,
    irregular: &mut Irregularities,
    mut each: impl FnMut(u32, u64, TagList<'a>) -> Result<()>,
) -> Result<()> {
    let count = cursor.u32("count")?;
    for index in 0..count {
        let start = cursor.offset();
        read_group(cursor, rule, irregular)
            .and_then(|tags| each(index, start, tags))
            .within(|| format!("{what} {index} of {count}"))?;
    }
    if !cursor.rest().is_empty() {
        let what = format!("{} bytes behind the last {what} of the list", cursor.rest().len());
        irregular.note(cursor.offset(), what);
    }
    Ok(())
}
