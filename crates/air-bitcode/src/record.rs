//! Records: as they stand in the input until something asks for their values.

use std::borrow::Cow;
use std::sync::Arc;

use crate::abbrev::{Abbreviation, Scalar, Tail, Values, vbr_bits};
use crate::bits::{BitReader, BitWriter, Span, size};
use crate::error::{ErrorKind, Result};

/// Abbreviation id of a record without abbreviation.
pub const UNABBREVIATED: u32 = 3;

/// Bytes that room is made for where a text is read.
const TEXT_SIZE: usize = 64;

/// One record of a block.
///
/// A record that was read keeps its bits; one that was made or edited has values.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    id: u32,
    code: u32,
    abbreviation: Option<Arc<Abbreviation>>,
    data: Data<'a>,
}

#[derive(Clone, Debug)]
enum Data<'a> {
    /// Bits of the input, from the id on, and where the values begin, behind the code.
    Stored(Span<'a>, u64),
    /// Values of its own.
    Own(Box<Values<'a>>),
}

impl<'a> Record<'a> {
    /// A new record without abbreviation.
    #[must_use]
    pub fn new(code: u32, operands: Vec<u64>) -> Self {
        let data = Data::Own(Box::new(Values { operands, blob: None }));
        Self { id: UNABBREVIATED, code, abbreviation: None, data }
    }

    /// A new record with an abbreviation, by its id and definition; none if it does not fit.
    #[must_use]
    pub fn with_abbreviation(
        id: u32,
        abbreviation: Arc<Abbreviation>,
        code: u32,
        values: Values<'a>,
    ) -> Option<Self> {
        abbreviation.bits(code, &values)?;
        let abbreviation = Some(abbreviation);
        Some(Self { id, code, abbreviation, data: Data::Own(Box::new(values)) })
    }

    /// Finds the bits of the next record, whose id was read from `start` on.
    #[inline(always)]
    pub(crate) fn scan(
        reader: &mut BitReader<'a>,
        start: u64,
        id: u32,
        abbreviation: Option<&Arc<Abbreviation>>,
    ) -> Result<Self> {
        let here = reader.position();
        let (code, values) = if let Some(abbreviation) = abbreviation {
            let code = abbreviation.read_code(reader)?;
            let values = reader.position();
            reader.skip(abbreviation.behind(*reader)? - values, "values")?;
            (code, values)
        } else {
            let code = reader.vbr(6, "record code")?;
            let values = reader.position();
            let count = reader.vbr(6, "number of operands")?;
            reader.skip_vbr6(count, "operands")?;
            (code, values)
        };
        let code = u32::try_from(code).map_err(|_| {
            let what = format!("record code {code}, expected at most 32 bits");
            reader.error_at(here, ErrorKind::Value { what })
        })?;
        let data = Data::Stored(reader.span(start), values);
        Ok(Self { id, code, abbreviation: abbreviation.cloned(), data })
    }

    /// A reader that stands at the values; none for a record that was edited.
    fn stored_values(&self) -> Option<BitReader<'a>> {
        match &self.data {
            Data::Stored(span, values) => Some(span.reader_at(*values)),
            Data::Own(_) => None,
        }
    }

    /// Abbreviation id, 3 for none.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The record's code: what it is, within its block.
    #[must_use]
    pub fn code(&self) -> u32 {
        self.code
    }

    /// The abbreviation it is written with, if it is.
    #[must_use]
    pub fn abbreviation(&self) -> Option<&Abbreviation> {
        self.abbreviation.as_deref()
    }

    /// Absolute offset of its values in the input, in bits; none for a record that was edited.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.stored_values().map(|values| values.offset())
    }

    /// An error about this record.
    pub(crate) fn error(&self, what: impl Into<String>) -> crate::Error {
        let kind = ErrorKind::Value { what: what.into() };
        match self.offset() {
            Some(bit) => crate::Error::new(kind, bit),
            None => crate::Error::nowhere(kind),
        }
    }

    /// Reads the record's values.
    ///
    /// # Errors
    /// If an integer has more than 64 bits, or is not written in the shortest way.
    pub fn values(&self) -> Result<Values<'a>> {
        let mut values = Values::default();
        self.read(&mut values)?;
        Ok(values)
    }

    /// Reads the values into `values`, in place of what that holds.
    ///
    /// # Errors
    /// As [`Record::values`].
    pub fn read(&self, values: &mut Values<'a>) -> Result<()> {
        values.operands.clear();
        values.blob = None;
        match &self.data {
            Data::Own(own) => values.clone_from(own),
            Data::Stored(span, start) => {
                let mut reader = span.reader_at(*start);
                match &self.abbreviation {
                    Some(abbreviation) => abbreviation.read_values(&mut reader, values)?,
                    None => {
                        let count = reader.vbr(6, "number of operands")?;
                        values.reserve(count, &reader);
                        for _ in 0..count {
                            values.operands.push(reader.vbr(6, "operand")?);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with one operand after the other, until it says no.
    fn walk(&self, mut each: impl FnMut(u64) -> Result<bool>) -> Result<()> {
        match (&self.data, &self.abbreviation) {
            (Data::Own(own), _) => {
                for &operand in &own.operands {
                    if !each(operand)? {
                        break;
                    }
                }
            }
            (Data::Stored(span, values), Some(abbreviation)) => {
                abbreviation.walk(&mut span.reader_at(*values), each)?;
            }
            (Data::Stored(span, values), None) => {
                let mut reader = span.reader_at(*values);
                for _ in 0..reader.vbr(6, "number of operands")? {
                    if !each(reader.vbr(6, "operand")?)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The first `N` operands; zeros where the record has fewer, and how many it has of them.
    ///
    /// # Errors
    /// As [`Record::values`].
    pub fn first<const N: usize>(&self) -> Result<([u64; N], usize)> {
        let mut first = [0; N];
        if let (Data::Stored(span, values), None) = (&self.data, &self.abbreviation) {
            // What is asked of most records, in a loop of its own.
            let mut reader = span.reader_at(*values);
            let count = size(reader.vbr(6, "number of operands")?).min(N);
            for slot in first.iter_mut().take(count) {
                *slot = reader.vbr(6, "operand")?;
            }
            return Ok((first, count));
        }
        let mut count = 0;
        self.walk(|operand| {
            if let Some(slot) = first.get_mut(count) {
                *slot = operand;
                count += 1;
            }
            Ok(count < N)
        })?;
        Ok((first, count))
    }

    /// The operands from the first-th on as bytes, as records hold text.
    ///
    /// # Errors
    /// As [`Record::values`], and if an operand is no byte.
    pub fn text(&self, first: usize) -> Result<Vec<u8>> {
        let mut text = Vec::with_capacity(TEXT_SIZE);
        if let (Data::Stored(span, values), Some(found), 0) =
            (&self.data, &self.abbreviation, first)
            && found.characters(&mut span.reader_at(*values), &mut text)?
        {
            return Ok(text);
        }
        let mut index = 0;
        self.walk(|operand| {
            if index >= first {
                let byte = u8::try_from(operand);
                let large = |_| self.error("character of a text is larger than a byte");
                text.push(byte.map_err(large)?);
            }
            index += 1;
            Ok(true)
        })?;
        Ok(text)
    }

    /// The blob, if the record has one.
    ///
    /// # Errors
    /// As [`Record::values`].
    pub fn blob(&self) -> Result<Option<Cow<'a, [u8]>>> {
        match (&self.data, &self.abbreviation) {
            (Data::Own(own), _) => Ok(own.blob.clone()),
            (Data::Stored(span, values), Some(found)) => {
                Ok(found.blob(&mut span.reader_at(*values))?.map(Cow::Borrowed))
            }
            (Data::Stored(..), None) => Ok(None),
        }
    }

    /// Gives the record other values; it keeps its abbreviation as long as they fit.
    pub fn set(&mut self, values: Values<'a>) {
        let fits =
            |abbreviation: &Arc<Abbreviation>| abbreviation.bits(self.code, &values).is_some();
        if !self.abbreviation.as_ref().is_some_and(fits) {
            self.abbreviation = None;
            self.id = UNABBREVIATED;
        }
        self.data = Data::Own(Box::new(values));
    }

    /// Writes the record with its abbreviation, which has another id now.
    pub(crate) fn move_to(&mut self, id: u32) -> Result<()> {
        self.data = Data::Own(Box::new(self.values()?));
        self.id = id;
        Ok(())
    }

    /// Gives the record other values, and the abbreviation that LLVM would choose for its
    /// text: of those made for this code the shortest that fits.
    pub(crate) fn set_text<L: AsRef<[(u32, Arc<Abbreviation>)]>>(
        &mut self,
        values: Values<'a>,
        among: impl FnOnce() -> Result<L>,
    ) -> Result<()> {
        let six_bits = |found: &Arc<Abbreviation>| found.tail() == Tail::Array(Scalar::Char6);
        let fits = |found: &Arc<Abbreviation>| found.bits(self.code, &values).is_some();
        if self.abbreviation.as_ref().is_some_and(|found| six_bits(found) && fits(found)) {
            self.data = Data::Own(Box::new(values));
            return Ok(());
        }
        let made_for_it = |found: &Arc<Abbreviation>| matches!(found.code(), Scalar::Literal(_));
        let among = among()?;
        let best = among
            .as_ref()
            .iter()
            .filter_map(|found| {
                let bits = found.1.bits(self.code, &values)?;
                Some(((!made_for_it(&found.1), bits), found))
            })
            .min_by_key(|(rank, _)| *rank);
        match best {
            Some((_, (id, abbreviation))) => {
                self.id = *id;
                self.abbreviation = Some(abbreviation.clone());
            }
            None => {
                self.id = UNABBREVIATED;
                self.abbreviation = None;
            }
        }
        self.data = Data::Own(Box::new(values));
        Ok(())
    }

    /// Whether bits behind the record begin on a 32-bit border, wherever it begins itself.
    pub(crate) fn ends_aligned(&self) -> bool {
        self.abbreviation.as_ref().is_some_and(|found| found.tail() == Tail::Blob)
    }

    /// Its bits, from the id on; none if it was edited.
    #[inline]
    pub(crate) fn span(&self) -> Option<&Span<'a>> {
        match &self.data {
            Data::Stored(span, _) => Some(span),
            Data::Own(_) => None,
        }
    }

    /// Writes the record: its bits as they are, or its values.
    ///
    /// With `anew` the bits are read and the values are written even if nothing was edited.
    pub(crate) fn write(&self, writer: &mut BitWriter<'_>, width: u32, anew: bool) -> Result<()> {
        match &self.data {
            Data::Own(values) => self.write_values(writer, width, values),
            Data::Stored(span, _) => {
                let moved = !(writer.position() ^ span.range().0).is_multiple_of(32);
                if anew || (moved && self.ends_aligned()) {
                    return self.write_values(writer, width, &self.values()?);
                }
                writer.copy(&mut span.reader(), span.bits())
            }
        }
    }

    /// Its operands, if its abbreviation has room for two and nothing else.
    pub(crate) fn pair(&self) -> Result<Option<[u64; 2]>> {
        match (&self.data, &self.abbreviation) {
            (Data::Stored(span, values), Some(found)) => {
                found.read_pair(&mut span.reader_at(*values))
            }
            _ => Ok(None),
        }
    }

    /// Writes the record with other operands, if it is a [pair](Record::pair); says whether
    /// it did.
    pub(crate) fn write_pair(
        &self,
        writer: &mut BitWriter<'_>,
        width: u32,
        pair: [u64; 2],
    ) -> bool {
        let Some(found) = &self.abbreviation else { return false };
        let fits = |scalars: [Scalar; 2]| scalars.iter().zip(pair).all(|(s, v)| s.has_room(v));
        if !found.pair().is_some_and(fits) {
            return false;
        }
        writer.fixed(self.id.into(), width);
        found.write_pair(writer, self.code, pair);
        true
    }

    /// Writes the record with other values, as if they had been [set](Record::set).
    pub(crate) fn write_with(
        &self,
        writer: &mut BitWriter<'_>,
        width: u32,
        values: &Values<'_>,
    ) -> Result<()> {
        let found = self.abbreviation.as_ref();
        if found.is_none_or(|found| found.bits(self.code, values).is_some()) {
            return self.write_values(writer, width, values);
        }
        writer.fixed(UNABBREVIATED.into(), width);
        self.write_unabbreviated(writer, values)
    }

    fn write_values(
        &self,
        writer: &mut BitWriter<'_>,
        width: u32,
        values: &Values<'_>,
    ) -> Result<()> {
        writer.fixed(self.id.into(), width);
        if let Some(abbreviation) = &self.abbreviation {
            abbreviation.write_record(writer, self.code, values);
            return Ok(());
        }
        self.write_unabbreviated(writer, values)
    }

    fn write_unabbreviated(&self, writer: &mut BitWriter<'_>, values: &Values<'_>) -> Result<()> {
        if values.blob.is_some() {
            return Err(self.error("a blob needs an abbreviation"));
        }
        writer.vbr(self.code.into(), 6);
        writer.vbr(values.operands.len() as u64, 6);
        values.operands.iter().for_each(|&operand| writer.vbr(operand, 6));
        Ok(())
    }

    /// Bits that the record takes without abbreviation and id.
    #[must_use]
    pub fn unabbreviated_bits(code: u32, operands: &[u64]) -> u64 {
        let head = vbr_bits(code.into(), 6) + vbr_bits(operands.len() as u64, 6);
        head + operands.iter().map(|&operand| vbr_bits(operand, 6)).sum::<u64>()
    }
}
