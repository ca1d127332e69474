//! The committed JSON Schemas beside `check`.

use boon::{Compiler, SchemaIndex, Schemas};
use mtlp_script::schema::json_schema;
use mtlp_script::{Form, Script};
use serde_json::Value;

use crate::SCRIPTS;
use crate::faults::{FAULTS, Layer};

const FILES: [(Form, &str); 2] = [
    (Form::Mtlp, include_str!("../../../schemas/mtlp-json.schema.json")),
    (Form::Mtl4, include_str!("../../../schemas/mtl4-json.schema.json")),
];

/// A validator of each form.
struct Validators {
    schemas: Schemas,
    compiled: Vec<(Form, SchemaIndex)>,
}

impl Validators {
    fn new() -> Self {
        let mut compiler = Compiler::new();
        let mut schemas = Schemas::new();
        let mut compiled = Vec::new();
        for (form, text) in FILES {
            let name = format!("schema:{}", form.extension());
            compiler.add_resource(&name, serde_json::from_str(text).unwrap()).unwrap();
            compiled.push((form, compiler.compile(&name, &mut schemas).unwrap()));
        }
        Self { schemas, compiled }
    }

    /// Whether a script is accepted; trailing commas, which no validator reads, are taken away.
    fn accept(&self, name: &str, text: &str) -> Option<bool> {
        let script = Script::parse(text.as_bytes(), Form::of_name(name)).ok()?;
        let value: Value = serde_json::from_str(&script.to_text()).unwrap();
        let (_, index) = self.compiled.iter().find(|(form, _)| *form == script.form()).unwrap();
        Some(self.schemas.validate(&value, *index).is_ok())
    }
}

#[test]
fn committed_schemas_are_those_of_the_tables() {
    for (form, text) in FILES {
        assert!(json_schema(form).to_text() == text, "{form:?}: run `cargo xtask schema`");
    }
}

#[test]
fn schemas_accept_what_is_right() {
    let validators = Validators::new();
    for (name, text) in SCRIPTS {
        assert_eq!(validators.accept(name, text), Some(true), "{name}");
    }
}

/// The schemas refuse every fault of keys and values. What needs another place of the script, or
/// a library, is no matter of a schema.
#[test]
fn schemas_refuse_faults_of_keys_and_values() {
    let validators = Validators::new();
    let mut refused = 0;
    for fault in FAULTS {
        let expected = match fault.layer {
            Layer::Syntax => None,
            Layer::Schema => Some(false),
            Layer::Script | Layer::Library => Some(true),
        };
        let found = validators.accept(fault.script, &fault.planted());
        assert_eq!(found, expected, "{} -> {}", fault.from, fault.to);
        refused += usize::from(found == Some(false));
    }
    println!("schemas refuse {refused} of {} planted faults", FAULTS.len());
}
