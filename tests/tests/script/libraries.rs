//! Libraries made by the builder, of which the scripts speak.

use metallib::metadata::{
    FunctionConstant, VertexAttribute, encode_function_constants, encode_vertex_attribute_types,
    encode_vertex_attributes,
};
use metallib::{DataType, Dialect, FileType, FourCc, FunctionSpec, FunctionType};
use mtlp_script::facts::{Known, Library};
use mtlpack::{Named, script_facts};
use mtlpack_tests::small::{VERSIONS, builder, function};

/// What there is to know of them.
pub(crate) struct Libraries {
    shapes: Library,
    rays: Library,
    parts: Library,
}

impl Libraries {
    /// Builds all.
    pub(crate) fn built() -> Self {
        let fragment = |name| plain(name, FunctionType::FRAGMENT);
        Self {
            shapes: library(
                "shapes.metallib",
                vec![
                    shape_vertex(),
                    fragment("shapeFragment"),
                    plain("meshMain", FunctionType::MESH),
                    plain("objectMain", FunctionType::OBJECT),
                    plain("tileKernel", FunctionType::KERNEL),
                ],
            ),
            rays: library(
                "rays.metallib",
                vec![
                    plain("traceRays", FunctionType::KERNEL),
                    trace_scene(),
                    plain("hitSphere", FunctionType::INTERSECTION),
                    plain("shadeSurface", FunctionType::VISIBLE),
                ],
            ),
            parts: library(
                "parts.metallib",
                vec![
                    plain("apply", FunctionType::KERNEL),
                    plain("blend", FunctionType::VISIBLE),
                    plain("gather", FunctionType::VISIBLE),
                ],
            ),
        }
    }

    /// All of them on the command line, and by the paths of the scripts.
    pub(crate) fn known(&self) -> Known<'_> {
        let paths = [
            ("./shapes.metallib", Some(&self.shapes)),
            ("shapes.metallib", Some(&self.shapes)),
            ("rays.metallib", Some(&self.rays)),
            ("parts.metallib", Some(&self.parts)),
            ("missing.metallib", None),
        ];
        Known {
            command_line: vec![&self.shapes, &self.rays, &self.parts],
            by_path: paths.map(|(path, library)| (path.to_owned(), library)).into(),
        }
    }
}

fn library(name: &str, functions: Vec<FunctionSpec<'static>>) -> Library {
    let mut builder = builder(Dialect::Linker, 8, FileType::Executable);
    functions.into_iter().for_each(|spec| builder.add(spec).unwrap());
    let library = builder.finish().unwrap();
    script_facts(Named { name, library: &library }).unwrap()
}

fn plain(name: &str, kind: FunctionType) -> FunctionSpec<'static> {
    function(name, kind, VERSIONS, 0)
}

fn data_type(name: &str) -> DataType {
    DataType::from_name(name).unwrap()
}

/// Reads a position and a tint, and could read a normal.
fn shape_vertex() -> FunctionSpec<'static> {
    let mut spec = plain("shapeVertex", FunctionType::VERTEX);
    let attribute = |name: &str, word| VertexAttribute { name: name.into(), word };
    let attributes =
        [attribute("position", 0x8000), attribute("tint", 0x8001), attribute("normal", 2)];
    let types = ["Float3", "Float4", "Float3"].map(data_type);
    spec.public.push(FourCc::VATT, &encode_vertex_attributes(&attributes).unwrap()).unwrap();
    spec.public.push(FourCc::VATY, &encode_vertex_attribute_types(&types).unwrap()).unwrap();
    spec
}

/// Needs two constants and takes a third.
fn trace_scene() -> FunctionSpec<'static> {
    let mut spec = plain("traceScene", FunctionType::KERNEL);
    let constant = |name: &str, of, index, required| FunctionConstant {
        name: name.into(),
        data_type: data_type(of),
        index,
        required,
    };
    let constants = [
        constant("useTable", "Bool", 0, 1),
        constant("gridSize", "Int3", 1, 1),
        constant("bias", "Float", 2, 0),
    ];
    spec.public.push(FourCc::CNST, &encode_function_constants(&constants).unwrap()).unwrap();
    spec
}
