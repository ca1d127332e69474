//! Reading a library: header, function list, extension, metadata, modules, sections.

use std::collections::HashMap;

use crate::FourCc;
use crate::cursor::Cursor;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::function::{ArchiveId, BufferId, Function, ModuleId, Offsets};
use crate::group::{SizeWord, group_size, read_list};
use crate::header::{HEADER_SIZE, Header, Range64};
use crate::irregular::Irregularities;
use crate::library::{Dialect, Library};
use crate::module::{Module, Wrapper};
use crate::parse_extension::read_extension;
use crate::section::Extension;
use crate::source::{Source, out_of_range};
use crate::tags::TagList;

impl<'a> Library<'a> {
    /// Parses the bytes of one library.
    ///
    /// What is unknown but framed (tags, types, platforms, sections) is carried; what
    /// differs from the canonical layout is noted in
    /// [`irregularities`](Library::irregularities).
    ///
    /// # Errors
    /// If the framing is lost: no `MTLB`, a container other than 1.2, a file shorter
    /// than its header says, a range outside of it, a list without `ENDT`, a known tag
    /// of an impossible size.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Parser::new(bytes)?.library()
    }
}

/// State of one parse.
struct Parser<'a> {
    source: Source<'a>,
    dialect: Option<Dialect>,
    functions: Vec<Function<'a>>,
    modules: Vec<Module<'a>>,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self> {
        let header = Header::parse(bytes)?;
        let length = bytes.len() as u64;
        if header.file_size > length {
            let what = format!(
                "the header says {} bytes, the input has {length}: it was cut",
                header.file_size
            );
            return Err(Error::new(ErrorKind::Value { what }, 16).within("header"));
        }
        Ok(Self {
            source: Source { bytes, header, irregular: Irregularities::default() },
            dialect: None,
            functions: Vec::new(),
            modules: Vec::new(),
        })
    }

    fn library(mut self) -> Result<Library<'a>> {
        let list_end = self.function_list().within(|| "function list")?;
        let extension = read_extension(&mut self.source, list_end).within(|| "header extension")?;
        self.metadata()?;
        self.bitcode()?;
        self.references(extension.as_ref());
        self.regions(list_end, extension.as_ref());
        let guess = match &extension {
            Some(tags) if tags.get(FourCc::UUID).is_some() => Dialect::Linker,
            Some(tags) if tags.get(FourCc::HDYN).is_some() => Dialect::Linker,
            _ => Dialect::Archiver,
        };
        Ok(Library {
            identity: self.source.header.identity,
            dialect: self.dialect.unwrap_or(guess),
            functions: self.functions,
            modules: self.modules,
            extension,
            source: Some(self.source),
        })
    }

    /// Reads the function list; gives its end.
    fn function_list(&mut self) -> Result<u64> {
        let stated = self.source.header.functions;
        if stated.offset != HEADER_SIZE {
            let what = format!("the function list begins at {:#x}, not at 0x58", stated.offset);
            self.source.irregular.note(24, what);
        }
        // The stated size does not count the u32 in front of the groups.
        let range = Range64 { offset: stated.offset, size: stated.size.saturating_add(4) };
        let mut cursor = self.source.range(range, "function list")?;
        let functions = &mut self.functions;
        let mut repeated = Irregularities::default();
        let rule = SizeWord::Inclusive;
        read_list(&mut cursor, "function", rule, &mut self.source.irregular, |index, _, tags| {
            let function = Function { tags, ..Function::default() };
            if let Some((id, offset)) = check_tags(&function)? {
                repeated.note(offset, format!("tag {id} occurs twice in function {index}"));
            }
            functions.push(function);
            Ok(())
        })?;
        self.source.irregular.append(repeated);
        Ok(range.end())
    }

    /// Reads the public and private group of every function with OFFT.
    fn metadata(&mut self) -> Result<()> {
        let mut functions = std::mem::take(&mut self.functions);
        for public in [true, false] {
            let (range, what) = if public {
                (self.source.header.public, "public metadata")
            } else {
                (self.source.header.private, "private metadata")
            };
            let section = self.source.range(range, what).within(|| what)?;
            let mut expected = 0;
            let mut budget = Budget::of(range.size);
            for (index, function) in functions.iter_mut().enumerate() {
                let Some(offsets) = function.offsets() else { continue };
                let start = if public { offsets.public } else { offsets.private };
                if start != expected {
                    let what = format!("{what} of function {index} is not behind the previous one");
                    self.source.irregular.note(range.offset.saturating_add(start), what);
                }
                let (tags, size) = self
                    .metadata_group(section.rest(), range, start, what)
                    .within(|| what)
                    .within(|| function.place(index))?;
                budget.spend(size, range.offset, what)?;
                expected = start + size;
                *(if public { &mut function.public } else { &mut function.private }) = tags;
            }
            if expected != range.size {
                let what = format!("the {what} is {} bytes, its groups {expected}", range.size);
                self.source.irregular.note(range.offset, what);
            }
        }
        self.functions = functions;
        Ok(())
    }

    /// Reads one metadata group up to its `ENDT`, as loaders do, whatever its size word
    /// says; gives the size it really has.
    fn metadata_group(
        &mut self,
        section: &'a [u8],
        range: Range64,
        start: u64,
        holder: &'static str,
    ) -> Result<(TagList<'a>, u64)> {
        let absolute = range.offset.saturating_add(start);
        let rest = usize::try_from(start).ok().and_then(|start| section.get(start..));
        let Some(rest) = rest else {
            let group = Range64 { offset: absolute, size: 8 };
            return Err(out_of_range("group", group, range.end(), holder));
        };
        let mut cursor = Cursor::new(rest, absolute);
        let word = u64::from(cursor.u32("group size")?);
        let tags = TagList::read(&mut cursor)?;
        let length = tags.as_bytes().len() as u64;
        let seen = [Dialect::Archiver, Dialect::Linker]
            .into_iter()
            .find(|dialect| dialect.metadata_size_word(length) == word);
        let dialect = *self.dialect.get_or_insert(seen.unwrap_or(Dialect::Linker));
        if seen != Some(dialect) {
            let expected = dialect.metadata_size_word(length);
            let what = format!("group size is {word}, expected {expected} ({dialect} dialect)");
            self.source.irregular.note(absolute, what);
        }
        Ok((tags, group_size(length)))
    }

    /// Finds the modules: their ranges, sharing, and the bytes between them.
    fn bitcode(&mut self) -> Result<()> {
        let range = self.source.header.bitcode;
        let section =
            self.source.range(range, "bitcode section").within(|| "bitcode section")?.rest();
        let mut functions = std::mem::take(&mut self.functions);
        let mut spans: Vec<(usize, usize)> = Vec::new();
        let mut known = None;
        let mut last_end = 0;
        let mut total = 0;
        for (index, function) in functions.iter_mut().enumerate() {
            let Some(offsets) = function.offsets() else { continue };
            let span = module_span(section, range, offsets, function)
                .within(|| "module")
                .within(|| function.place(index))?;
            let module = section.get(span.0..span.1).unwrap_or_default();
            if function.stored_module_size().is_none() && Wrapper::parse(module).is_none() {
                // It is taken to reach to the end, which holds only as long as it is the last.
                let what = format!(
                    "neither MDSZ nor a wrapper gives the size of function {index}'s module"
                );
                self.source.irregular.note(range.offset.saturating_add(offsets.bitcode), what);
            }
            // A module behind all others is new; the others are looked up.
            let is_new = span.0 >= last_end && span.0 < span.1;
            let found = if is_new { None } else { find_span(&mut known, &spans, span) };
            let id = found.unwrap_or_else(|| {
                spans.push(span);
                total += (span.1 - span.0) as u64;
                u32::try_from(spans.len() - 1).unwrap_or(u32::MAX)
            });
            last_end = last_end.max(span.1);
            function.module = Some(ModuleId(id));
        }
        Budget::of(range.size).spend(total, range.offset, "bitcode section")?;
        self.functions = functions;
        self.lay_modules(section, &spans);
        Ok(())
    }

    /// Makes the modules and notes where they do not follow one another.
    fn lay_modules(&mut self, section: &'a [u8], spans: &[(usize, usize)]) {
        let base = self.source.header.bitcode.offset;
        if let Some(&(first, _)) = spans.first()
            && first != 0
        {
            self.source.irregular.note(base, format!("{first} bytes in front of the first module"));
        }
        if spans.is_empty() && !section.is_empty() {
            self.source
                .irregular
                .note(base, format!("{} bytes of bitcode without function", section.len()));
        }
        let mut sorted = spans.to_vec();
        sorted.sort_unstable();
        for (index, &(start, end)) in spans.iter().enumerate() {
            let offset = base + start as u64;
            if spans.get(index + 1).is_some_and(|&(next, _)| next < end) {
                let what =
                    format!("module {index} and the one after it are out of order or overlap");
                self.source.irregular.note(offset, what);
            }
            // Up to the next module in the section, whatever the order of the functions, so
            // that the tails together are never larger than the section.
            let behind = sorted.partition_point(|&other| other <= (start, end));
            let next = sorted.get(behind).map_or(section.len(), |&(next, _)| next);
            let bytes = section.get(start..end).unwrap_or_default();
            let tail = section.get(end..next).unwrap_or_default();
            self.modules.push(Module::stored(bytes, tail, offset));
        }
    }

    /// Turns SOFF and RFLT into indices; notes those that point at nothing.
    fn references(&mut self, extension: Option<&Extension<'a>>) {
        let sources = extension.and_then(Extension::sources);
        let reflection = extension.and_then(|extension| extension.buffers(FourCc::RLST));
        let id = |index: usize| u32::try_from(index).ok();
        for (index, function) in self.functions.iter_mut().enumerate() {
            if let Some(offset) = function.word(FourCc::SOFF) {
                let found = sources.and_then(|sources| sources.find(offset)).and_then(id);
                function.archive = found.map(ArchiveId);
                if found.is_none() {
                    let what = format!("SOFF of function {index} points at no source archive");
                    self.source.irregular.note(tag_offset(function, FourCc::SOFF), what);
                }
            }
            if let Some(offset) = function.word(FourCc::RFLT) {
                let found = reflection.and_then(|list| list.find(offset)).and_then(id);
                function.reflection = found.map(BufferId);
                if found.is_none() {
                    let what = format!("RFLT of function {index} points at no reflection entry");
                    self.source.irregular.note(tag_offset(function, FourCc::RFLT), what);
                }
            }
        }
    }

    /// Checks that the sections follow one another without gap, and end with the file.
    fn regions(&mut self, list_end: u64, extension: Option<&Extension<'a>>) {
        let extension_size = extension.map_or(0, Extension::encoded_size);
        let header = self.source.header;
        let mut position = list_end + extension_size;
        let mut check = |irregular: &mut Irregularities, what: &str, range: Range64, at: u64| {
            if range.offset != position {
                let what = format!("{what} begins at {:#x}, expected {position:#x}", range.offset);
                irregular.note(at, what);
            }
            position = range.end();
        };
        check(&mut self.source.irregular, "public metadata", header.public, 40);
        check(&mut self.source.irregular, "private metadata", header.private, 56);
        check(&mut self.source.irregular, "bitcode section", header.bitcode, 72);
        for tag in extension.into_iter().flat_map(Extension::sections) {
            check(
                &mut self.source.irregular,
                &format!("section {}", tag.id),
                tag.range,
                tag.offset,
            );
        }
        let length = self.source.bytes.len() as u64;
        if position != length {
            let what = format!("the last section ends at {position:#x}, the file at {length:#x}");
            self.source.irregular.note(position, what);
        }
        if header.file_size != length {
            let what =
                format!("the header says {} bytes, the input has {length}", header.file_size);
            self.source.irregular.note(16, what);
        }
    }
}

