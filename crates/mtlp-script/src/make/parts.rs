//! The parts of a script that is made.

use std::collections::{HashMap, HashSet};

use super::{LeftOut, Made, Named, Options, Pairs};
use crate::constant::ConstantType;
use crate::facts::{Attribute, Constant, Function, Kind, Library};
use crate::json::Value;
use crate::values::ATTRIBUTE_FORMATS;

/// Argument tables have 31 places.
const PLACES: u16 = 31;

/// Labels of libraries: the names of their files, with a number if that is there already; nothing
/// for a single library.
pub(super) fn labels(libraries: &[(&str, &Library)]) -> Vec<Option<String>> {
    if let [_] = libraries {
        return vec![None];
    }
    let mut labels = Labels::default();
    let label = |path: &&str| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        labels.free(name.strip_suffix(".metallib").unwrap_or(name))
    };
    libraries.iter().map(|(path, _)| path).map(label).map(Some).collect()
}

/// Labels that are there once.
#[derive(Debug, Default)]
struct Labels {
    taken: HashSet<String>,
    next: HashMap<String, u64>,
}

impl Labels {
    /// This text, with a number if it is taken. An alias ends a label at `#`.
    fn free(&mut self, text: &str) -> String {
        let text = match text {
            "" => "unnamed".to_owned(),
            text => text.replace('#', "_"),
        };
        let mut label = text.clone();
        let next = self.next.entry(text.clone()).or_insert(2);
        while !self.taken.insert(label.clone()) {
            label = format!("{text}~{next}");
            *next += 1;
        }
        label
    }
}

/// The functions that a script can name.
pub(super) fn functions<'l>(
    libraries: &[(&str, &'l Library)],
    labels: &'l [Option<String>],
    left_out: &mut Vec<LeftOut>,
) -> Vec<Named<'l>> {
    let mut functions = Vec::new();
    for ((_, library), label) in libraries.iter().zip(labels) {
        let mut names = HashSet::new();
        for function in library.functions() {
            let named = Named { library: label.as_deref(), function };
            // Counted first: one that is left out can be found under the name just as well.
            let is_twice = !names.insert(&function.name);
            let why = match function.kind {
                Kind::Other => Some("no key of a script takes functions of its type"),
                _ if function.name.contains('\u{fffd}') => Some("its name is no UTF-8"),
                _ if !named.can_be_named() => Some("its name would be read as something else"),
                _ if is_twice => Some("the library has its name twice"),
                _ => cannot_be_described(function),
            };
            match why {
                Some(why) => left_out.push(left(function, why)),
                None => functions.push(named),
            }
        }
    }
    functions
}

fn left(function: &Function, why: &'static str) -> LeftOut {
    LeftOut { name: function.name.clone(), kind: function.kind, why }
}

fn cannot_be_described(function: &Function) -> Option<&'static str> {
    let fits = |attribute: &Attribute| {
        attribute.index < PLACES && ATTRIBUTE_FORMATS.has(&attribute.data_type)
    };
    let has_type = |constant: &Constant| ConstantType::of_name(&constant.data_type).is_some();
    if !function.constants.iter().all(has_type) {
        return Some("a function constant is of a type that no script can say");
    }
    (!function.attributes.iter().all(fits))
        .then_some("a vertex attribute is of a type or index that no script can say")
}

