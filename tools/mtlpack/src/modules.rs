//! Looks into the modules of a library: batch by batch, on as many threads as asked for.
//!
//! A batch is a few megabytes of neighbouring modules, seen through one window of the
//! input, so that of a large mapped file only the present windows are resident.

use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::thread;

use metallib::{Library, Module, ModuleId};

use crate::error::{Error, Result};
use crate::io::{Input, IoError};

/// Most bytes of a batch, but for a module that is larger itself.
const BATCH: u64 = 4 << 20;

/// Results of a thread that may wait to be taken.
const AHEAD: usize = 2;

/// Modules that follow one another, and where they lie in the input.
#[derive(Debug, PartialEq, Eq)]
struct Batch {
    modules: Range<usize>,
    range: Range<u64>,
}

/// Calls `each` with every module, its number and an accumulator that is new for each
/// batch; `done` takes the accumulators, in the order of the modules.
///
/// `each` runs on the threads, `done` on the calling one.
pub(crate) fn fold<A: Default + Send>(
    input: &Input,
    library: &Library<'_>,
    threads: usize,
    each: impl Fn(&mut A, usize, &[u8]) + Sync,
    mut done: impl FnMut(A) -> Result<()>,
) -> Result<()> {
    let batches = batches(input, library.modules());
    let run = |batch: &Batch| read(input, library.modules(), batch, &each);
    let threads = threads.min(batches.len());
    if threads < 2 {
        return batches.iter().try_for_each(|batch| done(run(batch)?));
    }
    thread::scope(|scope| {
        let mut results = Vec::with_capacity(threads);
        for first in 0..threads {
            let (sender, receiver) = sync_channel(AHEAD);
            let mut own = batches.iter().skip(first).step_by(threads);
            let run = &run;
            // Nobody takes results any more once `done` failed.
            let work = move || own.try_for_each(|batch| sender.send(run(batch)));
            thread::Builder::new().spawn_scoped(scope, work).map_err(IoError::from)?;
            results.push(receiver);
        }
        for receiver in results.iter().cycle().take(batches.len()) {
            let died = |_| Error::refused("a thread that reads modules died");
            done(receiver.recv().map_err(died)??)?;
        }
        Ok(())
    })
}

/// Gives the modules of one batch.
fn read<A: Default>(
    input: &Input,
    modules: &[Module<'_>],
    batch: &Batch,
    each: &impl Fn(&mut A, usize, &[u8]),
) -> Result<A> {
    let mut result = A::default();
    let window = input.wide_window(batch.range.clone()).map_err(IoError::from)?;
    let start = window.range().start;
    let in_window = |module: &Module<'_>| {
        let offset = input.offset_of(module.bytes())?.checked_sub(start)?;
        window.get(usize::try_from(offset).ok()?..)?.get(..module.bytes().len())
    };
    for index in batch.modules.clone() {
        let Some(module) = modules.get(index) else { continue };
        each(&mut result, index, in_window(module).unwrap_or(module.bytes()));
    }
    Ok(result)
}

/// Cuts the modules into batches. Those that lie in no input are in memory anyway.
fn batches(input: &Input, modules: &[Module<'_>]) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for (index, module) in modules.iter().enumerate() {
        let range = input
            .offset_of(module.bytes())
            .map_or(0..0, |start| start..start.saturating_add(module.bytes().len() as u64));
        if !batches.last_mut().is_some_and(|last| last.admit(index, &range)) {
            batches.push(Batch { modules: index..index + 1, range });
        }
    }
    batches
}

impl Batch {
    /// Takes the next module too, unless the window would become too large.
    fn admit(&mut self, index: usize, range: &Range<u64>) -> bool {
        let both = match (self.range.is_empty(), range.is_empty()) {
            (_, true) => self.range.clone(),
            (true, false) => range.clone(),
            _ => self.range.start.min(range.start)..self.range.end.max(range.end),
        };
        let fits = both.end - both.start <= BATCH;
        if fits {
            (self.modules.end, self.range) = (index + 1, both);
        }
        fits
    }
}

/// Which functions use each module.
pub(crate) struct Users {
    /// Modules and the functions that use them, sorted.
    pairs: Vec<(Option<usize>, usize)>,
}

impl Users {
    pub(crate) fn new(library: &Library<'_>) -> Self {
        let functions = library.functions().iter().enumerate();
        let mut pairs: Vec<_> = functions
            .map(|(index, function)| (function.module.map(ModuleId::index), index))
            .collect();
        pairs.sort_unstable();
        Self { pairs }
    }

