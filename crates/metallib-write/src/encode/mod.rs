//! Encoding of each part of a library; the files mirror those of the model.

mod buffers;
mod extension;
mod function;
mod header;
mod metadata;
mod sources;

use metallib::{
    Error, ErrorKind, ExtensionTag, ExtensionValue, FourCc, Library, Result, Section, SymbolList,
    TagList,
};

use crate::hash::ModuleHashes;
use crate::layout::{Layout, group_size};
use crate::pieces::{Pieces, Sink};

/// Encodes all parts in front of the bitcode; `sizes` are those of the modules.
pub(crate) fn head(
    pieces: &mut Pieces<'_>,
    library: &Library<'_>,
    layout: &Layout,
    sizes: &[u64],
    hashes: &mut impl ModuleHashes,
) -> Result<()> {
    pieces.region("header");
    header::encode(pieces, library.identity(), layout);
    pieces.region("function list");
    function::encode(pieces, library, layout, sizes, hashes)?;
    if let Some(extension) = library.extension() {
        pieces.region("header extension");
        extension::encode(pieces, extension, layout);
    }
    metadata::encode(pieces, library);
    Ok(())
}

/// Encodes the bitcode.
pub(crate) fn modules<'p>(pieces: &mut Pieces<'p>, library: &'p Library<'_>) {
    pieces.region("bitcode");
    for module in library.modules() {
        pieces.borrow(module.bytes(), true);
        pieces.borrow(module.tail(), true);
    }
}

/// Encodes what lies behind the bitcode.
pub(crate) fn sections<'p>(pieces: &mut impl Sink<'p>, library: &'p Library<'_>) -> Result<()> {
    for tag in library.extension().into_iter().flat_map(metallib::Extension::sections) {
        pieces.region(format!("section {}", tag.id));
        check_variables(library, tag)?;
        section(pieces, tag)?;
    }
    Ok(())
}

/// Refuses exported variables that say where they lie, unless nothing moved: no measured
/// file shows what their offsets mean.
fn check_variables(library: &Library<'_>, tag: &ExtensionTag<'_>) -> Result<()> {
    let ExtensionValue::Section(Section::Symbols(list)) = &tag.value else { return Ok(()) };
    let mut placed = list.symbols().iter().filter_map(|tags| tags.get(FourCc::OFFT));
    match placed.next() {
        Some(placed) if library.source_bytes().is_none() => {
            let what = format!(
                "a variable of section {} holds tag OFFT; how it is counted is not known, so \
                 editing such a library is not supported",
                tag.id
            );
            Err(Error::new(ErrorKind::Value { what }, placed.offset))
        }
        _ => Ok(()),
    }
}

fn section<'p>(pieces: &mut impl Sink<'p>, tag: &'p ExtensionTag<'_>) -> Result<()> {
    let ExtensionValue::Section(section) = &tag.value else { return Ok(()) };
    match section {
        Section::Sources(sources) => sources::encode(pieces, sources)?,
        Section::Dynamic(tags) => dynamic(pieces, tags),
        Section::Symbols(list) => symbols(pieces, list)?,
        Section::Buffers(list) => buffers::encode(pieces, list, tag.id)?,
        Section::Opaque(bytes) => pieces.borrow(bytes, false),
    }
    Ok(())
}

/// HDYN: tags and `ENDT`; the UUID hashes the value of NAME without its NUL.
fn dynamic<'p>(pieces: &mut impl Sink<'p>, tags: &TagList<'_>) {
    let mut named = false;
    for tag in tags.iter() {
        tag_head(pieces, tag.id, tag.payload.len() as u64);
        match tag.payload.split_last() {
            Some((0, name)) if tag.id == FourCc::NAME && !named => {
                named = true;
                pieces.new_bytes(name, true);
                pieces.new_bytes(&[0], false);
            }
            _ => pieces.new_bytes(tag.payload, false),
        }
    }
    pieces.new_bytes(&FourCc::ENDT.bytes(), false);
}

/// Name and length of a tag whose payload, as it comes from a tag list, fits the length.
fn tag_head<'p>(pieces: &mut impl Sink<'p>, id: FourCc, size: u64) {
    pieces.new_bytes(&id.bytes(), false);
    if id.has_wide_length() {
        pieces.new_bytes(&u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes(), false);
    } else {
        pieces.new_bytes(&u16::try_from(size).unwrap_or(u16::MAX).to_le_bytes(), false);
    }
}

/// ILST and VLST: a count, then groups whose size word counts itself.
fn symbols<'p>(pieces: &mut impl Sink<'p>, list: &SymbolList<'_>) -> Result<()> {
    pieces.new_bytes(&word("symbol count", list.symbols().len() as u64)?, false);
    for tags in list.symbols() {
        let size = group_size(tags.as_bytes().len());
        pieces.new_bytes(&word("symbol group", size)?, false);
        pieces.new_bytes(tags.as_bytes(), false);
        pieces.new_bytes(&FourCc::ENDT.bytes(), false);
    }
    Ok(())
}

/// A u32 field.
fn word(what: &'static str, value: u64) -> Result<[u8; 4]> {
    let limit = u64::from(u32::MAX);
    let too_large = metallib::ErrorKind::TooLarge { what, size: value, limit };
    let value = u32::try_from(value).map_err(|_| metallib::Error::new(too_large, 0))?;
    Ok(value.to_le_bytes())
}
