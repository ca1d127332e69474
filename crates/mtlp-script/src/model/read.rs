//! From the tree to the parts.

use super::{
    Constant, ConstantId, Descriptor, Graph, LibraryPath, Linked, Model, NamedConstants, Pipeline,
    Reference, Specialized, Stage, Stitched, Word,
};
use crate::facts::Kind;
use crate::json::Value;
use crate::{Form, Script};

/// Keys that name a function of a pipeline, and what they take. A tile function may be either
/// (`MTLTileRenderPipelineDescriptor`). Those of Metal 4 end in `_descriptor`.
const STAGES: [(&str, &str, &[Kind]); 6] = [
    ("compute_function", "compute_function_descriptor", &[Kind::Kernel]),
    ("vertex_function", "vertex_function_descriptor", &[Kind::Vertex]),
    ("tile_function", "tile_function_descriptor", &[Kind::Kernel, Kind::Fragment]),
    ("object_function", "object_function_descriptor", &[Kind::Object]),
    ("mesh_function", "mesh_function_descriptor", &[Kind::Mesh]),
    ("fragment_function", "fragment_function_descriptor", &[Kind::Fragment]),
];

/// Lists of pipelines in both forms.
const LISTS: [(&str, &str); 4] = [
    ("compute_pipelines", "compute_pipeline_descriptors"),
    ("render_pipelines", "render_pipeline_descriptors"),
    ("tile_render_pipelines", "tile_render_pipeline_descriptors"),
    ("mesh_render_pipelines", "mesh_render_pipeline_descriptors"),
];

/// Keys of functions that are linked to a stage.
const LINKS: [&str; 6] = [
    "linked_functions",
    "vertex_linked_functions",
    "object_linked_functions",
    "mesh_linked_functions",
    "fragment_linked_functions",
    "static_linking_descriptor",
];

pub(super) fn model(script: &Script) -> Model<'_> {
    match script.form() {
        Form::Mtlp => mtlp(script.value()),
        Form::Mtl4 => mtl4(script.value()),
    }
}

impl<'s> Word<'s> {
    /// The text of a string; nothing if it is empty, which the schema reports.
    pub(super) fn of(value: &'s Value) -> Option<Self> {
        let text = value.text().filter(|text| !text.is_empty())?;
        Some(Self { text, span: value.span })
    }

    /// The text behind a key.
    pub(super) fn at(value: &'s Value, key: &str) -> Option<Self> {
        Self::of(value.get(key)?)
    }
}

impl<'s> Reference<'s> {
    fn of(value: &'s Value) -> Option<Self> {
        Some(Self { target: Self::read(value.text()?).ok()?, span: value.span })
    }

    fn of_descriptor(value: &'s Value) -> Option<Self> {
        Some(Self { target: Self::read_descriptor(value.text()?).ok()?, span: value.span })
    }
}

fn mtlp(root: &Value) -> Model<'_> {
    let mut model = Model::default();
    let of = |key| root.get(key);
    let (libraries, functions, pipelines) = (of("libraries"), of("functions"), of("pipelines"));
    let in_libraries = |key| libraries.map_or(&[][..], |value| value.list(key));
    model.libraries = in_libraries("paths").iter().filter_map(library).collect();
    let specialized = in_libraries("specialized_functions").iter();
    let specialized = specialized.chain(root.list("specialized_functions"));
    model.specialized = specialized.filter_map(self::specialized).collect();
    model.stitched = in_libraries("stitched_libraries").iter().filter_map(stitched).collect();
    let named = root.list("named_function_constant_values").iter();
    model.named_constants = named.filter_map(named_constants).collect();
    let predicates = root.list("named_predicates").iter();
    model.named_predicates = predicates.filter_map(named_predicate).collect();
    for (key, kinds) in LISTED {
        for value in functions.map_or(&[][..], |value| value.list(key)) {
            model.enables.extend(Word::at(value, "enable"));
            let reference = value.get("function").and_then(Reference::of);
            model.listed.extend(reference.map(|reference| Stage { key, kinds, reference }));
        }
    }
    for (key, _) in LISTS {
        for value in pipelines.map_or(&[][..], |value| value.list(key)) {
            model.enables.extend(Word::at(value, "enable"));
            model.pipelines.push(pipeline(value, Form::Mtlp));
        }
    }
    model
}

/// Keys that list functions by themselves, and what they take.
const LISTED: [(&str, &[Kind]); 2] =
    [("visible_functions", &[Kind::Visible]), ("intersection_functions", &[Kind::Intersection])];

