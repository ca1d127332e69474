//! Faults planted in the examples, and what is said of each.

use crate::{says, script};

/// What it takes to find a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Reading.
    Syntax,
    /// The schema.
    Schema,
    /// Other parts of the script.
    Script,
    /// A library.
    Library,
}

/// A fault: a script, what is changed in it, and what is said of it.
pub(crate) struct Fault {
    pub(crate) script: &'static str,
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) layer: Layer,
    pub(crate) says: &'static str,
}

impl Fault {
    /// The script with the fault in it.
    pub(crate) fn planted(&self) -> String {
        let text = script(self.script);
        assert!(text.contains(self.from), "{} does not hold {}", self.script, self.from);
        text.replacen(self.from, self.to, 1)
    }
}

/// Each has its one message.
#[test]
fn every_fault_is_found() {
    let mut wrong = Vec::new();
    for fault in FAULTS {
        let said = says(fault.script, &fault.planted());
        if said != [fault.says] {
            wrong.push(format!("{} -> {}\n  {}", fault.from, fault.to, said.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(FAULTS.len() >= 40);
    println!("{} planted faults", FAULTS.len());
}

macro_rules! faults {
    ($($script:literal { $($layer:ident $from:literal => $to:literal: $says:literal;)* })*) => {
        pub(crate) const FAULTS: &[Fault] = &[$($(Fault {
            script: $script,
            from: $from,
            to: $to,
            layer: Layer::$layer,
            says: $says,
        },)*)*];
    };
}

faults! {
    "render.mtlp-json" {
        Syntax "\"path\": \"./" => "\"path\" \"./": "3:43: error: expected `:`, found `\"`";
        Syntax "\"stride\": 16" => "'stride': 16": "15:25: error: expected a key in quotes, found `'`";
        Script "\"offset\": 12" => "\"offset\": 12, \"offset\": 12": "13:48: error: the key `offset` is there twice";
        Script "\"PerVertex\" }" => "\"PerVertex\" },": "15:69: warning: JSON allows no comma behind the last element; `script fmt` removes it";
        Script "\"write_mask\"" => "\"writemask\"": "20:13: warning: `writemask` is no key of a color attachment; did you mean `write_mask`?";
        Schema "\"BGRA8Unorm\"" => "\"BGRA8Unrom\"": "19:29: error: there is no pixel format `BGRA8Unrom`; did you mean `BGRA8Unorm`?";
        Schema "Green Blue" => "Gren Blue": "20:27: error: there is no word of a write mask `Gren`; did you mean `Green`?";
        Schema "true" => "\"true\"": "21:33: error: `blending_enabled` must be true or false, not a string";
        Schema "\"SourceAlpha\"" => "\"sourcealpha\"": "22:40: error: there is no blend factor `sourcealpha`; did you mean `SourceAlpha`?";
        Schema "\"Float3\"" => "\"Float5\"": "12:57: error: there is no attribute format `Float5`; did you mean `Float`?";
        Schema "\"offset\": 12" => "\"offset\": -12": "13:44: error: `offset` must be a whole number from 0 to 4294967295, not `-12`";
        Schema "\"buffer_index\": 0" => "\"buffer_index\": 31": "12:31: error: `buffer_index` must be a whole number from 0 to 30, not `31`";
        Script "[{ \"label\": \"shapes\"," => "[{ \"label\": \"shapes\", \"path\": \"./shapes.metallib\" }, { \"label\": \"shapes\",": "3:78: error: there are two labels `shapes`";
        Script "\"libraries\": {\n    \"paths\": [" => "\"libraries\": {\n    \"paths\": [{ \"label\": \"other\", \"path\": \"rays.metallib\" }, ": "3:26: warning: nothing refers to the library `other`";
        Library "alias:shapes#shapeFragment" => "alias:shape#shapeFragment": "9:30: warning: nothing has the label `shape`; did you mean `shapes`?; in the manual an alias names a label of `paths`, `specialized_functions` or `stitched_libraries`";
        Library "alias:shapes#shapeFragment" => "alias:shape#fill": "9:30: error: nothing has the label `shape`; did you mean `shapes`?; in the manual an alias names a label of `paths`, `specialized_functions` or `stitched_libraries`";
        Library "#shapeFragment" => "#shapeFragmnet": "9:30: error: there is no function `shapeFragmnet` in `shapes.metallib`; did you mean `shapeFragment`?";
        Library "#shapeFragment" => "#shapeVertex": "9:30: error: `shapeVertex` is a function of type vertex; `fragment_function` takes fragment";
        Library "./shapes.metallib" => "missing.metallib": "3:44: error: the library `missing.metallib` was not found; -L names the folders of libraries";
        Library ",\n            { \"buffer_index\": 0, \"offset\": 12, \"format\": \"UChar4Normalized\" }" => "": "10:30: error: the function reads attribute 1 `tint` of type Float4, which the vertex descriptor does not describe";
        Library "UChar4Normalized" => "UChar4": "13:58: error: attribute 1 `tint` is of type Float4, which cannot be read of the format UChar4";
    }
    "compute.mtlp-json" {
        Schema "        \"compute_function\": \"alias:rays#traceRays\",\n" => "": "9:7: error: a compute pipeline needs the key `compute_function`";
        Schema "_depth\": 2" => "_depth\": 2.5": "11:33: error: `max_call_stack_depth` must be a whole number from 0 to 4294967295, not `2.5`";
        Schema "alias:rays#traceRays" => "alias:rays": "10:29: error: `alias:rays` is no reference: expected `alias:LABEL#NAME`";
        Script "[\"hitSphere\"" => "[\"hitSphre\"": "14:32: error: `hitSphre` is not listed under the key `functions` of the script; did you mean `hitSphere`?";
        Script "\"functions\": [\"shadeSurface\"]" => "\"functions\": [\"hitSphere\"]": "15:57: error: `hitSphere` is none of the functions that are linked here";
        Library "alias:rays#traceRays" => "alias:rays#traceScene": "10:29: error: `traceScene` needs a value for `useTable` (index 0, Bool), `gridSize` (index 1, Int3): refer to a specialised function by `alias:LABEL#NAME`";
        Library "alias:rays#hitSphere" => "alias:rays#hitSphere\" }, { \"function\": \"alias:rays#shadeSurface": "4:86: error: `shadeSurface` is a function of type visible; `intersection_functions` takes intersection";
    }
    "specialized.mtlp-json" {
        Schema "ConstantInt3" => "ConstantInt5": "31:27: error: there is no constant type `ConstantInt5`; did you mean `ConstantInt`?";
        Schema "[1, 2, 3]" => "[1, 2]": "32:32: error: ConstantInt3 takes a list of 3, not a list of 2";
        Schema "[8, 8, 8]" => "[8, 8, 2147483648]": "46:30: error: ConstantInt3 takes a whole number from -2147483648 to 2147483647, not 2147483648";
        Schema "{ \"data\": 1 }" => "{ \"data\": 65536 }": "30:29: error: the index of a constant must be a whole number from 0 to 65535, not `65536`";
        Schema "FunctionConstantIndex" => "FunctionConstantIdx": "23:24: error: there is no id type `FunctionConstantIdx`; did you mean `FunctionConstantIndex`?";
        Script "\"value\": { \"data\": [8, 8, 8] }\n        }" => "\"value\": { \"data\": [8, 8, 8] }\n        },\n        { \"id_type\": \"FunctionConstantName\", \"id\": \"gridSize\", \"value_type\": \"ConstantInt3\", \"value\": { \"data\": [8, 8, 8] } }": "48:9: error: the constant `gridSize` has a value already";
        Script ",\n      { \"compute_function\": \"alias:sceneAlone#traceScene\" }" => "": "19:18: warning: no pipeline uses the specialised function `sceneAlone`; what is not compiled ahead is compiled when the program runs";
        Script "\"common\",\n        \"constant_values\"" => "\"comon\",\n        \"constant_values\"": "8:34: error: no list of constants has the name `comon`; did you mean `common`?";
        Library "\"useTable\"" => "\"useTabel\"": "10:11: error: `traceScene` does not have the constant `useTabel`; did you mean `useTable`?";
        Library ",\n          {\n            \"id_type\": \"FunctionConstantIndex\",\n            \"id\": { \"data\": 1 },\n            \"value_type\": \"ConstantInt3\",\n            \"value\": { \"data\": [1, 2, 3] }\n          }" => "": "19:18: error: `sceneAlone` gives no value for `gridSize` (index 1, Int3)";
        Library "ConstantInt3" => "ConstantUInt3": "28:11: error: the constant of index 1 is of type ConstantInt3, not ConstantUInt3";
        Library "#traceTable" => "#traceScene": "55:29: error: the specialised function `sceneWithTable` is called `traceTable`, not `traceScene`";
        Script "\"function\": \"traceScene\",\n        \"constant_values\"" => "\"function\": \"alias:sceneAlone#traceScene\",\n        \"constant_values\"": "20:21: error: specialised functions refer to each other in a circle, or 16 times in a row";
    }
    "stitched.mtlp-json" {
        Schema "\"FunctionNode\"" => "\"FunctionNod\"": "16:30: error: there is no node type `FunctionNod`; did you mean `FunctionNode`?";
        Schema "{ \"index\": 2 }" => "{}": "14:51: error: an input node needs the key `index`";
        Script "{ \"id\": 4 }]" => "{ \"id\": 5 }]": "27:54: error: node 5 takes node 5, which must come before it";
        Script "{ \"id\": 4 }]" => "{ \"id\": 9 }]": "27:54: error: there is no node 9; the graph has 6";
        Script "\"output_node\": { \"id\": 5 }" => "\"output_node\": { \"id\": 0 }": "32:36: error: the output must be a call, and node 0 is an input";
        Script "\"output_node\": { \"id\": 5 }" => "\"output_node\": { \"id\": 6 }": "32:36: error: there is no node 6; the graph has 6";
        Script "\n                }\n              }\n            ]" => "\n                }\n              },\n              { \"node_type\": \"InputNode\", \"node\": { \"index\": 3 } }\n            ]": "31:15: warning: node 6 is an input that no call takes";
        Script "\"name\": \"gather\"" => "\"name\": \"gathr\"": "26:27: error: `gathr` is none of the `functions` of `made`; did you mean `gather`?";
        Script "alias:made#blendThree" => "alias:made#blendTwo": "45:53: error: the stitched library has no graph `blendTwo`";
        Library "file:parts.metallib" => "file:missing.metallib": "44:29: error: the library `missing.metallib` was not found; -L names the folders of libraries";
        Library "\"alias:parts#gather\"]" => "\"alias:parts#gather\", \"alias:parts#apply\"]": "7:66: error: `apply` is a function of type kernel; `functions` takes visible";
    }
    "stages.mtlp-json" {
        Schema "\"major\": 1" => "\"major\": \"1\"": "2:25: error: `major` must be a number, not a string";
        Schema "\"Immutable\"" => "\"immutable\"": "17:42: error: there is no mutability `immutable`; did you mean `Immutable`?";
        Schema "\"Depth32Float\"" => "\"Depth32Flaot\"": "29:42: error: there is no pixel format `Depth32Flaot`; did you mean `Depth32Float`?";
        Script "apple7)" => "apple7": "7:20: error: in the predicate: expected `)`, found `|| supportsFamily(mac2)`";
        Script "apple7" => "apple77": "7:20: error: there is no GPU family `apple77`; did you mean `apple7`?";
        Script "$meshes()" => "$mesh()": "22:19: error: no predicate `mesh` is defined before this";
        Script "$fast()" => "$meshes()": "9:38: error: no predicate `meshes` is defined before this";
    }
    "metal4.mtl4-json" {
        Schema "\"Enabled\"" => "\"On\"": "41:61: error: there is no state `On`";
        Script "\"payload_memory_length\"" => "\"payload_length\"": "39:9: warning: `payload_length` was not seen in a mesh render pipeline descriptor";
        Library "\"name\": \"meshMain\"" => "\"name\": \"meshMan\"": "7:38: error: there is no function `meshMan` in `shapes.metallib`; did you mean `meshMain`?";
        Script "\"meshMain\", \"library\": \"shapes\"" => "\"meshMain\", \"library\": \"shape\"": "7:61: error: no library has the label `shape`; did you mean `shapes`?";
    }
}