/// Puts the script together.
pub(super) fn script(
    libraries: &[(&str, &Library)],
    labels: &[Option<String>],
    functions: &[Named<'_>],
    pairs: &Pairs,
    options: &Options,
    mut left_out: Vec<LeftOut>,
) -> Made {
    let used: HashSet<usize> = pairs.used().collect();
    let mut free = Labels::default();
    free.taken.extend(labels.iter().flatten().cloned());
    let mut specialized = Vec::new();
    let mut references = Vec::with_capacity(functions.len());
    for (index, named) in functions.iter().enumerate() {
        let paired = matches!(named.function.kind, Kind::Vertex | Kind::Fragment | Kind::Object);
        if paired && !used.contains(&index) {
            left_out.push(left(named.function, "it has no partner by name; --pair V:F names one"));
            references.push(String::new());
        } else {
            references.push(reference(named, &mut free, &mut specialized));
        }
    }
    let parts = Parts { functions, references: &references, options };
    let compute = parts.compute();
    let render: Vec<Value> = pairs.render.iter().map(|&(v, f)| parts.render(v, f)).collect();
    let mesh: Vec<Value> = pairs.mesh.iter().map(|&(m, o, f)| parts.mesh(m, o, f)).collect();
    let pipelines = compute.len() + render.len() + mesh.len();
    let paths = libraries.iter().zip(labels).filter_map(|((path, _), label)| {
        let label = label.as_deref()?;
        Some(Value::object([("label", label.into()), ("path", (*path).into())]))
    });
    let in_libraries = object([("paths", paths.collect()), ("specialized_functions", specialized)]);
    let in_pipelines = object([
        ("compute_pipelines", compute),
        ("render_pipelines", render),
        ("mesh_render_pipelines", mesh),
    ]);
    let in_functions = object([
        ("visible_functions", parts.listed(Kind::Visible)),
        ("intersection_functions", parts.listed(Kind::Intersection)),
    ]);
    let all =
        [("libraries", in_libraries), ("functions", in_functions), ("pipelines", in_pipelines)];
    let script = Value::object(all.into_iter().filter_map(|(key, value)| Some((key, value?))));
    Made { script, pipelines, left_out }
}

/// An object of those lists that have elements; nothing if none has.
fn object<const N: usize>(lists: [(&'static str, Vec<Value>); N]) -> Option<Value> {
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let object = Value::object(lists.map(|(key, list)| (key, list.into())));
    (!object.members().is_empty()).then_some(object)
}

/// How pipelines refer to a function: to a specialised one if it has constants.
fn reference(named: &Named<'_>, labels: &mut Labels, specialized: &mut Vec<Value>) -> String {
    let function = named.function;
    if function.constants.is_empty() {
        return named.plain();
    }
    let label = labels.free(&function.name);
    let values: Vec<Value> = constants(&function.constants);
    specialized.push(Value::object([
        ("label", label.as_str().into()),
        ("function", named.plain().as_str().into()),
        ("constant_values", values.into()),
    ]));
    format!("alias:{label}#{}", function.name)
}

/// A value for every constant, by name where the name is there once, else by index.
fn constants(constants: &[Constant]) -> Vec<Value> {
    let mut names: HashMap<&str, usize> = HashMap::new();
    constants.iter().for_each(|constant| *names.entry(&constant.name).or_default() += 1);
    let mut seen = HashSet::new();
    let once = constants.iter().filter(|constant| seen.insert((constant.index, &constant.name)));
    let value = |constant: &Constant| {
        let known = ConstantType::of_name(&constant.data_type)?;
        let (id_type, id) = match names.get(constant.name.as_str()) {
            Some(1) if !constant.name.is_empty() => {
                ("FunctionConstantName", constant.name.as_str().into())
            }
            _ => ("FunctionConstantIndex", data(u64::from(constant.index).into())),
        };
        Some(Value::object([
            ("id_type", id_type.into()),
            ("id", id),
            ("value_type", known.to_string().as_str().into()),
            ("value", data(known.zero())),
        ]))
    };
    once.filter_map(value).collect()
}

fn data(value: Value) -> Value {
    Value::object([("data", value)])
}

struct Parts<'p, 'l> {
    functions: &'p [Named<'l>],
    references: &'p [String],
    options: &'p Options,
}

impl Parts<'_, '_> {
    fn reference(&self, index: usize) -> Value {
        self.references.get(index).map_or("", String::as_str).into()
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = usize> {
        let all = self.functions.iter().enumerate();
        all.filter(move |(_, named)| named.is(kind)).map(|(index, _)| index)
    }

    fn compute(&self) -> Vec<Value> {
        let pipeline = |index| Value::object([("compute_function", self.reference(index))]);
        self.of(Kind::Kernel).map(pipeline).collect()
    }

    fn listed(&self, kind: Kind) -> Vec<Value> {
        let entry = |index| Value::object([("function", self.reference(index))]);
        self.of(kind).map(entry).collect()
    }

    fn render(&self, vertex: usize, fragment: usize) -> Value {
        let mut pipeline = Value::object([
            ("vertex_function", self.reference(vertex)),
            ("fragment_function", self.reference(fragment)),
        ]);
        let attributes = self.functions.get(vertex).map(|named| &named.function.attributes);
        if let Some(attributes) = attributes.filter(|attributes| !attributes.is_empty()) {
            pipeline.push("vertex_descriptor", vertex_descriptor(attributes));
        }
        self.attachments(&mut pipeline);
        pipeline
    }

    fn mesh(&self, mesh: usize, object: Option<usize>, fragment: Option<usize>) -> Value {
        let stages = [
            ("object_function", object),
            ("mesh_function", Some(mesh)),
            ("fragment_function", fragment),
        ];
        let stages = stages.into_iter().filter_map(|(key, at)| Some((key, self.reference(at?))));
        let mut pipeline = Value::object(stages);
        self.attachments(&mut pipeline);
        pipeline
    }

    fn attachments(&self, pipeline: &mut Value) {
        let format = self.options.pixel_format.as_str();
        let color = Value::object([("pixel_format", format.into())]);
        pipeline.push("color_attachments", vec![color].into());
        if let Some(depth) = &self.options.depth_format {
            pipeline.push("depth_attachment_pixel_format", depth.as_str().into());
        }
    }
}

/// All attributes packed in buffer 0, in the order of their indices.
fn vertex_descriptor(attributes: &[Attribute]) -> Value {
    let last = attributes.iter().map(|attribute| attribute.index).max().unwrap_or_default();
    let mut offset = 0;
    let described = (0..=last).map(|index| {
        let found = attributes.iter().find(|attribute| attribute.index == index);
        let Some(attribute) = found else { return Value::object([]) };
        let value = Value::object([
            ("buffer_index", 0.into()),
            ("offset", offset.into()),
            ("format", attribute.data_type.as_str().into()),
        ]);
        offset += size(&attribute.data_type);
        value
    });
    let described: Vec<Value> = described.collect();
    let layout = Value::object([("stride", offset.into())]);
    Value::object([("attributes", described.into()), ("layouts", vec![layout].into())])
}

/// Bytes of an attribute in a buffer, of which Metal wants multiples of four.
fn size(data_type: &str) -> u64 {
    let Some(known) = ConstantType::of_name(data_type) else { return 0 };
    let scalar: u64 = match known.scalar {
        "Char" | "UChar" | "Bool" => 1,
        "Short" | "UShort" | "Half" => 2,
        "Long" | "ULong" => 8,
        _ => 4,
    };
    (scalar * known.width as u64).next_multiple_of(4)
}
