//! The header extension and the sections it points at.

use std::borrow::Cow;

use crate::FourCc;
use crate::buffers::BufferList;
use crate::header::Range64;
use crate::sources::Sources;
use crate::symbols::SymbolList;
use crate::tags::{TagList, tag_size};

/// What lies behind the bitcode, pointed at by a tag of the header extension.
#[derive(Clone, Debug)]
pub enum Section<'a> {
    /// HSRC or HSRD: embedded sources.
    Sources(Sources<'a>),
    /// HDYN: NAME and DYNL tags, without a size word.
    Dynamic(TagList<'a>),
    /// ILST (imported symbols) or VLST (exported variables).
    Symbols(SymbolList<'a>),
    /// RLST (reflection) or SLST (scripts).
    Buffers(BufferList<'a>),
    /// Anything else, also a known section of size 0: carried as it is.
    Opaque(Cow<'a, [u8]>),
}

/// Value of one tag of the header extension.
#[derive(Clone, Debug)]
pub enum ExtensionValue<'a> {
    /// The tag holds offset and size of a section.
    Section(Section<'a>),
    /// The tag stands for a section that is not there: offset 0, size 0.
    Absent,
    /// The tag holds something else: UUID, or an unknown payload.
    Data(Cow<'a, [u8]>),
}

/// One tag of the header extension.
#[derive(Clone, Debug)]
pub struct ExtensionTag<'a> {
    /// Name of the tag and of its section.
    pub id: FourCc,
    /// What it holds.
    pub value: ExtensionValue<'a>,
    /// Where the section lies in the input; 0, 0 if it was made.
    pub range: Range64,
    /// Absolute offset of the tag's payload in the input; 0 if it was made.
    pub offset: u64,
}

impl<'a> ExtensionTag<'a> {
    /// A new tag for a section.
    #[must_use]
    pub fn section(id: FourCc, section: Section<'a>) -> Self {
        let value = ExtensionValue::Section(section);
        Self { id, value, range: Range64::default(), offset: 0 }
    }

    /// A new tag that holds its value itself.
    #[must_use]
    pub fn data(id: FourCc, data: impl Into<Cow<'a, [u8]>>) -> Self {
        let value = ExtensionValue::Data(data.into());
        Self { id, value, range: Range64::default(), offset: 0 }
    }

    /// Bytes of the tag's payload.
    #[must_use]
    pub fn payload_size(&self) -> u64 {
        match &self.value {
            ExtensionValue::Data(data) => data.len() as u64,
            ExtensionValue::Section(_) | ExtensionValue::Absent => 16,
        }
    }
}

/// Order in which the tags, and the sections, stand.
///
/// Measured but for VLST (one public reader's order) and SLST (inferred).
const ORDER: [FourCc; 9] = [
    FourCc::HSRP,
    FourCc::HSRC,
    FourCc::HSRD,
    FourCc::HDYN,
    FourCc::VLST,
    FourCc::ILST,
    FourCc::RLST,
    FourCc::SLST,
    FourCc::UUID,
];

/// The header extension of containers from 1.2.3: tags in order, then `ENDT`.
#[derive(Clone, Debug, Default)]
pub struct Extension<'a> {
    /// The tags in order; their sections lie in the file in the same order.
    pub tags: Vec<ExtensionTag<'a>>,
}

impl<'a> Extension<'a> {
    /// The first tag of this name.
    #[must_use]
    pub fn get(&self, id: FourCc) -> Option<&ExtensionTag<'a>> {
        self.tags.iter().find(|tag| tag.id == id)
    }

    /// The tags that point at a section, in order.
    pub fn sections(&self) -> impl Iterator<Item = &ExtensionTag<'a>> {
        self.tags.iter().filter(|tag| matches!(tag.value, ExtensionValue::Section(_)))
    }

    /// The embedded sources.
    #[must_use]
    pub fn sources(&self) -> Option<&Sources<'a>> {
        self.find(|_, section| match section {
            Section::Sources(sources) => Some(sources),
            _ => None,
        })
    }

    /// The buffers of RLST or SLST.
    #[must_use]
    pub fn buffers(&self, wanted: FourCc) -> Option<&BufferList<'a>> {
        self.find(|id, section| match section {
            Section::Buffers(list) if id == wanted => Some(list),
            _ => None,
        })
    }

    /// The symbols of ILST or VLST.
    #[must_use]
    pub fn symbols(&self, wanted: FourCc) -> Option<&SymbolList<'a>> {
        self.find(|id, section| match section {
            Section::Symbols(list) if id == wanted => Some(list),
            _ => None,
        })
    }

    /// The tags of the dynamic header.
    #[must_use]
    pub fn dynamic_header(&self) -> Option<&TagList<'a>> {
        self.find(|_, section| match section {
            Section::Dynamic(tags) => Some(tags),
            _ => None,
        })
    }

    /// Size of the encoded extension with its `ENDT`, in bytes.
    #[must_use]
    pub fn encoded_size(&self) -> u64 {
        self.tags.iter().map(|tag| tag_size(tag.id, tag.payload_size())).sum::<u64>() + 4
    }

    /// The first section for which `select` gives something.
    fn find<'s, T>(&'s self, select: impl Fn(FourCc, &'s Section<'a>) -> Option<T>) -> Option<T> {
        self.tags.iter().find_map(|tag| match &tag.value {
            ExtensionValue::Section(section) => select(tag.id, section),
            _ => None,
        })
    }

    /// Replaces the first tag of this name, or inserts the tag in the order of Apple's
    /// tools: HSRP, HSRC, HSRD, HDYN, VLST, ILST, RLST, SLST, UUID; unknown tags stay
    /// behind the tag they followed.
    pub fn set(&mut self, tag: ExtensionTag<'a>) {
        if let Some(old) = self.tags.iter_mut().find(|old| old.id == tag.id) {
            *old = tag;
            return;
        }
        let rank = |id: FourCc| ORDER.iter().position(|&known| known == id);
        let ours = rank(tag.id).unwrap_or(ORDER.len());
        let later = |tag: &ExtensionTag<'_>| rank(tag.id).is_some_and(|theirs| theirs > ours);
        let index = self.tags.iter().position(later).unwrap_or(self.tags.len());
        self.tags.insert(index, tag);
    }

    /// Removes every tag of this name; tells whether there was one.
    pub fn remove(&mut self, id: FourCc) -> bool {
        let before = self.tags.len();
        self.tags.retain(|tag| tag.id != id);
        self.tags.len() != before
    }
}
