//! What is left to compare where nothing that has a name differs.

use metallib::{FourCc, Function, Library, Module, TagList};

use super::eyes::Eyes;
use super::{Ignored, Side, library, modules};
use crate::error::Result;

/// Whether two libraries of which nothing else differs are laid out the same: order of tags and
/// sections, who shares what, bytes behind modules.
///
/// Where nothing is passed over the files have to be the same, byte for byte.
pub(super) fn is_same(old: Side<'_, '_>, new: Side<'_, '_>, eyes: &Eyes) -> Result<bool> {
    if modules::same_files(old.input, new.input)? {
        return Ok(true);
    }
    let (a, b) = (old.library, new.library);
    let is_regular = a.is_canonical() && b.is_canonical();
    Ok(eyes.ignored != Ignored::default()
        && is_regular
        && extension(a, eyes) == extension(b, eyes)
        && a.modules().iter().map(Module::tail).eq(b.modules().iter().map(Module::tail))
        && a.functions().iter().zip(b.functions()).all(|(a, b)| is_alike(a, b, eyes)))
}

/// Names of the extension's tags, in order.
fn extension(library: &Library<'_>, eyes: &Eyes) -> Vec<FourCc> {
    let tags = library.extension().into_iter().flat_map(|extension| &extension.tags);
    tags.filter(|tag| library::seen(tag, eyes).is_some()).map(|tag| tag.id).collect()
}

fn is_alike(a: &Function<'_>, b: &Function<'_>, eyes: &Eyes) -> bool {
    let archives = eyes.ignored.sources || a.archive == b.archive;
    let lists = [(&a.tags, &b.tags), (&a.public, &b.public), (&a.private, &b.private)];
    archives
        && (a.module, a.reflection) == (b.module, b.reflection)
        && lists.into_iter().all(|(a, b)| ids(a, eyes).eq(ids(b, eyes)))
}

/// Names of tags in order, those of positions too.
fn ids<'t>(tags: &'t TagList<'_>, eyes: &'t Eyes) -> impl Iterator<Item = FourCc> + 't {
    let is_kept = |id: &FourCc| match *id {
        FourCc::SOFF => !eyes.ignored.sources,
        FourCc::OFFT | FourCc::MDSZ | FourCc::RFLT => true,
        id => eyes.is_seen(id),
    };
    tags.iter().map(|tag| tag.id).filter(is_kept)
}
