//! Keys of `.mtlp-json` (Apple's manual, state of Xcode 16.4).

use super::{Key, Object, Shape, Tag};
use crate::values as v;
use Shape::{Count, Flag, List, One, Predicate, Reference, Tagged, Text, Words};

/// Numbers whose limits the manual does not give.
const ANY: Shape = Count(u32::MAX as u64);

/// Position of a buffer: argument tables have 31.
const BUFFER: Shape = Count(30);

const fn key(name: &'static str, shape: Shape) -> Key {
    Key::new(name, shape)
}

const fn flag(name: &'static str) -> Key {
    Key::new(name, Flag).or("false")
}

const fn count(name: &'static str, default: &'static str) -> Key {
    Key::new(name, ANY).or(default)
}

const REFERENCES: Shape = List(&Reference);
const TEXTS: Shape = List(&Text);
const ENABLE: Key = key("enable", Predicate).or("\"\"");

pub(super) static ROOT: Object = Object::new(
    "script",
    &[
        key("version", Shape::Object(&VERSION)),
        key("generator", Text),
        key("libraries", Shape::Object(&LIBRARIES)),
        key("pipelines", Shape::Object(&PIPELINES)),
        key("functions", Shape::Object(&FUNCTIONS)),
        key("named_predicates", List(&Shape::Object(&NAMED_PREDICATE))),
        key("named_function_constant_values", List(&Shape::Object(&NAMED_CONSTANTS))),
        // As Apple's article prints it; the manual has it under `libraries`.
        key("specialized_functions", List(&Shape::Object(&SPECIALIZED))),
    ],
);

pub(super) static VERSION: Object =
    Object::new("version", &[key("major", ANY), key("minor", ANY), key("sub_minor", ANY)]);

static LIBRARIES: Object = Object::new(
    "libraries",
    &[
        key("paths", List(&Shape::Object(&LIBRARY))),
        key("specialized_functions", List(&Shape::Object(&SPECIALIZED))),
        key("stitched_libraries", List(&Shape::Object(&STITCHED))),
    ],
);

pub(super) static LIBRARY: Object =
    Object::new("library", &[key("label", Text).required(), key("path", Text).required()]);

static SPECIALIZED: Object = Object::new(
    "specialized function",
    &[
        key("label", Text).required(),
        key("function", Reference).required(),
        key("specialized_name", Text),
        key("named_constant_values", Text),
        key("constant_values", CONSTANTS),
    ],
);

pub(super) const CONSTANTS: Shape = List(&Shape::Object(&CONSTANT));

static CONSTANT: Object = Object::new(
    "constant value",
    &[
        key("id_type", One(&v::ID_TYPES)).required(),
        key("id", Tagged).required(),
        key("value_type", One(&v::CONSTANT_TYPES)).required(),
        key("value", Tagged).required(),
    ],
)
.tagged(Tag::Constant);

static NAMED_CONSTANTS: Object = Object::new(
    "named constant values",
    &[key("name", Text).required(), key("constant_values", CONSTANTS).required()],
);

static NAMED_PREDICATE: Object = Object::new(
    "named predicate",
    &[key("name", Text).required(), key("predicate", Predicate).required()],
);

static STITCHED: Object = Object::new(
    "stitched library",
    &[
        key("label", Text).required(),
        key("functions", REFERENCES),
        key("function_graphs", List(&Shape::Object(&GRAPH))),
    ],
);

static GRAPH: Object = Object::new(
    "function graph",
    &[
        key("function_name", Text).required(),
        key("nodes", List(&Shape::Object(&NODE))).required(),
        key("output_node", Shape::Object(&NODE_ID)),
        key("attributes", List(&Shape::Object(&GRAPH_ATTRIBUTE))),
    ],
);

static GRAPH_ATTRIBUTE: Object = Object::new(
    "graph attribute",
    &[
        key("attribute_type", One(&v::ATTRIBUTE_TYPES)).required(),
        key("attribute", Shape::Object(&EMPTY)),
    ],
);

static EMPTY: Object = Object::new("attribute object", &[]);

static NODE: Object = Object::new(
    "node",
    &[key("node_type", One(&v::NODE_TYPES)).required(), key("node", Tagged).required()],
)
.tagged(Tag::Node);

static NODE_ID: Object = Object::new("node id", &[key("id", ANY).required()]);

/// What `node` holds for an input.
pub(crate) static INPUT_NODE: Object = Object::new("input node", &[key("index", ANY).required()]);

