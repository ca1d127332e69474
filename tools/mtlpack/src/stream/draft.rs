//! Writing a draft: its modules are edited batch by batch, between reading and writing.

use std::io::Write as _;
use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread;

use metallib_write::{Frame, ModuleFacts, Region, UuidAction, UuidHasher, hashed_sections};

use super::modules::{Made, ModuleBatches};
use super::pipeline::{Stage, run};
use super::{DRAFT_SIGNAL, LARGE, now_and_then, write};
use crate::draft::{Draft, EditTotals};
use crate::error::{Error, Result};
use crate::io::{Input, IoError, OutputFile};

/// What became of a draft.
#[derive(Clone, Debug)]
pub struct Written {
    /// Bytes of the library.
    pub size: u64,
    /// The parts of the library in order, for people.
    pub regions: Vec<Region>,
    /// What was decided on the user's behalf, one sentence each.
    pub notes: Vec<String>,
}

/// Writes a draft to an output, which the caller finishes.
///
/// `inputs` are those whose libraries the draft was made of. Modules are edited and hashed by
/// as many threads as `threads` says, while the UUID, one hash over everything, and the file
/// are continued in order. Memory stays at a few small batches beside what the
/// library's lists need; a single module that is larger is edited as a whole.
///
/// # Errors
/// If a module cannot be read or edited, the library cannot be laid out, the output cannot be
/// written, or an input was changed since it was opened.
pub fn write_draft(
    draft: &Draft<'_>,
    inputs: &[&Input],
    output: &mut OutputFile,
    threads: usize,
) -> Result<Written> {
    if draft.is_finished() {
        let plan = draft.edited().plan()?;
        write(&plan, inputs, output, threads)?;
        let (size, regions) = (plan.total_size(), plan.regions().to_vec());
        return Ok(Written { size, regions, notes: draft.notes().to_vec() });
    }
    let batches = ModuleBatches::new(draft, inputs);
    let Some(early) = output.early_sync().filter(|_| batches.size() >= LARGE) else {
        return write_edited(&batches, output, threads, || ());
    };
    // As in `write`: the disk is slower than the rest.
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<()>(0);
        scope.spawn(move || receiver.iter().for_each(|()| early.sync()));
        let signal = now_and_then(DRAFT_SIGNAL, move || _ = sender.try_send(()));
        write_edited(&batches, output, threads, signal)
    })
}

/// Edits the modules as [`write_draft`] does, and tells what it would write.
///
/// # Errors
/// As [`write_draft`], but for the output.
pub fn plan_draft(draft: &Draft<'_>, inputs: &[&Input], threads: usize) -> Result<Written> {
    if draft.is_finished() {
        let plan = draft.edited().plan()?;
        let (size, regions) = (plan.total_size(), plan.regions().to_vec());
        return Ok(Written { size, regions, notes: draft.notes().to_vec() });
    }
    let batches = ModuleBatches::new(draft, inputs);
    let mut facts = Facts::default();
    let hashed = |index| batches.make(index).map(Made::hashed);
    run(batches.count(), threads, hashed, vec![facts.stage()])?;
    let frame = facts.frame(draft)?;
    let mut regions = made(frame.head())?.regions().to_vec();
    regions.push(frame.bitcode());
    regions.extend(made(frame.tail(|_, _| {}))?);
    Ok(facts.written(draft, frame.layout().file_size, regions))
}

/// Writes a draft that has modules to edit; calls `written` before each batch is written.
fn write_edited(
    modules: &ModuleBatches<'_, '_>,
    output: &mut OutputFile,
    threads: usize,
    mut written: impl FnMut() + Send,
) -> Result<Written> {
    let draft = modules.draft();
    let library = &draft.edited().library;
    let start = output.written();
    // What stands in front of the bitcode is known when all modules are.
    write_zeros(Frame::bitcode_offset(library), output)?;
    let mut hasher = match draft.edited().uuid {
        UuidAction::Recompute(form) if library.uuid().is_some() => {
            Some(UuidHasher::new(form, *library.identity(), library.is_dynamic()))
        }
        _ => None,
    };
    let mut facts = Facts::default();
    let mut stages: Vec<Stage<'_, Made<'_>>> = Vec::new();
    // One thread hashes a module beside the UUID, several two modules beside each other.
    let is_alone = threads < 2 && hasher.is_some();
    match (is_alone, hasher.as_mut()) {
        (true, Some(hasher)) => stages.push(Box::new(|made| {
            let hashes = hasher.update_beside_modules(made.bytes(), &made.unhashed());
            facts.take(made, hashes);
            Ok(())
        })),
        (_, hasher) => {
            stages.push(facts.stage());
            if let Some(hasher) = hasher {
                stages.push(Box::new(|made| {
                    hasher.update(made.bytes());
                    Ok(())
                }));
            }
        }
    }
    let sink: &mut OutputFile = output;
    stages.push(Box::new(move |made| {
        written();
        Ok(sink.write_all(made.bytes()).map_err(IoError::from)?)
    }));
    let make = |index| {
        let made = modules.make(index)?;
        Ok(if is_alone { made } else { made.hashed() })
    };
    run(modules.count(), threads, make, stages)?;
    write_around(&facts, draft, start, hasher, (output, threads))
}

