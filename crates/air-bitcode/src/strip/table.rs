//! SYMTAB without some of its symbols.

use crate::bits::low_word;
use crate::error::{Error, ErrorKind, Result};
use crate::symtab::{
    COMDATS, HAS_UNCOMMON, LIBRARIES, MODULE_SIZE, MODULES, SYMBOL_SIZE, SYMBOLS, UNCOMMON_SIZE,
    UNCOMMONS, check_version, pair, range, set_pair, symbol_fields, word,
};

/// A table without the symbols at these bytes, which are in ascending order, and without the
/// uncommon attributes that they have.
pub(crate) fn without(table: &[u8], symbols: &[usize]) -> Result<Vec<u8>> {
    let version = check_version(table)?;
    let uncommons = uncommons_of(table, symbols)?;
    let mut cuts: Vec<(usize, usize)> = symbols.iter().map(|&at| (at, SYMBOL_SIZE)).collect();
    cuts.extend(uncommons.iter().map(|&at| (at, UNCOMMON_SIZE)));
    cuts.sort_unstable();
    let mut left = Vec::with_capacity(table.len());
    let mut from = 0;
    for &(at, size) in &cuts {
        left.extend_from_slice(table.get(from..at).unwrap_or_default());
        from = at + size;
    }
    left.extend_from_slice(table.get(from..).unwrap_or_default());
    // All cuts are of one size.
    let moved = |offset: u32| {
        let before = cuts.partition_point(|(at, _)| (*at as u64) < offset.into());
        low_word(u64::from(offset).saturating_sub((before * SYMBOL_SIZE) as u64))
    };
    let ranges = [MODULES, COMDATS, SYMBOLS, UNCOMMONS, LIBRARIES];
    for field in ranges.into_iter().take(if version >= 2 { 5 } else { 4 }) {
        let (offset, count) = pair(table, field)?;
        let fewer = match field {
            SYMBOLS => symbols.len(),
            UNCOMMONS => uncommons.len(),
            _ => 0,
        };
        set_pair(&mut left, field, (moved(offset), low_word(u64::from(count) - fewer as u64)));
    }
    modules(table, &mut left, symbols, &uncommons)?;
    Ok(left)
}

/// Where the uncommon attributes of symbols are: they follow each other as their symbols do.
fn uncommons_of(table: &[u8], symbols: &[usize]) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    let mut uncommons = range(table, UNCOMMONS, UNCOMMON_SIZE)?;
    for (at, _) in symbol_fields(table)? {
        if word(table, at + 20)? & HAS_UNCOMMON == 0 {
            continue;
        }
        let uncommon = uncommons.next().ok_or_else(|| {
            let what = "more symbols with uncommon attributes than there are of these".to_owned();
            Error::nowhere(ErrorKind::Value { what }).within("SYMTAB")
        })?;
        if symbols.binary_search(&at).is_ok() {
            found.push(uncommon);
        }
    }
    Ok(found)
}

/// Gives modules the numbers of their first and last symbol and their first uncommon.
fn modules(table: &[u8], left: &mut [u8], symbols: &[usize], uncommons: &[usize]) -> Result<()> {
    let starts = [SYMBOLS, UNCOMMONS].map(|field| pair(table, field).map(|(start, _)| start));
    let [first_symbol, first_uncommon] = starts;
    let (first_symbol, first_uncommon) = (first_symbol?, first_uncommon?);
    let index = |number: u32, start: u32, gone: &[usize]| {
        let limit = u64::from(start) + u64::from(number) * SYMBOL_SIZE as u64;
        let before = gone.partition_point(|&at| (at as u64) < limit);
        low_word(u64::from(number).saturating_sub(before as u64))
    };
    for at in range(left, MODULES, MODULE_SIZE)? {
        let (begin, end) = pair(left, at)?;
        let symbol = |number| index(number, first_symbol, symbols);
        set_pair(left, at, (symbol(begin), symbol(end)));
        let (end, uncommon) = pair(left, at + 4)?;
        set_pair(left, at + 4, (end, index(uncommon, first_uncommon, uncommons)));
    }
    Ok(())
}