/// What `node` holds for a call.
pub(crate) static FUNCTION_NODE: Object = Object::new(
    "function node",
    &[
        key("name", Text).required(),
        key("arguments", List(&Shape::Object(&NODE_ID))),
        key("control_dependencies", List(&Shape::Object(&NODE_ID))),
    ],
);

static FUNCTIONS: Object = Object::new(
    "functions",
    &[
        key("visible_functions", List(&Shape::Object(&FUNCTION))),
        key("intersection_functions", List(&Shape::Object(&FUNCTION))),
    ],
);

static FUNCTION: Object = Object::new("function", &[ENABLE, key("function", Reference).required()]);

static LINKED: Object = Object::new(
    "linked functions",
    &[
        key("functions", REFERENCES),
        key("private_functions", REFERENCES),
        key("binary_functions", TEXTS),
        key("groups", List(&Shape::Object(&GROUP))),
    ],
);

static GROUP: Object =
    Object::new("function group", &[key("name", Text).required(), key("functions", TEXTS)]);

static PIPELINES: Object = Object::new(
    "pipelines",
    &[
        key("compute_pipelines", List(&Shape::Object(&COMPUTE))),
        key("render_pipelines", List(&Shape::Object(&RENDER))),
        key("tile_render_pipelines", List(&Shape::Object(&TILE))),
        key("mesh_render_pipelines", List(&Shape::Object(&MESH))),
    ],
);

const BUFFERS: Shape = List(&Shape::Object(&BUFFER_ENTRY));
const LINKS: Shape = Shape::Object(&LINKED);
const COLORS: Shape = List(&Shape::Object(&COLOR));
const FORMAT: Shape = One(&v::PIXEL_FORMATS);

static BUFFER_ENTRY: Object =
    Object::new("buffer", &[key("mutability", One(&v::MUTABILITIES)).or("\"Default\"")]);

static COMPUTE: Object = Object::new(
    "compute pipeline",
    &[
        ENABLE,
        key("compute_function", Reference).required(),
        flag("threadgroup_size_is_multiple_of_thread_execution_width"),
        count("max_total_threads_per_threadgroup", "0"),
        count("max_call_stack_depth", "1"),
        key("stage_input_descriptor", Shape::Object(&STAGE_INPUT)),
        key("buffers", BUFFERS),
        key("linked_functions", LINKS),
        flag("support_indirect_command_buffers"),
        flag("support_adding_binary_functions"),
    ],
);

static RENDER: Object = Object::new(
    "render pipeline",
    &[
        ENABLE,
        key("vertex_function", Reference).required(),
        key("fragment_function", Reference),
        count("max_vertex_call_stack_depth", "1"),
        count("max_fragment_call_stack_depth", "1"),
        key("vertex_descriptor", Shape::Object(&VERTEX)),
        key("input_primitive_topology", One(&v::TOPOLOGIES)).or("\"Unspecified\""),
        count("max_tessellation_factor", "16"),
        flag("tessellation_factor_scale_enabled"),
        key("tessellation_factor_format", One(&v::FACTOR_FORMATS)).or("\"Half\""),
        key("tessellation_control_point_index_type", One(&v::CONTROL_INDEX_TYPES)).or("\"None\""),
        key("tessellation_factor_step_function", One(&v::FACTOR_STEPS)).or("\"Constant\""),
        key("tessellation_output_winding_order", One(&v::WINDINGS)).or("\"Clockwise\""),
        key("tessellation_partition_mode", One(&v::PARTITIONS)).or("\"Pow2\""),
        count("max_vertex_amplification_count", "1"),
        key("rasterization_enabled", Flag).or("true"),
        flag("alpha_to_coverage_enabled"),
        flag("alpha_to_one_enabled"),
        count("raster_sample_count", "1"),
        key("color_attachments", COLORS),
        key("depth_attachment_pixel_format", FORMAT).or("\"Invalid\""),
        key("stencil_attachment_pixel_format", FORMAT).or("\"Invalid\""),
        key("vertex_buffers", BUFFERS),
        key("fragment_buffers", BUFFERS),
        key("vertex_linked_functions", LINKS),
        key("fragment_linked_functions", LINKS),
        flag("support_indirect_command_buffers"),
        flag("support_adding_vertex_binary_functions"),
        flag("support_adding_fragment_binary_functions"),
    ],
);

