//! Elements in another order, and what refers to them by number.

use metallib::{BufferList, ExtensionTag, ExtensionValue, FourCc, LibraryBuilder, Section};

/// The reflection entries of a library.
pub(crate) fn entries_mut<'u, 'a>(
    library: &'u mut LibraryBuilder<'a>,
) -> Option<&'u mut BufferList<'a>> {
    let is_list = |tag: &&mut ExtensionTag<'a>| tag.id == FourCc::RLST;
    match &mut library.extension.as_mut()?.tags.iter_mut().find(is_list)?.value {
        ExtensionValue::Section(Section::Buffers(list)) => Some(list),
        _ => None,
    }
}

/// The elements in another order, which has every index once.
pub(crate) fn permuted<T>(elements: Vec<T>, order: &[usize]) -> Vec<T> {
    let mut elements: Vec<Option<T>> = elements.into_iter().map(Some).collect();
    order.iter().filter_map(|&old| elements.get_mut(old)?.take()).collect()
}

/// The new index of each element.
pub(crate) fn new_ids(order: &[usize]) -> Vec<u32> {
    let mut new = vec![0; order.len()];
    for (place, &old) in (0..).zip(order) {
        if let Some(slot) = new.get_mut(old) {
            *slot = place;
        }
    }
    new
}