fn mtl4(root: &Value) -> Model<'_> {
    let libraries = root.list("libraries").iter().filter_map(library).collect();
    let mut model = Model { libraries, ..Model::default() };
    let (functions, pipelines) =
        (root.get("function_descriptors"), root.get("pipeline_descriptors"));
    let in_functions = |key| functions.map_or(&[][..], |value| value.list(key)).iter();
    let descriptor = |value| {
        let library = Word::at(value, "library");
        Some(Descriptor {
            label: Word::at(value, "label")?,
            name: Word::at(value, "name")?,
            library,
        })
    };
    model.descriptors =
        in_functions("library_function_descriptors").filter_map(descriptor).collect();
    let specialized = |value| {
        let (constants, is_complete) = constants(value);
        Some(Specialized {
            label: Word::at(value, "label")?,
            function: Reference::of_descriptor(value.get("function_descriptor")?)?,
            name: None,
            named_values: None,
            constants,
            is_complete,
        })
    };
    model.specialized =
        in_functions("specialized_function_descriptors").filter_map(specialized).collect();
    for (_, key) in LISTS {
        let list = pipelines.map_or(&[][..], |value| value.list(key));
        model.pipelines.extend(list.iter().map(|value| pipeline(value, Form::Mtl4)));
    }
    model
}

fn library(value: &Value) -> Option<LibraryPath<'_>> {
    Some(LibraryPath { label: Word::at(value, "label")?, path: Word::at(value, "path")? })
}

fn specialized(value: &Value) -> Option<Specialized<'_>> {
    let (constants, is_complete) = constants(value);
    Some(Specialized {
        label: Word::at(value, "label")?,
        function: Reference::of(value.get("function")?)?,
        name: Word::at(value, "specialized_name"),
        named_values: Word::at(value, "named_constant_values"),
        constants,
        is_complete,
    })
}

/// The predicate may be empty.
fn named_predicate(value: &Value) -> Option<(Word<'_>, Word<'_>)> {
    let predicate = value.get("predicate")?;
    let text = Word { text: predicate.text()?, span: predicate.span };
    Some((Word::at(value, "name")?, text))
}

fn named_constants(value: &Value) -> Option<NamedConstants<'_>> {
    let (constants, is_complete) = constants(value);
    Some(NamedConstants { name: Word::at(value, "name")?, constants, is_complete })
}

/// The constants that can be read, and whether these are all.
fn constants(value: &Value) -> (Vec<Constant<'_>>, bool) {
    let list = value.list("constant_values");
    let constants: Vec<Constant<'_>> = list.iter().filter_map(Constant::read).collect();
    let is_complete = constants.len() == list.len();
    (constants, is_complete)
}

impl<'s> Constant<'s> {
    fn read(value: &'s Value) -> Option<Self> {
        let id = value.get("id")?;
        let id = match value.get("id_type")?.text()? {
            "FunctionConstantIndex" => {
                ConstantId::Index(u16::try_from(id.get("data")?.integer()?).ok()?)
            }
            _ => ConstantId::Name(id.text()?),
        };
        Some(Self { id, value_type: Word::at(value, "value_type")?, span: value.span })
    }
}

fn stitched(value: &Value) -> Option<Stitched<'_>> {
    Some(Stitched {
        label: Word::at(value, "label")?,
        functions: value.list("functions").iter().filter_map(Reference::of).collect(),
        graphs: value.list("function_graphs").iter().filter_map(Graph::read).collect(),
    })
}

fn pipeline(value: &Value, form: Form) -> Pipeline<'_> {
    let mut pipeline = Pipeline {
        span: value.span,
        stages: Vec::new(),
        linked: Vec::new(),
        vertex_descriptor: value.get("vertex_descriptor"),
        describes_vertices: form == Form::Mtlp,
    };
    for (key, new_key, kinds) in STAGES {
        let (key, reference) = match form {
            Form::Mtlp => (key, value.get(key).and_then(Reference::of)),
            Form::Mtl4 => (new_key, value.get(new_key).and_then(Reference::of_descriptor)),
        };
        pipeline.stages.extend(reference.map(|reference| Stage { key, kinds, reference }));
    }
    pipeline.linked = LINKS.iter().filter_map(|key| Some(linked(value.get(key)?))).collect();
    pipeline
}

fn linked(value: &Value) -> Linked<'_> {
    let lists = ["functions", "private_functions"].into_iter();
    let references = lists.flat_map(|key| value.list(key)).filter_map(Reference::of);
    let descriptors = value.list("function_descriptors").iter();
    let functions = references.chain(descriptors.filter_map(Reference::of_descriptor)).collect();
    let groups = value.list("groups").iter().flat_map(|group| group.list("functions"));
    Linked {
        functions,
        binary: value.list("binary_functions").iter().filter_map(Word::of).collect(),
        grouped: groups.filter_map(Word::of).collect(),
    }
}