/// Bounds what overlapping parts may add up to, so that work stays linear in the input.
struct Budget {
    left: u64,
}

impl Budget {
    /// Parts may add up to four times the section, and a little more for small ones.
    fn of(section: u64) -> Self {
        Self { left: section.saturating_mul(4).saturating_add(1 << 16) }
    }

    fn spend(&mut self, size: u64, offset: u64, section: &'static str) -> Result<()> {
        match self.left.checked_sub(size) {
            Some(left) => self.left = left,
            None => {
                let what = "parts of the section overlap: together they are more than four times \
                            its size";
                let kind = ErrorKind::Value { what: what.to_owned() };
                return Err(Error::new(kind, offset).within(section));
            }
        }
        Ok(())
    }
}

fn tag_offset(function: &Function<'_>, id: FourCc) -> u64 {
    function.tags.get(id).map_or(0, |tag| tag.offset)
}

/// Tags of a function whose sizes are fixed, in bytes.
const FIXED: [(FourCc, u64); 9] = [
    (FourCc::TYPE, 1),
    (FourCc::HASH, 32),
    (FourCc::MDSZ, 8),
    (FourCc::OFFT, 24),
    (FourCc::VERS, 8),
    (FourCc::SOFF, 8),
    (FourCc::RFLT, 8),
    (FourCc::LAYR, 1),
    (FourCc::TESS, 1),
];