fn write_zeros(mut count: u64, output: &mut OutputFile) -> Result<()> {
    let zeros = vec![0; 256 << 10];
    while count > 0 {
        let part = usize::try_from(count).unwrap_or(usize::MAX).min(zeros.len());
        let zeros = zeros.get(..part).unwrap_or_default();
        output.write_all(zeros).map_err(IoError::from)?;
        count -= part as u64;
    }
    Ok(())
}

/// Writes what is around the modules, which were written from `start` on behind room for it.
fn write_around(
    facts: &Facts,
    draft: &Draft<'_>,
    start: u64,
    hasher: Option<UuidHasher>,
    (output, threads): (&mut OutputFile, usize),
) -> Result<Written> {
    let library = &draft.edited().library;
    thread::scope(|scope| {
        // What is hashed does not depend on the layout, which a second thread need not wait for.
        let (beside, between) = if threads > 1 { (hasher, None) } else { (None, hasher) };
        let hashing = beside.map(|mut hasher| {
            scope.spawn(move || {
                made(hashed_sections(library, |bytes| hasher.update(bytes)))?;
                Ok::<_, Error>(hasher.finish())
            })
        });
        let frame = facts.frame(draft)?;
        let mut regions = vec![frame.bitcode()];
        let (tail, between) = write_tail(&frame, between, output)?;
        regions.extend(tail);
        let head = made(frame.head())?;
        let mut position = start;
        for piece in head.pieces() {
            output.write_at(position, piece.bytes)?;
            position += piece.bytes.len() as u64;
        }
        regions.splice(..0, head.regions().iter().cloned());
        let beside = hashing.map(|hashing| hashing.join().unwrap_or_else(|p| resume_unwind(p)));
        let uuid = beside.transpose()?.or(between);
        if let (Some(offset), Some(uuid)) = (frame.uuid_offset(), uuid) {
            output.write_at(start + offset, &uuid)?;
        }
        Ok(facts.written(draft, frame.layout().file_size, regions))
    })
}

/// Writes what is behind the modules, and ends the hash of a UUID with it.
fn write_tail(
    frame: &Frame<'_>,
    mut hasher: Option<UuidHasher>,
    output: &mut OutputFile,
) -> Result<(Vec<Region>, Option<[u8; 16]>)> {
    let mut written = Ok(());
    let regions = frame.tail(|bytes, hashed| {
        if written.is_ok() {
            written = output.write_all(bytes);
        }
        if let (true, Some(hasher)) = (hashed, &mut hasher) {
            hasher.update(bytes);
        }
    });
    written.map_err(IoError::from)?;
    Ok((made(regions)?, hasher.map(UuidHasher::finish)))
}

/// What is found out about modules while they are made.
#[derive(Default)]
struct Facts {
    modules: Vec<ModuleFacts>,
    totals: EditTotals,
}

impl Facts {
    fn stage(&mut self) -> Stage<'_, Made<'_>> {
        Box::new(|made| {
            self.take(made, Vec::new());
            Ok(())
        })
    }

    /// Takes a batch with the hashes of the modules that were still to be hashed.
    fn take(&mut self, made: &Made<'_>, hashes: Vec<[u8; 32]>) {
        let start = self.modules.len();
        self.modules.extend_from_slice(made.facts());
        made.put_hashes(self.modules.get_mut(start..).unwrap_or_default(), hashes);
        self.totals.add(made.totals());
    }

    fn frame<'d>(&'d self, draft: &'d Draft<'_>) -> Result<Frame<'d>> {
        made(Frame::new(&draft.edited().library, &self.modules))
    }

    fn written(&self, draft: &Draft<'_>, size: u64, regions: Vec<Region>) -> Written {
        let mut notes = draft.notes().to_vec();
        notes.extend(self.totals.notes());
        Written { size, regions, notes }
    }
}

/// What was made of the output, or why it cannot be.
fn made<T>(result: metallib::Result<T>) -> Result<T> {
    result.map_err(Error::library("output"))
}
