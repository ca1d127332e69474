//! Modules: size, wrapper, padding, sharing.

use metallib::{
    BITCODE_MAGIC, FourCc, Function, Library, MODULE_ALIGNMENT, Module, WRAPPER_MAGIC,
    WRAPPER_SIZE, Wrapper,
};

use super::findings::{Findings, Kind, Severity};
use crate::scan::ModuleFacts;

/// Magic number of compressed modules (reported, no sample).
const COMPRESSED: [u8; 4] = [0x1b, 0xc7, 0xd0, 0x0e];

/// One module with the function that uses it first.
struct Subject<'s, 'a> {
    index: usize,
    function: &'s Function<'a>,
    module: &'s Module<'a>,
    facts: &'s ModuleFacts,
}

impl Subject<'_, '_> {
    fn place(&self) -> String {
        format!("{} > module", self.function.place(self.index))
    }

    fn size(&self) -> u64 {
        self.module.bytes().len() as u64
    }

    fn add(&self, findings: &mut Findings, kind: (Severity, Kind), at: u64, what: String) {
        findings.add(kind, self.module.offset() + at, || self.place(), || what);
    }
}

pub(super) fn check(library: &Library<'_>, facts: &[ModuleFacts], findings: &mut Findings) {
    let mut users: Vec<Option<usize>> = vec![None; library.modules().len()];
    for (index, function) in library.functions().iter().enumerate() {
        let Some(id) = function.module.map(metallib::ModuleId::index) else { continue };
        let Some(user) = users.get_mut(id) else { continue };
        if let Some(first) = *user {
            check_shared(library, first, index, function, findings);
            continue;
        }
        *user = Some(index);
        if let (Some(module), Some(facts)) = (library.modules().get(id), facts.get(id)) {
            check_module(&Subject { index, function, module, facts }, findings);
        }
    }
}

/// Dynamic libraries share one module; no known executable does.
fn check_shared(
    library: &Library<'_>,
    first: usize,
    index: usize,
    function: &Function<'_>,
    findings: &mut Findings,
) {
    if library.is_dynamic() {
        return;
    }
    let offset = function.tags.get(FourCc::OFFT).map_or(0, |tag| tag.offset);
    let place = || format!("{} > tag OFFT", function.place(index));
    let what = || format!("shares the module of function {first}, though no dynamic library");
    findings.add((Severity::Note, Kind::Shared), offset, place, what);
}

fn check_module(subject: &Subject<'_, '_>, findings: &mut Findings) {
    check_tail(subject, findings);
    if subject.size() == 0 {
        let what = "the module is 0 bytes".to_owned();
        return subject.add(findings, (Severity::Warning, Kind::ModuleSize), 0, what);
    }
    match Wrapper::parse(subject.facts.head()) {
        Some(wrapper) => check_wrapper(subject, wrapper, findings),
        None => check_unwrapped(subject, findings),
    }
}

fn check_unwrapped(subject: &Subject<'_, '_>, findings: &mut Findings) {
    let head = subject.facts.head().get(..4).unwrap_or(subject.facts.head());
    if head == BITCODE_MAGIC {
        let what = "raw bitcode, expected the 20-byte wrapper in front of it".to_owned();
        subject.add(findings, (Severity::Warning, Kind::Wrapper), 0, what);
        check_alignment(subject, findings);
    } else if head == WRAPPER_MAGIC.to_le_bytes() {
        let what = format!("the module is {} bytes, its wrapper alone takes 20", subject.size());
        subject.add(findings, (Severity::Error, Kind::ModuleSize), 0, what);
    } else if head == COMPRESSED {
        let what = "a compressed module, which is not checked further".to_owned();
        subject.add(findings, (Severity::Note, Kind::Wrapper), 0, what);
    } else {
        let hex: Vec<String> = head.iter().map(|byte| format!("{byte:02x}")).collect();
        let what = format!("begins with {}, expected the wrapper (de c0 17 0b)", hex.join(" "));
        subject.add(findings, (Severity::Error, Kind::Wrapper), 0, what);
    }
}

fn check_wrapper(subject: &Subject<'_, '_>, wrapper: Wrapper, findings: &mut Findings) {
    let fields = [
        (4, "version", wrapper.version, 0),
        (8, "bitcode offset", wrapper.offset, WRAPPER_SIZE),
        (16, "CPU type", wrapper.cpu_type, u32::MAX),
    ];
    for (at, name, found, expected) in fields {
        if found != expected {
            let what = format!("the wrapper's {name} is {found:#x}, expected {expected:#x}");
            subject.add(findings, (Severity::Warning, Kind::Wrapper), at, what);
        }
    }
    if !wrapper.size.is_multiple_of(4) {
        let what = format!("the bitcode is {} bytes, not a multiple of 4", wrapper.size);
        subject.add(findings, (Severity::Warning, Kind::Wrapper), 12, what);
    }
    check_size(subject, wrapper, findings);
    let magic = subject.facts.head().get(WRAPPER_SIZE as usize..).unwrap_or_default();
    if wrapper.offset == WRAPPER_SIZE && magic != BITCODE_MAGIC {
        let what = "no bitcode (42 43 c0 de) behind the wrapper".to_owned();
        subject.add(findings, (Severity::Error, Kind::Wrapper), 20, what);
    }
    let sound = wrapper.offset == WRAPPER_SIZE && wrapper.module_size() == subject.size();
    if let Some(at) = subject.facts.dirty.filter(|_| sound) {
        let what = "the padding behind the bitcode is not zero".to_owned();
        subject.add(findings, (Severity::Warning, Kind::Padding), at, what);
    }
}

/// MDSZ, or the place that the module has, against the wrapper.
fn check_size(subject: &Subject<'_, '_>, wrapper: Wrapper, findings: &mut Findings) {
    let end = u64::from(wrapper.offset) + u64::from(wrapper.size);
    let (found, expected) = (subject.size(), wrapper.module_size());
    if found == expected {
        return;
    }
    if found == end {
        return check_alignment(subject, findings);
    }
    let tag = subject.function.tags.get(FourCc::MDSZ);
    let severity = if found < end { Severity::Error } else { Severity::Warning };
    let what = || format!("the module is {found} bytes, its wrapper says {expected}");
    let (offset, place) = match tag {
        Some(tag) => (tag.offset, format!("{} > tag MDSZ", subject.function.place(subject.index))),
        None => (subject.module.offset(), subject.place()),
    };
    findings.add((severity, Kind::ModuleSize), offset, || place, what);
}

fn check_alignment(subject: &Subject<'_, '_>, findings: &mut Findings) {
    let size = subject.size();
    if !size.is_multiple_of(MODULE_ALIGNMENT) {
        let what = format!("the module is {size} bytes, not padded to a multiple of 16");
        subject.add(findings, (Severity::Warning, Kind::Padding), size, what);
    }
}

/// Some files of 2015, without MDSZ, have one zero byte behind each module.
fn check_tail(subject: &Subject<'_, '_>, findings: &mut Findings) {
    let tail = subject.module.tail();
    let old = subject.function.tags.get(FourCc::MDSZ).is_none() && tail == [0];
    if !tail.is_empty() && !old {
        let what = format!("{} bytes between this module and the next", tail.len());
        subject.add(findings, (Severity::Warning, Kind::Padding), subject.size(), what);
    }
}
