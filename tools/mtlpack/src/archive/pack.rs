//! Packing members again, as Apple's tools pack them.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use bzip2::Compression;
use bzip2::write::BzEncoder;

use super::header::{BLOCK, Header, field};
use super::{Member, MemberKind, Unpacked};

/// A member to be packed.
#[derive(Clone, Debug)]
pub(crate) struct NewMember<'m> {
    header: [u8; BLOCK],
    content: Cow<'m, [u8]>,
}

impl<'m> NewMember<'m> {
    /// The member as it is.
    pub(crate) fn new(member: &Member<'m>) -> Self {
        Self { header: *member.header.bytes(), content: Cow::Borrowed(member.content) }
    }

    /// Gives it another name; says no if it is too long for a header.
    pub(crate) fn set_name(&mut self, name: &[u8]) -> bool {
        let Some((prefix, name)) = split_name(name) else { return false };
        self.set(field::PREFIX, prefix);
        self.set(field::NAME, name);
        self.set_checksum();
        true
    }

    /// Gives it another content.
    pub(crate) fn set_content(&mut self, content: Vec<u8>) {
        self.set(field::SIZE, format!("{:011o} ", content.len()).as_bytes());
        self.content = Cow::Owned(content);
        self.set_checksum();
    }

    /// Sets the time of its last change to that of all measured archives, none.
    pub(crate) fn clear_time(&mut self) {
        if Header::new(&self.header).modified() != Some(0) {
            self.set(field::MODIFIED, b"00000000000 ");
            self.set_checksum();
        }
    }

    /// Leaves out the name of a link, which says nothing of a file.
    pub(crate) fn clear_link(&mut self) {
        self.set(field::LINK_NAME, b"");
        self.set_checksum();
    }

    /// Leaves out names and numbers of its owner and group, as all measured archives do. A
    /// number becomes zero in the form that it has.
    pub(crate) fn clear_owner(&mut self) {
        self.set(field::USER, b"");
        self.set(field::GROUP, b"");
        for field in [field::USER_ID, field::GROUP_ID] {
            if Header::new(&self.header).owner_number(field.clone()).is_some() {
                self.clear_number(field);
            }
        }
        self.set_checksum();
    }

    fn clear_number(&mut self, field: Range<usize>) {
        let Some(text) = self.header.get_mut(field.clone()) else { return };
        match text.iter().all(|byte| matches!(byte, b'0'..=b'7' | b' ' | 0)) {
            true => {
                text.iter_mut().filter(|byte| byte.is_ascii_digit()).for_each(|byte| *byte = b'0');
            }
            false => self.set(field, b"000000 "),
        }
    }

    fn set(&mut self, field: Range<usize>, text: &[u8]) {
        if let Some(field) = self.header.get_mut(field) {
            field.fill(0);
            field.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
        }
    }

    fn set_checksum(&mut self) {
        let sum = Header::new(&self.header).computed_checksum();
        self.set(field::CHECKSUM, format!("{sum:06o}\0 ").as_bytes());
    }
}

/// Prefix and name of a header, as libarchive divides names of more than 100 bytes: at the
/// first slash that leaves few enough behind it.
fn split_name(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let (room, prefix_room) = (field::NAME.len(), field::PREFIX.len());
    if name.len() <= room {
        return Some((&[], name));
    }
    let first = name.len().checked_sub(room + 1)?.max(1);
    let at = first + name.get(first..)?.iter().position(|&byte| byte == b'/')?;
    let (prefix, rest) = name.split_at_checked(at)?;
    (prefix.len() <= prefix_room && rest.len() > 1)
        .then(|| (prefix, rest.get(1..).unwrap_or_default()))
}

impl Unpacked {
    /// Whether members are files and nothing else: no links, and no extended headers that may
    /// hold other names.
    pub(crate) fn is_plain(&self) -> bool {
        self.members()
            .all(|member| member.header.kind() == MemberKind::File && member.header.is_ustar())
    }

    /// Packs members in the place of this archive's: with its level, what stands behind its
    /// last member, and padded by its rule; nothing if that is not known.
    pub(crate) fn pack(&self, members: &[NewMember<'_>]) -> Option<Vec<u8>> {
        let mut encoder = BzEncoder::new(Vec::new(), Compression::new(self.level().into()));
        let mut write = |bytes: &[u8]| encoder.write_all(bytes).ok();
        for NewMember { header, content } in members {
            write(header)?;
            write(content)?;
            let padding = content.len().next_multiple_of(BLOCK) - content.len();
            write([0; BLOCK].get(..padding)?)?;
        }
        write(self.end())?;
        let mut packed = encoder.finish().ok()?;
        if self.padding() > 0 {
            let step = self.step()?;
            packed.resize(packed.len().next_multiple_of(step), 0);
        }
        Some(packed)
    }

    /// Packs the members as they are: the archive that an edit of none of them would give. What
    /// is unpacked of it is the same; the stream need not be, for others may have packed it.
    /// Nothing if it is padded by no known rule.
    #[must_use]
    pub fn repacked(&self) -> Option<Vec<u8>> {
        let members: Vec<NewMember<'_>> =
            self.members().map(|member| NewMember::new(&member)).collect();
        self.pack(&members)
    }

    /// The size that padded archives are multiples of: 10,240 bytes in those of the archiver
    /// (none measured was larger), a page of the host in those of the linker.
    fn step(&self) -> Option<usize> {
        let packed = usize::try_from(self.packed_size()).ok()?;
        let total = packed + usize::try_from(self.padding()).ok()?;
        let fits = |step: &usize| packed.next_multiple_of(*step) == total;
        [16384, 4096, 10240].into_iter().find(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_divided_at_a_slash() {
        let long = [&b"/"[..], &[b'a'; 60], b"/", &[b'b'; 60], b"/c.metal"].concat();
        let (prefix, name) = split_name(&long).unwrap();
        assert_eq!((prefix.len(), name.len()), (61, 68));
        assert_eq!([prefix, b"/", name].concat(), long);
        assert_eq!(split_name(&[b'x'; 100]), Some((&b""[..], &[b'x'; 100][..])));
        assert_eq!(split_name(&[b'x'; 101]), None);
        let too_long = [&[b'a'; 156][..], b"/", &[b'b'; 99]].concat();
        assert_eq!(split_name(&too_long), None);
    }
}
