//! Writing a plan to a file in one pass, with little memory.
//!
//! The pieces of a plan borrow from the mappings of the inputs. Written from there, every
//! page of a library of 200 MB would become resident and stay so. Pieces that lie in an
//! input are therefore read again through short-lived windows of about a megabyte, and a
//! pending UUID is hashed from the same windows, beside the writing if there are two threads.

mod batch;
mod draft;
mod modules;
mod pipeline;
mod sources;
#[cfg(test)]
mod tests;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;

use metallib_write::{Plan, UuidHasher};

use crate::error::Result;
use crate::io::{Input, OutputFile};
use batch::{Batch, batches};

pub use draft::{Written, plan_draft, write_draft};

/// Outputs from this size on are brought to the disk while they are written.
const LARGE: u64 = 16 << 20;

/// A signal to the thread that syncs wakes it, which costs more than what it asks for is worth
/// for each batch: batches of this module and of a draft from one to the next.
const SIGNAL: usize = 4;
const DRAFT_SIGNAL: usize = 16;

/// Batches that may wait for the hashing thread.
const WAITING: usize = 4;

/// Writes the pieces of a plan to an output, which the caller finishes.
///
/// `inputs` are those whose libraries the plan was made of; pieces from elsewhere are written
/// as they are. A pending UUID is hashed in the same pass and patched in. With `threads` of 2
/// or more the hashing has a thread of its own; more do not help, since one hash goes over
/// everything.
///
/// # Errors
/// If the output cannot be written, or an input was changed since it was opened.
///
/// # Examples
/// ```no_run
/// use mtlpack::io::{Input, OutputFile};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let input = Input::open("default.metallib")?;
/// let library = metallib::Library::parse(input.bytes())?;
/// let plan = metallib_write::Plan::new(&library, metallib_write::WriteOptions::default())?;
/// let mut output = OutputFile::create("copy.metallib")?;
/// mtlpack::stream::write(&plan, &[&input], &mut output, 2)?;
/// output.finish()?;
/// # Ok(())
/// # }
/// ```
pub fn write(
    plan: &Plan<'_>,
    inputs: &[&Input],
    output: &mut OutputFile,
    threads: usize,
) -> Result<()> {
    let Some(early) = output.early_sync().filter(|_| plan.total_size() >= LARGE) else {
        return write_all(plan, inputs, output, threads, || ());
    };
    // The disk is slower than the rest, so it begins while there is more to write. The
    // thread does nothing but wait; a signal that finds it waiting is not needed.
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<()>(0);
        scope.spawn(move || receiver.iter().for_each(|()| early.sync()));
        let signal = now_and_then(SIGNAL, move || _ = sender.try_send(()));
        write_all(plan, inputs, output, threads, signal)
    })
}

/// Calls `signal` each time that it was called so often.
fn now_and_then(often: usize, mut signal: impl FnMut()) -> impl FnMut() {
    let mut calls = 0_usize;
    move || {
        calls += 1;
        if calls.is_multiple_of(often) {
            signal();
        }
    }
}

/// Writes, hashes and patches; calls `written` before each batch is written.
fn write_all(
    plan: &Plan<'_>,
    inputs: &[&Input],
    output: &mut OutputFile,
    threads: usize,
    mut written: impl FnMut(),
) -> Result<()> {
    let start = output.written();
    let (offset, hasher) = plan.uuid_hasher().unzip();
    let batches = batches(plan.pieces(), inputs).inspect(|_| written());
    let uuid = write_batches(batches, hasher, output, threads)?;
    match offset.zip(uuid) {
        Some((offset, uuid)) => Ok(output.write_at(start + offset, &uuid)?),
        None => Ok(()),
    }
}

/// Writes batches, and ends the hash of a pending UUID with them.
fn write_batches<'p>(
    mut batches: impl Iterator<Item = Result<Batch<'p>>>,
    hasher: Option<UuidHasher>,
    output: &mut OutputFile,
    threads: usize,
) -> Result<Option<[u8; 16]>> {
    match (hasher, threads) {
        (None, _) => batches.try_for_each(|batch| batch?.write(output)).map(|()| None),
        (Some(hasher), 0 | 1) => hash_between(batches, hasher, output).map(Some),
        (Some(hasher), _) => hash_beside(batches, hasher, output).map(Some),
    }
}

/// Writes and hashes batch by batch.
fn hash_between<'p>(
    batches: impl Iterator<Item = Result<Batch<'p>>>,
    mut hasher: UuidHasher,
    output: &mut OutputFile,
) -> Result<[u8; 16]> {
    for batch in batches {
        let batch = batch?;
        batch.write(output)?;
        batch.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Writes here and hashes in a second thread, which is at most [`WAITING`] batches behind.
fn hash_beside<'p>(
    mut batches: impl Iterator<Item = Result<Batch<'p>>>,
    mut hasher: UuidHasher,
    output: &mut OutputFile,
) -> Result<[u8; 16]> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Arc<Batch<'p>>>(WAITING);
        let hashing = scope.spawn(move || {
            receiver.iter().for_each(|batch| batch.hash(&mut hasher));
            hasher.finish()
        });
        let written = batches.try_for_each(|batch| {
            let batch = Arc::new(batch?);
            // It fails only if the other thread panicked, which `join` tells.
            let _ = sender.send(Arc::clone(&batch));
            batch.write(output)
        });
        drop(sender);
        let uuid = hashing.join().unwrap_or_else(|panic| resume_unwind(panic));
        written.map(|()| uuid)
    })
}
