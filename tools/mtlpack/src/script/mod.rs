//! Pipeline scripts and the libraries that they refer to; the scripts themselves are the matter of
//! the crate `mtlp-script`.

mod libraries;

use metallib::metadata::{function_constants, vertex_attribute_types, vertex_attributes};
use metallib::{FourCc, FunctionType, Library};
use mtlp_script::facts::{self, Attribute, Constant, Kind};

use crate::edited::Named;
use crate::error::{Error, Result};

pub use libraries::{ScriptLibraries, ScriptPaths};

/// What scripts need to know of a library: names, types, function constants (CNST) and the vertex
/// attributes that functions read (VATT, VATY).
///
/// ```
/// use mtlpack::metallib::Library;
/// use mtlpack::{Named, script_facts};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scale.metallib");
/// let bytes = std::fs::read(path)?;
/// let library = Library::parse(&bytes)?;
/// let facts = script_facts(Named { name: "scale.metallib", library: &library })?;
/// assert_eq!(facts.functions()[0].constants[0].name, "factor");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If one of these tags cannot be read.
pub fn script_facts(named: Named<'_, '_>) -> Result<facts::Library> {
    let functions = functions(named.library).map_err(Error::library(named.name))?;
    Ok(facts::Library::new(named.name, functions))
}

fn functions(library: &Library<'_>) -> metallib::Result<Vec<facts::Function>> {
    let all = library.functions().iter();
    all.map(|function| {
        Ok(facts::Function {
            name: function.name().into_owned(),
            kind: kind(function.function_type()),
            constants: constants(function)?,
            attributes: attributes(function)?,
        })
    })
    .collect()
}

/// Functions of dynamic libraries and Core Image are none that scripts name.
fn kind(function_type: Option<FunctionType>) -> Kind {
    match function_type {
        Some(FunctionType::KERNEL) => Kind::Kernel,
        Some(FunctionType::VERTEX) => Kind::Vertex,
        Some(FunctionType::FRAGMENT) => Kind::Fragment,
        Some(FunctionType::MESH) => Kind::Mesh,
        Some(FunctionType::OBJECT) => Kind::Object,
        Some(FunctionType::VISIBLE) => Kind::Visible,
        Some(FunctionType::INTERSECTION) => Kind::Intersection,
        _ => Kind::Other,
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn constants(function: &metallib::Function<'_>) -> metallib::Result<Vec<Constant>> {
    let Some(tag) = function.public.get(FourCc::CNST) else { return Ok(Vec::new()) };
    let constants = function_constants(tag.payload, tag.offset)?;
    let constant = |constant: metallib::metadata::FunctionConstant| Constant {
        name: lossy(&constant.name),
        index: constant.index,
        data_type: constant.data_type.to_string(),
        required: constant.required != 0,
    };
    Ok(constants.into_iter().map(constant).collect())
}

/// The attributes that the function uses: others need no description.
fn attributes(function: &metallib::Function<'_>) -> metallib::Result<Vec<Attribute>> {
    let tags = (function.public.get(FourCc::VATT), function.public.get(FourCc::VATY));
    let (Some(names), Some(types)) = tags else { return Ok(Vec::new()) };
    let names = vertex_attributes(names.payload, names.offset)?;
    let types = vertex_attribute_types(types.payload, types.offset)?;
    let active = names.iter().zip(types).filter(|(attribute, _)| attribute.is_active());
    let attribute =
        |(attribute, data_type): (&metallib::metadata::VertexAttribute, metallib::DataType)| {
            Attribute {
                name: lossy(&attribute.name),
                index: attribute.index(),
                data_type: data_type.to_string(),
            }
        };
    Ok(active.map(attribute).collect())
}
