//! The sink of a plan.

use std::io::Write;

use metallib_write::Plan;

use super::failure::Failure;
use crate::io::{Input, OutputFile};

/// Writes all pieces of a plan, and the UUID when they are hashed.
pub(super) fn write(
    plan: &Plan<'_>,
    _inputs: &[&Input],
    output: &mut OutputFile,
    _threads: usize,
) -> Result<(), Failure> {
    let mut pending = plan.uuid_hasher();
    for piece in plan.pieces() {
        if let Some((_, hasher)) = pending.as_mut().filter(|_| piece.hashed) {
            hasher.update(piece.bytes);
        }
        output.write_all(piece.bytes)?;
    }
    if let Some((offset, hasher)) = pending {
        output.write_at(offset, &hasher.finish())?;
    }
    Ok(())
}
