//! The module's symbol table and strings, and the names of its source.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::block::Item;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{block, module as codes};
use crate::module::Module;
use crate::rename::names::characters;
use crate::strip::{compact, symbols_of, without};
use crate::symbols::{Global, string_ranges};
use crate::symtab;

/// Flags of a symbol that one which nobody else sees has not: visibility, weak, common, may be
/// left out, global.
const SHARED: u32 = 0b11 | 1 << 4 | 1 << 5 | 1 << 9 | 1 << 10;

/// What changes.
pub(super) struct Edit<'g, 'a> {
    /// The name of the source file.
    pub(super) source: &'g [u8],
    /// Globals that are no more.
    pub(super) gone: Vec<&'g Global<'a>>,
    /// Globals that nobody else sees.
    pub(super) internal: Vec<&'g Global<'a>>,
}

impl<'a> Edit<'_, 'a> {
    /// Edits `SOURCE_FILENAME`, SYMTAB and STRTAB; says how many names of the source are others.
    pub(super) fn apply(&self, module: &mut Module<'a>) -> Result<usize> {
        let has_source = module.record(codes::SOURCE_FILENAME).is_some();
        let mut changed = usize::from(set_source(module, self.source).within(|| "MODULE")?);
        let strings = module.strings()?;
        let Some(found) = module.blob(block::SYMTAB)? else {
            if !self.gone.is_empty() && module.version()? >= 2 {
                compact::strings(module, Cow::Borrowed(strings), None)?;
            }
            return Ok(changed);
        };
        let mut strings = Cow::Borrowed(strings);
        let mut table = Cow::Borrowed(found);
        let gone = symbols_of(&table, &strings, &names(&self.gone)?)?;
        if !gone.is_empty() {
            table = Cow::Owned(without(&table, &gone)?);
        }
        for name in symbols_of(&table, &strings, &names(&self.internal)?)? {
            let flags = symtab::word(&table, name + 20)?;
            symtab::set_word(table.to_mut(), name + 20, flags & !SHARED);
        }
        if has_source && self.point(module, &mut strings, &mut table)? {
            changed += 1;
        }
        if changed > 0 || !self.gone.is_empty() || !self.internal.is_empty() {
            compact::strings(module, strings, Some(table))?;
        }
        Ok(changed)
    }

    /// Has the table's name of the source be this one; says whether it was another.
    fn point(
        &self,
        module: &Module<'a>,
        strings: &mut Cow<'_, [u8]>,
        table: &mut Cow<'_, [u8]>,
    ) -> Result<bool> {
        let (offset, size) = symtab::pair(table, symtab::SOURCE_FIELD)?;
        if symtab::string(strings, offset.into(), size.into())? == self.source {
            return Ok(false);
        }
        let same = self.place(module, strings)?;
        let start = match same {
            Some(start) => start,
            None => {
                let start = strings.len() as u64;
                strings.to_mut().extend_from_slice(self.source);
                start
            }
        };
        let pair = u32::try_from(start).ok().zip(u32::try_from(self.source.len()).ok());
        let Some(pair) = pair else {
            let (what, size, limit) = ("STRTAB", strings.len() as u64, u32::MAX.into());
            return Err(Error::nowhere(ErrorKind::TooLarge { what, size, limit }));
        };
        symtab::set_pair(table.to_mut(), symtab::SOURCE_FIELD, pair);
        Ok(true)
    }

    /// Where the same string stands as the name of a global.
    fn place(&self, module: &Module<'a>, strings: &[u8]) -> Result<Option<u64>> {
        for item in module.items() {
            let Item::Record(record) = item else { continue };
            for (start, end) in string_ranges(record)? {
                let (from, to) = (crate::bits::size(start), crate::bits::size(end));
                if strings.get(from..to) == Some(self.source) {
                    return Ok(Some(start));
                }
            }
        }
        Ok(None)
    }
}

/// The names of globals, which symbols are found by.
fn names<'g>(globals: &'g [&Global<'_>]) -> Result<HashSet<&'g [u8]>> {
    if globals.iter().any(|global| global.name.is_empty()) {
        let what = "global without a name, whose symbol cannot be told from others".to_owned();
        return Err(Error::nowhere(ErrorKind::Value { what }).within("SYMTAB"));
    }
    Ok(globals.iter().map(|global| &*global.name).collect())
}

/// Gives the module's record of the source file's name this one; says whether it was another.
fn set_source(module: &mut Module<'_>, name: &[u8]) -> Result<bool> {
    let abbreviations = module.abbreviations()?;
    for item in module.items_mut() {
        let Item::Record(record) = item else { continue };
        if record.code() != codes::SOURCE_FILENAME {
            continue;
        }
        if record.text(0)? == name {
            return Ok(false);
        }
        record.set_text(characters(&[], name), || Ok(abbreviations))?;
        return Ok(true);
    }
    Ok(false)
}
