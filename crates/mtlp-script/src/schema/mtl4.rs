//! Keys of `.mtl4-json`, as far as they were seen in public files: Apple documents none of it.

use super::mtlp::{CONSTANTS, LIBRARY, VERSION};
use super::{Key, Object, Shape};
use crate::values as v;
use Shape::{Count, Descriptor, List, One, Text};

const fn key(name: &'static str, shape: Shape) -> Key {
    Key::new(name, shape)
}

const ANY: Shape = Count(u32::MAX as u64);

pub(super) static ROOT: Object = Object::new(
    "script",
    &[
        key("version", Shape::Object(&VERSION)),
        key("generator", Text),
        key("libraries", List(&Shape::Object(&LIBRARY))),
        key("function_descriptors", Shape::Object(&FUNCTIONS)),
        key("pipeline_descriptors", Shape::Object(&PIPELINES)),
    ],
);

static FUNCTIONS: Object = Object::new(
    "function descriptors",
    &[
        key("library_function_descriptors", List(&Shape::Object(&FUNCTION))),
        key("specialized_function_descriptors", List(&Shape::Object(&SPECIALIZED))),
    ],
);

static FUNCTION: Object = Object::new(
    "library function descriptor",
    &[key("label", Text).required(), key("name", Text).required(), key("library", Text)],
);

static SPECIALIZED: Object = Object::new(
    "specialized function descriptor",
    &[
        key("label", Text).required(),
        key("function_descriptor", Descriptor).required(),
        key("constant_values", CONSTANTS),
    ],
);

static PIPELINES: Object = Object::new(
    "pipeline descriptors",
    &[
        key("compute_pipeline_descriptors", List(&Shape::Object(&COMPUTE))),
        key("render_pipeline_descriptors", List(&Shape::Object(&RENDER))),
        key("mesh_render_pipeline_descriptors", List(&Shape::Object(&MESH))),
        key("tile_render_pipeline_descriptors", List(&Shape::Object(&TILE))),
    ],
);

static LINKING: Object =
    Object::new("static linking descriptor", &[key("function_descriptors", List(&Descriptor))]);

static COMPUTE: Object = Object::new(
    "compute pipeline descriptor",
    &[
        key("compute_function_descriptor", Descriptor).required(),
        key("static_linking_descriptor", Shape::Object(&LINKING)),
    ],
);

static RENDER: Object = Object::new(
    "render pipeline descriptor",
    &[
        key("vertex_function_descriptor", Descriptor).required(),
        key("fragment_function_descriptor", Descriptor),
        key("color_attachments", List(&Shape::Object(&COLOR))),
    ],
);

static MESH: Object = Object::new(
    "mesh render pipeline descriptor",
    &[
        key("object_function_descriptor", Descriptor),
        key("mesh_function_descriptor", Descriptor).required(),
        key("fragment_function_descriptor", Descriptor),
        key("max_total_threads_per_object_threadgroup", ANY).or("0"),
        key("max_total_threads_per_mesh_threadgroup", ANY).or("0"),
        key("payload_memory_length", ANY).or("0"),
        key("max_total_threadgroups_per_mesh_grid", ANY).or("0"),
        key("color_attachments", List(&Shape::Object(&COLOR))),
    ],
);

static TILE: Object = Object::new(
    "tile render pipeline descriptor",
    &[key("tile_function_descriptor", Descriptor).required()],
);

static COLOR: Object = Object::new(
    "color attachment descriptor",
    &[
        key("pixel_format", One(&v::PIXEL_FORMATS)).or("\"Invalid\""),
        key("blending_state", One(&v::STATES)).or("\"Disabled\""),
        key("alpha_blend_operation", One(&v::BLEND_OPERATIONS)).or("\"Add\""),
        key("rgb_blend_operation", One(&v::BLEND_OPERATIONS)).or("\"Add\""),
        key("destination_alpha_blend_factor", One(&v::BLEND_FACTORS)).or("\"Zero\""),
        key("destination_rgb_blend_factor", One(&v::BLEND_FACTORS)).or("\"Zero\""),
        key("source_alpha_blend_factor", One(&v::BLEND_FACTORS)).or("\"One\""),
        key("source_rgb_blend_factor", One(&v::BLEND_FACTORS)).or("\"One\""),
    ],
);
