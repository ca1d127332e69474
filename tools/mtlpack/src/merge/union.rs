//! The tags of the output's header extension, while those of the inputs are united.

use std::collections::HashMap;

use metallib::{Extension, ExtensionTag, FourCc};

/// Known tags in order, and unknown ones behind the tag that they followed.
///
/// A list with look-ups and insertions that do not walk over it: an extension may have
/// any number of unknown tags.
#[derive(Default)]
pub(super) struct TagUnion<'a> {
    known: Extension<'a>,
    unknown: HashMap<FourCc, ExtensionTag<'a>>,
    /// Unknown tags behind each tag, or in front of all, the one that came last first.
    behind: HashMap<Option<FourCc>, Vec<FourCc>>,
}

impl<'a> TagUnion<'a> {
    /// The tag of this name.
    pub(super) fn get(&self, id: FourCc) -> Option<&ExtensionTag<'a>> {
        if is_known(id) { self.known.get(id) } else { self.unknown.get(&id) }
    }

    /// Replaces the tag of this name.
    pub(super) fn replace(&mut self, tag: ExtensionTag<'a>) {
        match self.unknown.get_mut(&tag.id) {
            Some(old) => *old = tag,
            None => self.known.set(tag),
        }
    }

    /// Adds a tag behind the tag that it followed in its input. The known ones of the
    /// first input keep their order, those of others come in the order of Apple's tools.
    pub(super) fn insert(
        &mut self,
        tag: ExtensionTag<'a>,
        previous: Option<FourCc>,
        is_first: bool,
    ) {
        match (is_known(tag.id), is_first) {
            (true, true) => self.known.tags.push(tag),
            (true, false) => self.known.set(tag),
            (false, _) => {
                self.behind.entry(previous).or_default().push(tag.id);
                self.unknown.insert(tag.id, tag);
            }
        }
    }

    /// All tags in order.
    pub(super) fn finish(mut self) -> Extension<'a> {
        let mut tags = Vec::with_capacity(self.known.tags.len() + self.unknown.len());
        let known = std::mem::take(&mut self.known.tags);
        self.append_behind(None, &mut tags);
        for tag in known {
            let id = tag.id;
            tags.push(tag);
            self.append_behind(Some(id), &mut tags);
        }
        Extension { tags }
    }

    /// Appends the unknown tags behind a tag, each with those behind it.
    fn append_behind(&mut self, start: Option<FourCc>, tags: &mut Vec<ExtensionTag<'a>>) {
        let mut waiting = self.behind.remove(&start).unwrap_or_default();
        while let Some(id) = waiting.pop() {
            tags.extend(self.unknown.remove(&id));
            waiting.extend(self.behind.remove(&Some(id)).unwrap_or_default());
        }
    }
}

fn is_known(id: FourCc) -> bool {
    use FourCc as F;
    [F::HSRP, F::HSRC, F::HSRD, F::HDYN, F::VLST, F::ILST, F::RLST, F::SLST, F::UUID].contains(&id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(union: TagUnion<'_>) -> Vec<String> {
        union.finish().tags.iter().map(|tag| tag.id.to_string()).collect()
    }

    fn add(union: &mut TagUnion<'_>, ids: &[&[u8; 4]], is_first: bool) {
        let mut previous = None;
        for id in ids {
            let id = FourCc::new(**id);
            if union.get(id).is_none() {
                union.insert(ExtensionTag::data(id, vec![0]), previous, is_first);
            }
            previous = Some(id);
        }
    }

    #[test]
    fn the_first_input_keeps_its_order_and_others_are_sorted_in() {
        let mut union = TagUnion::default();
        add(&mut union, &[b"aaaa", b"UUID", b"bbbb", b"cccc", b"HDYN", b"dddd"], true);
        add(&mut union, &[b"eeee", b"HSRC", b"ffff", b"UUID", b"gggg", b"cccc", b"hhhh"], false);
        let expected = [
            "eeee", "aaaa", "HSRC", "ffff", "UUID", "gggg", "bbbb", "cccc", "hhhh", "HDYN", "dddd",
        ];
        assert_eq!(ids(union), expected);
    }
}
