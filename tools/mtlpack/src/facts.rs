//! What modules say of the whole of themselves: target, producer, versions, options.

use std::collections::BTreeMap;

use air_bitcode::Module;
use metallib::Library;

use crate::error::Result;
use crate::io::Input;
use crate::modules::{self, Users};

/// What a module says of the whole of itself. What it does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Target triple, such as `air64-apple-macosx14.0.0`.
    pub triple: Option<String>,
    /// What made it, as `llvm.ident` says, or else the symbol table.
    pub producer: Option<String>,
    /// AIR version, such as `2.6.0`.
    pub air: Option<String>,
    /// Source language and its version, such as `Metal 3.1.0`.
    pub language: Option<String>,
    /// Compile options, such as `air.compile.fast_math_enable`.
    pub compile_options: Vec<String>,
}

impl Facts {
    /// Reads a module, in its wrapper or without.
    ///
    /// # Errors
    /// If it is no bitcode, or damaged.
    pub fn read(bytes: &[u8]) -> air_bitcode::Result<Self> {
        let module = Module::parse(bytes)?;
        let info = module.air_info()?;
        let producer = match info.producer {
            Some(producer) => Some(producer),
            None => module.symbol_table()?.map(|table| table.producer()).transpose()?.map(text),
        };
        let dotted = |[major, minor, patch]: [i64; 3]| format!("{major}.{minor}.{patch}");
        Ok(Self {
            triple: module.triple()?,
            producer: producer.filter(|producer| !producer.is_empty()),
            air: info.version.map(dotted),
            language: info
                .language
                .map(|language| format!("{} {}", language.name, dotted(language.version))),
            compile_options: info.compile_options,
        })
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// As many modules that cannot be read are named.
const SHOWN: usize = 8;

/// What the modules of a library say of themselves, all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BitcodeInfo {
    /// Number of modules that were read: those of no bytes and damaged ones are not counted.
    pub modules: u64,
    /// Target triples, what most modules have first.
    pub triples: Vec<Counted>,
    /// What made the modules.
    pub producers: Vec<Counted>,
    /// AIR versions, with patch level.
    pub air_versions: Vec<Counted>,
    /// Source languages and their versions.
    pub languages: Vec<Counted>,
    /// Compile options, each by itself.
    pub compile_options: Vec<Counted>,
    /// Number of modules that cannot be read.
    pub unread: u64,
    /// The first of them.
    pub errors: Vec<UnreadModule>,
}

/// Something that modules say, and how many of them do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Counted {
    /// What they say.
    pub value: String,
    /// How many do.
    pub modules: u64,
}

/// A module that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct UnreadModule {
    /// Which one: number, function, offset.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

/// Reads what every module of a library says of itself, on as many threads.
///
/// The library is to have been read from the input, which is seen through windows. All
/// metadata of the modules is decoded, so this takes far longer than [`info`](crate::info()).
///
/// # Errors
/// If the input cannot be read to its end. A damaged module is none.
pub fn bitcode_info(input: &Input, library: &Library<'_>, threads: usize) -> Result<BitcodeInfo> {
    let mut all = Counts::default();
    let each = |some: &mut Counts, index, bytes: &[u8]| some.add(index, bytes);
    modules::fold(input, library, threads, each, |some| {
        all.merge(some);
        Ok(())
    })?;
    Ok(all.finish(library))
}

type Tally = BTreeMap<String, u64>;

/// What some modules say.
#[derive(Default)]
struct Counts {
    modules: u64,
    /// Triples, producers, AIR versions, languages, options.
    tallies: [Tally; 5],
    unread: u64,
    errors: Vec<(usize, air_bitcode::Error)>,
}

impl Counts {
    fn add(&mut self, index: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let facts = match Facts::read(bytes) {
            Ok(facts) => facts,
            Err(error) => {
                self.unread += 1;
                if self.errors.len() < SHOWN {
                    self.errors.push((index, error));
                }
                return;
            }
        };
        self.modules += 1;
        let mut options = facts.compile_options;
        options.sort_unstable();
        options.dedup();
        let single = |fact: Option<String>| fact.into_iter().collect::<Vec<_>>();
        let facts = [facts.triple, facts.producer, facts.air, facts.language].map(single);
        for (tally, values) in self.tallies.iter_mut().zip(facts.into_iter().chain([options])) {
            values.into_iter().for_each(|value| *tally.entry(value).or_insert(0) += 1);
        }
    }

    fn merge(&mut self, other: Self) {
        self.modules += other.modules;
        self.unread += other.unread;
        self.errors.extend(other.errors);
        self.errors.truncate(SHOWN);
        for (tally, more) in self.tallies.iter_mut().zip(other.tallies) {
            more.into_iter().for_each(|(value, count)| *tally.entry(value).or_insert(0) += count);
        }
    }

    fn finish(self, library: &Library<'_>) -> BitcodeInfo {
        let users = Users::new(library);
        let unread = |(index, error): (usize, air_bitcode::Error)| UnreadModule {
            place: modules::place(library, &users, index),
            what: error.to_string(),
        };
        let [triples, producers, air_versions, languages, compile_options] =
            self.tallies.map(by_count);
        BitcodeInfo {
            modules: self.modules,
            triples,
            producers,
            air_versions,
            languages,
            compile_options,
            unread: self.unread,
            errors: self.errors.into_iter().map(unread).collect(),
        }
    }
}

/// The values, what most modules have first.
fn by_count(tally: Tally) -> Vec<Counted> {
    let mut counted: Vec<Counted> =
        tally.into_iter().map(|(value, modules)| Counted { value, modules }).collect();
    counted.sort_by_key(|one| std::cmp::Reverse(one.modules));
    counted
}