    /// The functions that use a module, or have none, in the order of the library: pairs of
    /// the module and a function.
    pub(crate) fn of(&self, module: Option<usize>) -> &[(Option<usize>, usize)] {
        let is_of = |index: usize| self.pairs.get(index).is_some_and(|(found, _)| *found == module);
        // In most libraries each function has a module of its own, in the same order.
        if let Some(index) = module
            && is_of(index)
            && !is_of(index + 1)
            && (index == 0 || !is_of(index - 1))
        {
            return self.pairs.get(index..=index).unwrap_or_default();
        }
        let start = self.pairs.partition_point(|(found, _)| *found < module);
        let rest = self.pairs.get(start..).unwrap_or_default();
        let count = rest.partition_point(|(found, _)| *found == module);
        rest.get(..count).unwrap_or_default()
    }
}

/// Where a module is, for messages: its number, the first of its functions, its offset.
pub(crate) fn place(library: &Library<'_>, users: &Users, module: usize) -> String {
    let function = users.of(Some(module)).first();
    let function = function.and_then(|(_, index)| library.functions().get(*index));
    let name = function.map_or_else(String::new, |f| format!(" of `{}`", f.name()));
    let offset = library.modules().get(module).map_or(0, Module::offset);
    format!("module {module}{name} at offset {offset:#x}")
}

#[cfg(test)]
mod tests {
    use metallib::{
        Container, Dialect, FileType, FunctionSpec, FunctionType, LibraryBuilder, OsVersion,
        Platform, Versions,
    };

    use super::*;
    use crate::Edited;

    /// A library of modules of these sizes; the first is shared by two functions.
    fn library(sizes: &[usize]) -> Vec<u8> {
        let os = OsVersion { major: 14, minor: 0, update: 0 };
        let (container, kind) = (Container::new(8), FileType::Executable);
        let mut builder =
            LibraryBuilder::new(Dialect::Linker, container, Platform::MACOS, os, kind);
        let spec = |name: String, module| {
            FunctionSpec::new(name, FunctionType::KERNEL, Versions::default(), module)
        };
        for (index, size) in sizes.iter().enumerate() {
            let byte = u8::try_from(index).unwrap();
            builder.add(spec(format!("f{index}"), vec![byte; *size])).unwrap();
        }
        builder.add_sharing(spec("again".to_owned(), Vec::new()), ModuleId::from_index(0)).unwrap();
        Edited::unchanged(builder.finish().unwrap()).to_vec().unwrap()
    }

    /// Modules as they are given: number, size, first byte.
    fn given(input: &Input, library: &Library<'_>, threads: usize) -> Vec<(usize, usize, u8)> {
        let mut all = Vec::new();
        let each = |some: &mut Vec<_>, index, bytes: &[u8]| {
            some.push((index, bytes.len(), bytes.first().copied().unwrap_or(0)));
        };
        fold(input, library, threads, each, |some| {
            all.extend(some);
            Ok(())
        })
        .unwrap();
        all
    }

    #[test]
    fn gives_every_module_once_in_order() {
        let sizes: Vec<usize> = [16, 700_000, 600_000, 3 << 20, 32, 48].repeat(3);
        let bytes = library(&sizes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.metallib");
        std::fs::write(&path, &bytes).unwrap();
        let mapped = Input::open(&path).unwrap();
        let memory = Input::from_bytes("a", bytes);
        let elsewhere = Input::from_bytes("b", Vec::new());
        for input in [&mapped, &memory] {
            let library = Library::parse(input.bytes()).unwrap();
            // Cut where 4 MiB would be passed: 16 + .7M + .6M | 3 MiB + .. + .7M | .6M + 3 MiB + .. and so on.
            assert_eq!(batches(input, library.modules()).len(), 5);
            let expected: Vec<_> = (0..)
                .zip(&sizes)
                .map(|(index, size)| (index, *size, u8::try_from(index).unwrap()))
                .collect();
            for threads in [1, 2, 3, 50] {
                assert_eq!(given(input, &library, threads), expected, "{threads}");
            }
            assert_eq!(given(&elsewhere, &library, 2), expected);
        }
    }

    #[test]
    fn stops_when_nobody_wants_more() {
        let input = Input::from_bytes("a", library(&[2 << 20; 8]));
        let library = Library::parse(input.bytes()).unwrap();
        for threads in [1, 2] {
            let mut calls = 0;
            let done = |()| {
                calls += 1;
                Err(Error::refused("enough"))
            };
            let error = fold(&input, &library, threads, |(), _, _| {}, done).unwrap_err();
            assert_eq!((error.to_string().as_str(), calls), ("enough", 1));
        }
    }

    #[test]
    fn knows_who_uses_a_module() {
        let bytes = library(&[16, 32]);
        let library = Library::parse(&bytes).unwrap();
        let users = Users::new(&library);
        let of = |module| users.of(module).iter().map(|(_, f)| *f).collect::<Vec<_>>();
        assert_eq!((of(Some(0)), of(Some(1)), of(Some(2))), (vec![0, 2], vec![1], vec![]));
        assert!(of(None).is_empty());
        let place = place(&library, &users, 1);
        let offset = library.modules()[1].offset();
        assert_eq!(place, format!("module 1 of `f1` at offset {offset:#x}"));
    }
}