static TILE: Object = Object::new(
    "tile render pipeline",
    &[
        ENABLE,
        key("tile_function", Reference).required(),
        flag("threadgroup_size_matches_tile_size"),
        count("max_total_threads_per_threadgroup", "0"),
        count("max_call_stack_depth", "1"),
        count("raster_sample_count", "1"),
        key("color_attachments", List(&Shape::Object(&TILE_COLOR))),
        key("tile_buffers", BUFFERS),
        key("linked_functions", LINKS),
        flag("support_adding_binary_functions"),
    ],
);

static MESH: Object = Object::new(
    "mesh render pipeline",
    &[
        ENABLE,
        key("object_function", Reference),
        key("mesh_function", Reference).required(),
        key("fragment_function", Reference),
        flag("object_threadgroup_size_is_multiple_of_thread_execution_width"),
        flag("mesh_threadgroup_size_is_multiple_of_thread_execution_width"),
        count("max_total_threads_per_object_threadgroup", "0"),
        count("max_total_threads_per_mesh_threadgroup", "0"),
        count("payload_memory_length", "0"),
        count("max_total_threadgroups_per_mesh_grid", "0"),
        count("max_object_call_stack_depth", "1"),
        count("max_mesh_call_stack_depth", "1"),
        count("max_fragment_call_stack_depth", "1"),
        count("max_vertex_amplification_count", "1"),
        key("rasterization_enabled", Flag).or("true"),
        flag("alpha_to_coverage_enabled"),
        flag("alpha_to_one_enabled"),
        count("raster_sample_count", "1"),
        key("color_attachments", COLORS),
        key("depth_attachment_pixel_format", FORMAT).or("\"Invalid\""),
        key("stencil_attachment_pixel_format", FORMAT).or("\"Invalid\""),
        key("object_buffers", BUFFERS),
        key("mesh_buffers", BUFFERS),
        key("fragment_buffers", BUFFERS),
        key("object_linked_functions", LINKS),
        key("mesh_linked_functions", LINKS),
        key("fragment_linked_functions", LINKS),
        flag("support_indirect_command_buffers"),
        flag("support_adding_object_binary_functions"),
        flag("support_adding_mesh_binary_functions"),
        flag("support_adding_fragment_binary_functions"),
    ],
);

static COLOR: Object = Object::new(
    "color attachment",
    &[
        key("pixel_format", FORMAT).or("\"Invalid\""),
        key("write_mask", Words(&v::WRITE_MASKS)).or("\"All\""),
        flag("blending_enabled"),
        key("alpha_blend_operation", One(&v::BLEND_OPERATIONS)).or("\"Add\""),
        key("rgb_blend_operation", One(&v::BLEND_OPERATIONS)).or("\"Add\""),
        key("destination_alpha_blend_factor", One(&v::BLEND_FACTORS)).or("\"Zero\""),
        key("destination_rgb_blend_factor", One(&v::BLEND_FACTORS)).or("\"Zero\""),
        key("source_alpha_blend_factor", One(&v::BLEND_FACTORS)).or("\"One\""),
        key("source_rgb_blend_factor", One(&v::BLEND_FACTORS)).or("\"One\""),
    ],
);

pub(super) static TILE_COLOR: Object =
    Object::new("tile color attachment", &[key("pixel_format", FORMAT).or("\"Invalid\"")]);

static VERTEX: Object = Object::new(
    "vertex descriptor",
    &[
        key("attributes", List(&Shape::Object(&ATTRIBUTE))),
        key("layouts", List(&Shape::Object(&VERTEX_LAYOUT))),
    ],
);

static STAGE_INPUT: Object = Object::new(
    "stage input descriptor",
    &[
        key("attributes", List(&Shape::Object(&ATTRIBUTE))),
        key("layouts", List(&Shape::Object(&STAGE_LAYOUT))),
        key("index_buffer_index", BUFFER),
        key("index_type", One(&v::INDEX_TYPES)),
    ],
);

static ATTRIBUTE: Object = Object::new(
    "vertex attribute",
    &[
        key("buffer_index", BUFFER).or("0"),
        count("offset", "0"),
        key("format", One(&v::ATTRIBUTE_FORMATS)).or("\"Invalid\""),
    ],
);

static VERTEX_LAYOUT: Object = Object::new(
    "vertex layout",
    &[
        count("stride", "0"),
        key("step_function", One(&v::VERTEX_STEPS)).or("\"PerVertex\""),
        count("step_rate", "1"),
    ],
);

static STAGE_LAYOUT: Object = Object::new(
    "stage input layout",
    &[
        count("stride", "0"),
        key("step_function", One(&v::STAGE_STEPS)).or("\"PerVertex\""),
        count("step_rate", "1"),
    ],
);
