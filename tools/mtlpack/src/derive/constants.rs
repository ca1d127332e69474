//! CNST: the function constants that a module has.

use air_bitcode::{AirMetadata, EntryKind, Term};
use metallib::FourCc;
use metallib::metadata::{FunctionConstant, encode_function_constants};

use super::entry::{data_type, name_of};
use super::keys::shown;
use super::{Result, Subject};

/// The list of function constants.
const LIST: &str = "air.function_constants";

/// Payload of CNST; none if the module has no function constants. `functions` is the number of
/// functions that the module lists.
pub(super) fn constants(
    subject: &Subject<'_>,
    air: &AirMetadata<'_>,
    functions: usize,
) -> Result<Option<Vec<u8>>> {
    let refuse = |what: String| subject.refuse(FourCc::CNST, what);
    let nodes = air.named_terms(LIST)?;
    if nodes.is_empty() {
        return Ok(None);
    }
    if subject.is_listed_as(EntryKind::CoreImage) {
        let what = "function constants of a Core Image function are not known to be written";
        return Err(refuse(what.to_owned()));
    }
    if functions > 1 {
        let what = format!(
            "the module has {functions} functions and {} function constants: which of these the \
             function uses can be told of a module of its own",
            nodes.len()
        );
        return Err(refuse(what));
    }
    let constants = nodes.iter().map(|terms| constant(subject, terms));
    let constants: Vec<FunctionConstant> = constants.collect::<Result<_>>()?;
    encode_function_constants(&constants).map(Some).map_err(|error| refuse(error.to_string()))
}

/// Global, name of the type, name, index, whether it is required.
fn constant(subject: &Subject<'_>, terms: &[Term<'_>]) -> Result<FunctionConstant> {
    let refuse = |what: String| subject.refuse(FourCc::CNST, what);
    let [_, Term::Text(of_type), Term::Text(name), Term::Integer(index), required, ..] = terms
    else {
        let what = "a function constant is not global, type, name, index and flag";
        return Err(refuse(what.to_owned()));
    };
    let Ok(index) = u16::try_from(*index) else {
        return Err(refuse(format!("function constant {} has index {index}", shown(name))));
    };
    let Some(required) = required.integer() else {
        return Err(refuse(format!("function constant {} has no flag", shown(name))));
    };
    Ok(FunctionConstant {
        name: name_of(subject, FourCc::CNST, name)?,
        data_type: data_type(subject, FourCc::CNST, of_type)?,
        index,
        required: u8::from(required != 0),
    })
}