/// Tags of a function that the writer computes.
const COMPUTED: [FourCc; 5] =
    [FourCc::HASH, FourCc::MDSZ, FourCc::OFFT, FourCc::SOFF, FourCc::RFLT];

/// Checks the sizes of a function's tags; gives the first computed one that it has twice,
/// so that nobody knows which of the two is meant.
fn check_tags(function: &Function<'_>) -> Result<Option<(FourCc, u64)>> {
    let (mut seen, mut repeated) = ([false; FIXED.len()], None);
    for tag in function.tags.iter() {
        let known = FIXED.iter().zip(&mut seen).find(|((id, _), _)| *id == tag.id);
        let Some((&(_, expected), seen)) = known else { continue };
        let found = tag.payload.len() as u64;
        if found != expected {
            let kind = ErrorKind::TagSize { tag: tag.id, found, expected };
            return Err(Error::new(kind, tag.offset).within(format_args!("tag {}", tag.id)));
        }
        if std::mem::replace(seen, true) && COMPUTED.contains(&tag.id) {
            repeated.get_or_insert((tag.id, tag.offset));
        }
    }
    let name = function.tags.get(FourCc::NAME);
    if let Some(tag) = name.filter(|tag| tag.payload.last() != Some(&0)) {
        let kind = ErrorKind::Unterminated { what: "name" };
        return Err(Error::new(kind, tag.offset).within("tag NAME"));
    }
    Ok(repeated)
}

