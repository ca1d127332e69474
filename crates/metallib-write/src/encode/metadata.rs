//! Public and private metadata: one group a function, with the dialect's size word.

use metallib::{FourCc, Function, Library, TagList};

use crate::pieces::{Pieces, Sink};

pub(crate) fn encode(pieces: &mut Pieces<'_>, library: &Library<'_>) {
    pieces.region("public metadata");
    groups(pieces, library, |function| &function.public);
    pieces.region("private metadata");
    groups(pieces, library, |function| &function.private);
}

fn groups<'l, 'a: 'l>(
    pieces: &mut Pieces<'_>,
    library: &'l Library<'a>,
    select: impl Fn(&'l Function<'a>) -> &'l TagList<'a>,
) {
    // A function without OFFT has no groups.
    for function in library.functions().iter().filter(|function| function.module.is_some()) {
        let tags = select(function).as_bytes();
        let word = library.dialect().metadata_size_word(tags.len() as u64);
        let word = u32::try_from(word).unwrap_or(u32::MAX);
        pieces.new_bytes(&word.to_le_bytes(), false);
        pieces.new_bytes(tags, false);
        pieces.new_bytes(&FourCc::ENDT.bytes(), false);
    }
}
