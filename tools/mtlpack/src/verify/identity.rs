//! Header bytes 4 to 15: container, kind, platform and OS.

use metallib::{FileType, Identity, Library, Platform};

use super::findings::{Findings, Kind, Severity};

const CONTAINER: u64 = 8;
const TYPE: u64 = 10;
const PLATFORM: u64 = 11;
const OS: u64 = 12;

pub(super) fn check(library: &Library<'_>, findings: &mut Findings) {
    let identity = library.identity();
    let mut add = |severity, kind, offset, what: String| {
        findings.add((severity, kind), offset, || "header", || what);
    };
    let container = identity.container;
    if !(2..=9).contains(&container.patch()) {
        let what = format!("container {container} is unknown, 1.2.2 to 1.2.9 were seen");
        add(Severity::Note, Kind::UnknownValue, CONTAINER, what);
    }
    check_file_type(identity, &mut add);
    if container.has_platform() {
        check_platform(identity, &mut add);
    } else {
        check_no_platform(identity, &mut add);
    }
    if library.functions().is_empty() {
        let size = library.source_bytes().map_or(0, <[u8]>::len);
        let what = format!(
            "the library has no functions ({size} bytes); linkers write such a file with \
             success when nothing was given to them"
        );
        add(Severity::Error, Kind::Empty, metallib::HEADER_SIZE, what);
    }
}

fn check_file_type(identity: &Identity, add: &mut impl FnMut(Severity, Kind, u64, String)) {
    if let FileType::Unknown(code) = identity.file_type() {
        let what = format!("file type {code} is unknown, 0 to 3 were seen");
        add(Severity::Note, Kind::UnknownValue, TYPE, what);
    }
    if identity.is_stub() {
        let what = "the file type is marked as a stub, which no known library is".to_owned();
        add(Severity::Error, Kind::Empty, TYPE, what);
    }
    let (byte, container) = (identity.type_byte, identity.container);
    if byte != 0 && container.patch() < 4 {
        let what = format!("container {container} has no file types, found {byte}, expected 0");
        add(Severity::Warning, Kind::Identity, TYPE, what);
    }
}

fn check_platform(identity: &Identity, add: &mut impl FnMut(Severity, Kind, u64, String)) {
    let byte = identity.platform_byte;
    let Some(platform) = identity.platform() else {
        let container = identity.container;
        let what = format!("container {container} records the platform, but the byte is 0");
        return add(Severity::Warning, Kind::Identity, PLATFORM, what);
    };
    if byte & 0x80 == 0 {
        let what = format!("platform byte is {byte:#04x}, bit 7 is set in all known libraries");
        add(Severity::Note, Kind::UnknownValue, PLATFORM, what);
    }
    if Platform::from_name(&platform.to_string()).is_none() {
        let what = format!("platform byte {byte:#04x} is unknown");
        return add(Severity::Note, Kind::UnknownValue, PLATFORM, what);
    }
    if platform.is_mac() != identity.is_mac() {
        let (found, expected) = if identity.is_mac() { ("set", "clear") } else { ("clear", "set") };
        let what =
            format!("the macOS flag is {found}, platform {platform} expects it to be {expected}");
        add(Severity::Error, Kind::Identity, 4, what);
    }
}

fn check_no_platform(identity: &Identity, add: &mut impl FnMut(Severity, Kind, u64, String)) {
    let (byte, container) = (identity.platform_byte, identity.container);
    if byte != 0 {
        let what = format!("container {container} has no platform, found {byte:#04x}, expected 0");
        add(Severity::Warning, Kind::Identity, PLATFORM, what);
    }
    let os = identity.os;
    if os != metallib::OsVersion::default() {
        let what = format!("container {container} has no OS version, found {os}, expected 0");
        add(Severity::Warning, Kind::Identity, OS, what);
    }
}