/// Index of a span among those before it. The table is made when it is first needed.
fn find_span(
    known: &mut Option<HashMap<(usize, usize), u32>>,
    spans: &[(usize, usize)],
    span: (usize, usize),
) -> Option<u32> {
    let known = known.get_or_insert_default();
    // All spans are different, so those in front are in the table. (Skipping them in an
    // iterator would walk over them, for every look-up.)
    let first = known.len();
    for (index, &span) in spans.get(first..).unwrap_or_default().iter().enumerate() {
        known.insert(span, u32::try_from(first + index).unwrap_or(u32::MAX));
    }
    known.get(&span).copied()
}

/// Start and end of a function's module in the bitcode section.
///
/// MDSZ says how long it is; where it is missing, the wrapper; where that is missing
/// too, the module is taken to be the rest of the section.
fn module_span(
    section: &[u8],
    range: Range64,
    offsets: Offsets,
    function: &Function<'_>,
) -> Result<(usize, usize)> {
    let start = usize::try_from(offsets.bitcode).ok().filter(|&start| start <= section.len());
    let rest = start.and_then(|start| section.get(start..));
    let size = match (function.stored_module_size(), rest) {
        (Some(size), _) => size,
        (None, Some(rest)) => Wrapper::parse(rest).map_or(rest.len() as u64, |w| w.module_size()),
        (None, None) => 0,
    };
    let end = start.and_then(|start| start.checked_add(usize::try_from(size).ok()?));
    match (start, end.filter(|&end| end <= section.len())) {
        (Some(start), Some(end)) => Ok((start, end)),
        _ => {
            let offset = range.offset.saturating_add(offsets.bitcode);
            let module = Range64 { offset, size };
            Err(out_of_range("module", module, range.end(), "the bitcode section"))
        }
    }
}
