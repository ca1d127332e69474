//! `explain`: what Metal and its tools say when a library does not load, and what to do.
//!
//! One table holds all of it; `docs/messages.md` is made of the same table.

/// A message, and what is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Message {
    /// The message as it is printed; `…` stands for what differs from case to case.
    pub message: &'static str,
    /// Who says it.
    pub from: &'static str,
    /// Why.
    pub cause: &'static str,
    /// The field of the file that it is about.
    pub field: &'static str,
    /// The command that shows or mends it.
    pub command: &'static str,
}

/// All messages that are known, in the order of the page.
pub const MESSAGES: &[Message] = &[
    Message {
        message: "This library is using a deployment target (0x…) that is not supported on this OS.",
        from: "Metal, when the library is loaded",
        cause: "The AIR version is newer than the system: the number is its major and minor version, \
                so 0x00020008 is AIR 2.8, of the systems of version 26. Tools take the version of the SDK \
                unless they are told a deployment target.",
        field: "tag VERS of the first function; `air.version` and the triple of its module",
        command: "mtlpack check FILE --min-os macos14",
    },
    Message {
        message: "This library is using language version … which is not supported on this OS.",
        from: "Metal, when the library is loaded",
        cause: "The version of the Metal language is newer than the system. It follows the SDK unless \
                the compiler is told one with -std.",
        field: "tag VERS of the first function",
        command: "mtlpack check FILE --max-msl 3.1",
    },
    Message {
        message: "Function … is using language version … which is incompatible with this OS.",
        from: "Metal, when a pipeline is made",
        cause: "The library loaded, for its first function is old enough, but this function was \
                compiled for a newer version of the language.",
        field: "tag VERS of the function; `air.language_version` of its module",
        command: "mtlpack check FILE --max-msl 3.1",
    },
    Message {
        message: "This library format is not supported on this platform (or was built with an old version of the tools)",
        from: "Metal, when the library is loaded",
        cause: "The library is for another platform: for macOS on iOS, for devices on a simulator, or \
                the other way round.",
        field: "header: macOS flag and platform byte; triple of the modules",
        command: "mtlpack check FILE --platform ios-simulator",
    },
    Message {
        message: "Failed to upgrade function bitcode",
        from: "Metal, when a pipeline is made",
        cause: "The module has opaque pointers, but says an AIR version that has none (2.7 or older).",
        field: "`air.version` and the type table of the module",
        command: "mtlpack check FILE",
    },
    Message {
        message: "MTLLibrary is not formatted as a MetalLib file",
        from: "Metal and programs that read libraries",
        cause: "The file does not begin with MTLB: it is empty, a text (a Git-LFS pointer, a source), \
                a module by itself (.air), or a universal file or binary archive.",
        field: "the first four bytes",
        command: "mtlpack info FILE",
    },
    Message {
        message: "Fat library file but no AIR slice",
        from: "Metal, when the library is loaded",
        cause: "A universal file holds code for GPUs alone, or no slice of an AIR version that the \
                system knows.",
        field: "table of the universal file",
        command: "mtlpack info FILE",
    },
    Message {
        message: "library not found",
        from: "programs that look for their library (Failed to load the default metallib)",
        cause: "No file at any of the places where the program looks. Nothing is wrong with a file.",
        field: "none",
        command: "mtlpack info FILE",
    },
    Message {
        message: "Invalid UUID",
        from: "Xcode and metal-source, of a library and its companion",
        cause: "Library and symbol companion (.metallibsym) come from two builds.",
        field: "header extension: tag UUID of both",
        command: "mtlpack join LIBRARY COMPANION --check",
    },
    Message {
        message: "duplicate symbol",
        from: "linkers of Metal libraries",
        cause: "Two inputs define a function of one name.",
        field: "function list: tag NAME",
        command: "mtlpack merge A B --on-duplicate rename:PREFIX -o OUT",
    },
    Message {
        message: "type is not a valid MTLFunctionType.",
        from: "Metal, when a function is made",
        cause: "The function is one of a dynamic library, which is no entry point.",
        field: "tag TYPE of the function: 3, unqualified",
        command: "mtlpack list FILE",
    },
];

/// The messages that a text is about, the best first: those whose words it has, in any case.
///
/// ```
/// let found = mtlpack::explain("deployment target (0x00020008) not supported");
/// assert!(found[0].cause.contains("AIR 2.8"));
/// assert!(mtlpack::explain("segmentation fault").is_empty());
/// ```
#[must_use]
pub fn explain(text: &str) -> Vec<&'static Message> {
    let asked = words(text);
    let mut found: Vec<(usize, &'static Message)> = MESSAGES
        .iter()
        .filter_map(|message| {
            let known = words(message.message);
            let shared = known.iter().filter(|word| asked.contains(word)).count();
            // Half of the words of the shorter of the two, and two at the least.
            let enough = known.len().min(asked.len()).div_ceil(2).max(2);
            (shared >= enough).then_some((shared * 100 / known.len().max(1), message))
        })
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let best = found.first().map_or(0, |(score, _)| *score);
    found.into_iter().filter(|(score, _)| score * 2 > best).map(|(_, message)| message).collect()
}

/// Words that are in many messages.
const COMMON: [&str; 18] = [
    "a", "an", "and", "as", "but", "file", "in", "is", "it", "library", "of", "on", "or", "that",
    "the", "this", "to", "with",
];

/// The words of a text that tell something, in lower case, each once. Numbers tell nothing.
fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric());
    let mut words: Vec<String> = split.map(str::to_lowercase).collect();
    words.retain(|word| {
        !word.starts_with(|c: char| c.is_ascii_digit()) && !COMMON.contains(&word.as_str())
    });
    words.retain(|word| !word.is_empty());
    words.sort();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_finds_itself_first() {
        for message in MESSAGES {
            assert_eq!(explain(message.message).first(), Some(&message), "{}", message.message);
            assert_eq!(explain(&message.message.to_uppercase()).first(), Some(&message));
        }
    }

    /// As they stand in public reports, with what is around them.
    #[test]
    fn messages_as_people_report_them() {
        let cases = [
            (
                "jit_metal_init(): could not instantiate the utility kernel library for device \"M3\": \
                 This library is using a deployment target (0x00020008) that is not supported on this OS.",
                "This library is using a deployment target",
            ),
            (
                "RuntimeError: Failed to load the default metallib. This library is using language \
                 version 4.0 which is not supported on this OS",
                "This library is using language version",
            ),
            (
                "Error Domain=MTLLibraryErrorDomain Code=1 \"This library format is not supported on \
                 this platform (or was built with an old version of the tools)\"",
                "This library format",
            ),
            (
                "Function kernel_41 is using language version 4.1 which is incompatible with this OS.",
                "Function … is using language",
            ),
            ("Error: Invalid UUID", "Invalid UUID"),
        ];
        for (text, start) in cases {
            let first = explain(text).first().map(|found| found.message).unwrap_or_default();
            assert!(first.starts_with(start), "{text}: {first}");
        }
        for text in ["", "segmentation fault", "the library", "0x00020008"] {
            assert!(explain(text).is_empty(), "{text}");
        }
    }
}
