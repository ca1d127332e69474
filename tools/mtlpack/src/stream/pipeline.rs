//! Batches that are made side by side, and taken one after another.
//!
//! Making a batch needs no other batch; what follows (one hash over everything, a file) has
//! to see them in order. Each thread does what is next: whoever finds a batch that a stage
//! waits for takes it there, else makes another one. So any number of threads shares the work
//! evenly, whatever the parts of it cost, and one thread does it batch by batch.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::{Error, Result};
use crate::io::IoError;

/// Batches that may be made before the slowest stage has taken them.
const AHEAD: usize = 4;

/// What takes every batch, in order.
pub(super) type Stage<'s, M> = Box<dyn FnMut(&M) -> Result<()> + Send + 's>;

/// Makes `count` batches and hands each to every stage.
///
/// # Errors
/// The first error of making or taking a batch.
pub(super) fn run<M: Send + Sync>(
    count: usize,
    threads: usize,
    make: impl Fn(usize) -> Result<M> + Sync,
    stages: Vec<Stage<'_, M>>,
) -> Result<()> {
    let progress = vec![Progress::default(); stages.len()];
    let pipeline = Pipeline {
        count,
        make,
        stages: stages.into_iter().map(Mutex::new).collect(),
        state: Mutex::new(State { next: 0, made: BTreeMap::new(), progress, failed: None }),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            let worker = thread::Builder::new().spawn_scoped(scope, || pipeline.work());
            if let Err(error) = worker {
                pipeline.fail(IoError::from(error).into());
            }
        }
        pipeline.work();
    });
    let state = pipeline.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failed.map_or(Ok(()), Err)
}

struct Pipeline<'s, M, F> {
    count: usize,
    make: F,
    stages: Vec<Mutex<Stage<'s, M>>>,
    state: Mutex<State<M>>,
    /// A batch was made or taken, or something failed.
    changed: Condvar,
}

struct State<M> {
    /// The next batch to make.
    next: usize,
    /// Batches that a stage has still to take.
    made: BTreeMap<usize, Arc<M>>,
    progress: Vec<Progress>,
    failed: Option<Error>,
}

/// How far a stage is.
#[derive(Clone, Copy, Default)]
struct Progress {
    /// Batches taken.
    taken: usize,
    /// Whether a thread is at the next one.
    busy: bool,
}

/// What a thread does next.
enum Job<M> {
    Make(usize),
    Take { stage: usize, batch: Arc<M> },
    Wait,
    End,
}

impl<M> State<M> {
    fn job(&mut self, count: usize) -> Job<M> {
        let slowest = self.progress.iter().map(|stage| stage.taken).min();
        let slowest = slowest.unwrap_or(self.next);
        if self.failed.is_some() || slowest == count && self.next == count {
            return Job::End;
        }
        for (stage, progress) in self.progress.iter_mut().enumerate() {
            if let (false, Some(batch)) = (progress.busy, self.made.get(&progress.taken)) {
                progress.busy = true;
                return Job::Take { stage, batch: Arc::clone(batch) };
            }
        }
        if self.next < count && self.next < slowest + AHEAD {
            self.next += 1;
            return Job::Make(self.next - 1);
        }
        Job::Wait
    }

    /// A stage has taken its next batch.
    fn took(&mut self, stage: usize) {
        if let Some(progress) = self.progress.get_mut(stage) {
            progress.taken += 1;
            progress.busy = false;
        }
        let slowest = self.progress.iter().map(|stage| stage.taken).min().unwrap_or(0);
        self.made = self.made.split_off(&slowest);
    }
}

impl<M: Send + Sync, F: Fn(usize) -> Result<M> + Sync> Pipeline<'_, M, F> {
    /// Does what is next until there is nothing left.
    fn work(&self) {
        let alarm = Alarm(self);
        loop {
            let mut state = self.lock();
            let job = loop {
                match state.job(self.count) {
                    Job::Wait => {
                        state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    }
                    job => break job,
                }
            };
            drop(state);
            let done = match job {
                Job::Make(index) => self.make(index),
                Job::Take { stage, batch } => self.take(stage, &batch),
                Job::Wait | Job::End => break,
            };
            if let Err(error) = done {
                self.fail(error);
            }
        }
        drop(alarm);
    }

    fn make(&self, index: usize) -> Result<()> {
        let batch = (self.make)(index)?;
        let mut state = self.lock();
        if !state.progress.is_empty() {
            state.made.insert(index, Arc::new(batch));
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    fn take(&self, stage: usize, batch: &M) -> Result<()> {
        if let Some(stage) = self.stages.get(stage) {
            // Only one thread is at a stage, so this never waits.
            let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
            stage(batch)?;
        }
        self.lock().took(stage);
        self.changed.notify_all();
        Ok(())
    }
}

impl<M, F> Pipeline<'_, M, F> {
    fn lock(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the first error, and lets all threads end.
    fn fail(&self, error: Error) {
        self.lock().failed.get_or_insert(error);
        self.changed.notify_all();
    }
}

/// Lets the other threads end if this one panics, so that the panic is seen.
struct Alarm<'a, 's, M, F>(&'a Pipeline<'s, M, F>);

impl<M, F> Drop for Alarm<'_, '_, M, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail(Error::refused("a thread that edits modules died"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_stage_sees_every_batch_in_order() {
        for threads in [0, 1, 2, 5] {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            let stages: Vec<Stage<'_, usize>> = vec![
                Box::new(|batch| {
                    first.push(*batch);
                    Ok(())
                }),
                Box::new(|batch| {
                    second.push(*batch);
                    Ok(())
                }),
            ];
            run(100, threads, |index| Ok(index * 2), stages).unwrap();
            let expected: Vec<usize> = (0..100).map(|index| index * 2).collect();
            assert_eq!(first, expected);
            assert_eq!(second, expected);
        }
    }

    #[test]
    fn without_stages_all_is_made() {
        let made = AtomicUsize::new(0);
        let make = |_| {
            made.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        run(50, 2, make, Vec::new()).unwrap();
        assert_eq!(made.into_inner(), 50);
        run(0, 2, |_| Ok(()), Vec::new()).unwrap();
    }

    #[test]
    fn the_first_error_ends_it() {
        for threads in [1, 3] {
            let make = |index| match index {
                7 => Err(Error::refused("seven")),
                _ => Ok(index),
            };
            let error = run(1000, threads, make, vec![Box::new(|_| Ok(()))]).unwrap_err();
            assert_eq!(error.to_string(), "seven");
            let taking: Stage<'_, usize> = Box::new(|batch| match batch {
                9 => Err(Error::refused("nine")),
                _ => Ok(()),
            });
            let error = run(1000, threads, Ok, vec![taking]).unwrap_err();
            assert_eq!(error.to_string(), "nine");
        }
    }

    #[test]
    fn few_batches_wait() {
        let (made, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let make = |index| {
            let ahead = made.fetch_add(1, Ordering::SeqCst) - taken.load(Ordering::SeqCst);
            assert!(ahead <= AHEAD, "{ahead}");
            Ok(index)
        };
        let stage: Stage<'_, usize> = Box::new(|_| {
            taken.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        run(500, 4, make, vec![stage]).unwrap();
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_not_waited_for() {
        let caller = thread::current().id();
        let make = |index: usize| {
            assert!(thread::current().id() == caller, "another thread");
            Ok(index)
        };
        let slow: Stage<'_, usize> = Box::new(|_| {
            thread::sleep(std::time::Duration::from_millis(1));
            Ok(())
        });
        run(10_000, 3, make, vec![slow]).unwrap();
    }
}
