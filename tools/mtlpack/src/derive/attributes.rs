//! VATT and VATY: what a vertex function is given for each vertex.

use air_bitcode::{Bodies, EntryLists};
use metallib::FourCc;
use metallib::metadata::{
    VertexAttribute, encode_vertex_attribute_types, encode_vertex_attributes,
};

use super::entry::{data_type, name_of};
use super::keys::{Keys, shown};
use super::{Result, Subject};

/// The inputs that are attributes.
const INPUT: &[u8] = b"air.vertex_input";

/// Inputs of tessellated patches. VATT is reported to have them too, with other bits; no known
/// library shows it.
const PATCH_INPUTS: [&[u8]; 2] = [b"air.patch_input", b"air.patch_control_point_input"];

/// The largest index that VATT has room for.
const INDEX: i64 = 0x1fff;

/// The bit of an attribute whose argument the function uses.
const ACTIVE: u16 = 0x8000;

/// Payloads of VATT and VATY, in the order of the inputs; none if there is no attribute.
///
/// An attribute is active if its argument has a use in the function's body. The key
/// `air.arg_unused` does not say so: older compilers leave it out.
pub(super) fn attributes(
    subject: &Subject<'_>,
    lists: &EntryLists<'_>,
    bodies: &mut Bodies<'_, '_>,
) -> Result<Option<[Vec<u8>; 2]>> {
    let mut inputs = Vec::new();
    for terms in &lists.inputs {
        let Some((argument, keys)) = Keys::of_input(terms) else { continue };
        if PATCH_INPUTS.contains(&keys.kind) {
            let what = format!("input {} is not known to be written", shown(keys.kind));
            return Err(subject.refuse(FourCc::VATT, what));
        }
        if keys.kind == INPUT {
            inputs.push((argument, keys));
        }
    }
    if inputs.is_empty() {
        return Ok(None);
    }
    // Only here is a body read.
    let used = bodies.used_arguments(subject.value)?.unwrap_or_default();
    let (mut attributes, mut types) = (Vec::new(), Vec::new());
    for (argument, keys) in inputs {
        let is_used = usize::try_from(argument).ok().and_then(|index| used.get(index).copied());
        let Some(is_used) = is_used else {
            let what = format!("attribute of argument {argument}, there are {}", used.len());
            return Err(subject.refuse(FourCc::VATT, what));
        };
        attributes.push(attribute(subject, keys, is_used)?);
        let name = keys.text("air.arg_type_name").unwrap_or_default();
        types.push(data_type(subject, FourCc::VATY, name)?);
    }
    let too_many = |error: metallib::Error| subject.refuse(FourCc::VATT, error.to_string());
    let attributes = encode_vertex_attributes(&attributes).map_err(too_many)?;
    let types = encode_vertex_attribute_types(&types).map_err(too_many)?;
    Ok(Some([attributes, types]))
}

fn attribute(subject: &Subject<'_>, keys: Keys<'_, '_>, is_used: bool) -> Result<VertexAttribute> {
    let refuse = |what: String| Err(subject.refuse(FourCc::VATT, what));
    let Some(name) = keys.text("air.arg_name") else {
        return refuse("an attribute has no name".to_owned());
    };
    let attribute = shown(name);
    if keys.is_conditional {
        return refuse(format!("attribute {attribute} depends on a function constant"));
    }
    let Some((index, count)) = keys.integers("air.location_index") else {
        return refuse(format!("attribute {attribute} has no location"));
    };
    let word = u16::try_from(index).ok().filter(|_| index <= INDEX);
    let (Some(word), 1) = (word, count) else {
        return refuse(format!(
            "attribute {attribute} has {count} locations from {index} on, expected one of at \
             most {INDEX}"
        ));
    };
    Ok(VertexAttribute {
        name: name_of(subject, FourCc::VATT, name)?,
        word: word | if is_used { ACTIVE } else { 0 },
    })
}
