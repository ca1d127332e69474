//! RETR and ARGR: what a Core Image function gives and takes.

use air_bitcode::EntryLists;
use metallib::metadata::{Argument, DetailedType, encode_arguments, encode_detailed_type};
use metallib::{DataType, FourCc};

use super::entry::{data_type, name_of, unknown_type};
use super::keys::{Keys, shown};
use super::{Result, Subject};

/// The kind of textures of which a sample is known: bits 0 to 4 are 2 (2d), access is sample.
const TEXTURE_2D: u8 = 2;

/// Payload of RETR: the one output.
pub(super) fn return_type(subject: &Subject<'_>, lists: &EntryLists<'_>) -> Result<Vec<u8>> {
    let [output] = &lists.outputs[..] else {
        let what = format!("{} outputs, expected one", lists.outputs.len());
        return Err(subject.refuse(FourCc::RETR, what));
    };
    let mut payload = Vec::new();
    let data_type = detailed_type(subject, FourCc::RETR, Keys::new(output))?;
    encode_detailed_type(&mut payload, &data_type);
    Ok(payload)
}

/// Payload of ARGR: the inputs in order.
pub(super) fn arguments(subject: &Subject<'_>, lists: &EntryLists<'_>) -> Result<Vec<u8>> {
    let refuse = |what: String| subject.refuse(FourCc::ARGR, what);
    let mut arguments = Vec::new();
    for terms in &lists.inputs {
        let Some((number, keys)) = Keys::of_input(terms) else {
            return Err(refuse("an input has no number".to_owned()));
        };
        let Some(name) = keys.text("air.arg_name") else {
            return Err(refuse(format!("argument {number} has no name")));
        };
        let name = name_of(subject, FourCc::ARGR, name)?;
        let data_type = detailed_type(subject, FourCc::ARGR, keys)?;
        arguments.push(Argument { name, data_type });
    }
    encode_arguments(&arguments).map_err(|error| refuse(error.to_string()))
}

fn detailed_type(subject: &Subject<'_>, tag: FourCc, keys: Keys<'_, '_>) -> Result<DetailedType> {
    let name = keys.text("air.arg_type_name").unwrap_or_default();
    let known = match keys.kind {
        _ if keys.is_conditional => None,
        b"air.ci_builtin" => return data_type(subject, tag, name).map(DetailedType::Plain),
        b"air.ci_sampler" => Some(DetailedType::Plain(DataType::SAMPLER)),
        b"air.ci_texture" => texture(name, keys),
        b"air.ci_pointer" => {
            let element = data_type(subject, tag, name)?;
            pointer(element, keys)
        }
        _ => None,
    };
    known.ok_or_else(|| {
        let what = format!("{} of {}", shown(keys.kind), unknown_type(name));
        subject.refuse(tag, what)
    })
}

/// `texture2d<float, sample>`. Others were not seen.
fn texture(name: &[u8], keys: Keys<'_, '_>) -> Option<DetailedType> {
    let component = name.strip_prefix(b"texture2d<")?.strip_suffix(b", sample>")?;
    Some(DetailedType::Texture {
        data_type: super::types::type_of(component)?,
        length: u32::try_from(keys.integer("air.location_count")?).ok()?,
        kind: TEXTURE_2D,
    })
}

/// What is read through a pointer. Other access was not seen.
fn pointer(element: DataType, keys: Keys<'_, '_>) -> Option<DetailedType> {
    if !keys.has("air.read") {
        return None;
    }
    Some(DetailedType::Pointer {
        access: 0,
        alignment: u8::try_from(keys.integer("air.arg_type_align_size")?).ok()?,
        size: u64::try_from(keys.integer("air.arg_type_size")?).ok()?,
        element: Box::new(DetailedType::Plain(element)),
    })
}
