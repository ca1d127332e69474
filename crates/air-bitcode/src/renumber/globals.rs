//! The module's own records, attachments and names: which operands are values, metadata, types,
//! attributes or sections.

use crate::error::Result;
use crate::ids::{metadata as metadata_codes, module as codes, vst};
use crate::renumber::Coded;
use crate::renumber::reference::{Form, Kind, Slot};
use crate::renumber::unknown;

/// Puts the operands of a record of the module block that refer to something into `to`.
pub(crate) fn slots(
    record: &impl Coded,
    operands: &[u64],
    version: u64,
    to: &mut Vec<Slot>,
) -> Result<()> {
    // Version 2 begins with offset and size of the name.
    let front = if version >= 2 { 2 } else { 0 };
    let count = operands.len().saturating_sub(front);
    let mut slot = |index, kind, form| {
        if index < count {
            to.push(Slot::new(front + index, kind, form));
        }
    };
    match record.code() {
        codes::VERSION
        | codes::TRIPLE
        | codes::DATALAYOUT
        | codes::ASM
        | codes::SECTIONNAME
        | codes::DEPLIB
        | codes::GCNAME
        | codes::COMDAT
        | codes::VSTOFFSET
        | codes::SOURCE_FILENAME => {}
        // type, flags, initial value, linkage, alignment, section, visibility, thread, unnamed,
        // initialized elsewhere, storage, comdat, attributes, preemption, partition, sanitizers,
        // code model
        codes::GLOBALVAR if count <= 18 => {
            slot(0, Kind::Type, Form::Plain);
            slot(2, Kind::Value, Form::PlusOne);
            slot(5, Kind::Section, Form::PlusOne);
            slot(12, Kind::Attributes, Form::PlusOne);
        }
        // type, convention, prototype, linkage, attributes, alignment, section, visibility,
        // collector, unnamed, prologue, storage, comdat, prefix, personality, …, partition
        codes::FUNCTION if count <= 19 => {
            slot(0, Kind::Type, Form::Plain);
            slot(4, Kind::Attributes, Form::PlusOne);
            slot(6, Kind::Section, Form::PlusOne);
            [10, 13, 14].into_iter().for_each(|index| slot(index, Kind::Value, Form::PlusOne));
        }
        // type, value, linkage, …; newer: type, address space, value, linkage, …
        codes::ALIAS_OLD => {
            slot(0, Kind::Type, Form::Plain);
            slot(1, Kind::Value, Form::Plain);
        }
        codes::ALIAS | codes::IFUNC if count <= 11 => {
            slot(0, Kind::Type, Form::Plain);
            slot(2, Kind::Value, Form::Plain);
        }
        _ => return Err(unknown(record, "MODULE")),
    }
    Ok(())
}

/// The same of a record of attachments: instruction (none for the function), pairs of kind and
/// metadata. Instructions are counted apart, whether they give a value or not.
pub(crate) fn attachment_slots(
    record: &impl Coded,
    operands: &[u64],
    to: &mut Vec<Slot>,
) -> Result<()> {
    if record.code() != metadata_codes::ATTACHMENT {
        return Err(unknown(record, "METADATA_ATTACHMENT"));
    }
    let first = operands.len() % 2 + 1;
    let slots = (first..operands.len()).step_by(2);
    to.extend(slots.map(|index| Slot::new(index, Kind::Metadata, Form::Plain)));
    Ok(())
}

/// The same of a record of a value symbol table.
pub(crate) fn name_slots(record: &impl Coded, to: &mut Vec<Slot>) -> Result<()> {
    match record.code() {
        vst::BBENTRY => {}
        vst::ENTRY | vst::FNENTRY => to.push(Slot::new(0, Kind::Value, Form::Plain)),
        _ => return Err(unknown(record, "VALUE_SYMTAB")),
    }
    Ok(())
}
