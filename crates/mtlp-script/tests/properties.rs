//! Properties of scripts over values, libraries and texts that are made up.

use mtlp_script::facts::{Attribute, Constant, Function, Kind, Known, Library};
use mtlp_script::json::{Data, Value, read};
use mtlp_script::make::{Options, make};
use mtlp_script::{Form, Script, check};
use proptest::collection::vec;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::made(Data::Null)),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "\\PC*|[\"\\\\\n\t\u{0}-\u{1f}\u{7f}-\u{9f}]{0,4}"
            .prop_map(|text| Value::from(text.as_str())),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec(("[a-z_]{0,30}", inner), 0..8).prop_map(|members| {
                let members = members.iter().map(|(key, value)| (key.as_str(), value.clone()));
                Value::object(members)
            }),
        ]
    })
}

fn library() -> impl Strategy<Value = Library> {
    let kind = prop::sample::select(vec![
        Kind::Kernel,
        Kind::Vertex,
        Kind::Fragment,
        Kind::Mesh,
        Kind::Object,
        Kind::Visible,
        Kind::Intersection,
        Kind::Other,
    ]);
    let data_type = prop::sample::select(vec!["Bool", "Float3", "UChar4", "Half", "Texture"]);
    let name = "[ab]?(vs|fs|_v|#|alias:|file:a#|:|é)?[ab]?";
    let constant = (name, any::<u16>(), data_type.clone(), any::<bool>());
    let constant = constant.prop_map(|(name, index, data_type, required)| Constant {
        name,
        index,
        data_type: data_type.to_owned(),
        required,
    });
    let attribute = ("[ab]", 0..34_u16, data_type).prop_map(|(name, index, data_type)| Attribute {
        name,
        index,
        data_type: data_type.to_owned(),
    });
    let function = (name, kind, vec(constant, 0..4), vec(attribute, 0..4)).prop_map(
        |(name, kind, constants, attributes)| Function { name, kind, constants, attributes },
    );
    vec(function, 0..20).prop_map(|functions| Library::new("x.metallib", functions))
}

proptest! {
    /// What is written is read again as it was, and written again as it is.
    #[test]
    fn values_come_back(value in value()) {
        let text = value.to_text();
        let again = read(text.as_bytes()).unwrap();
        prop_assert!(again.value.same(&value), "{}", text);
        prop_assert_eq!(again.value.to_text(), text);
        prop_assert!(again.trailing_commas.is_empty());
    }

    /// A script for any one library, or two, passes the check against them without a warning.
    #[test]
    fn what_is_made_passes(first in library(), second in library(), both in any::<bool>()) {
        let mut libraries = vec![("a/x.metallib", &first)];
        if both {
            libraries.push(("b/x.metallib", &second));
        }
        let made = make(&libraries, &Options::default()).unwrap();
        let text = made.script.to_text();
        let script = Script::parse(text.as_bytes(), Form::Mtlp).unwrap();
        let known = match both {
            true => Known {
                command_line: Vec::new(),
                by_path: libraries.iter().map(|(path, one)| ((*path).to_owned(), Some(*one))).collect(),
            },
            false => Known { command_line: vec![&first], ..Known::default() },
        };
        let report = check(&script, &known);
        let unused = |finding: &&mtlp_script::Finding| {
            finding.rule != mtlp_script::Rule::UnusedLabel
        };
        let wrong: Vec<_> = report.findings().iter().filter(unused).collect();
        prop_assert!(wrong.is_empty(), "{:?}\n{}", wrong, text);
        prop_assert_eq!(report.not_looked_up, 0);
    }

    /// Any text is refused, or checked.
    #[test]
    fn any_text_is_refused_or_checked(text in "[\\[\\]{}\",:0-9a-z\\\\ \n-]{0,60}") {
        if let Ok(script) = Script::parse(text.as_bytes(), None) {
            let _ = check(&script, &Known::default());
        }
    }
}
