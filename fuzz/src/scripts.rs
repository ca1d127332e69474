//! Pipeline scripts.

use mtlp_script::facts::{Attribute, Constant, Function, Kind, Known, Library};
use mtlp_script::json::{Value, read};
use mtlp_script::{Form, Report, Script, Severity, check, convert, graph};

/// Any bytes as a script of either form: they are refused, or laid out they say the same and stay so.
/// The check and the graphs take whatever can be read; what converts is without errors, and comes
/// back with nothing lost.
///
/// # Panics
/// If a law does not hold.
pub fn scripts(data: &[u8]) {
    for form in [Form::Mtlp, Form::Mtl4] {
        match Script::parse(data, form) {
            Ok(script) => laws(&script, data),
            Err(error) => assert!(Report::of_syntax(error).placed(data).count() == 1),
        }
    }
}

fn laws(script: &Script, data: &[u8]) {
    let text = script.to_text();
    let again = read(text.as_bytes()).expect("what was written can be read");
    assert!(again.value.same(script.value()), "laid out, a script says the same");
    assert!(again.trailing_commas.is_empty());
    assert!(again.value.to_text() == text, "laid out, a script stays");
    let library = library();
    let known = Known {
        command_line: vec![&library],
        by_path: [("a".to_owned(), Some(&library)), ("b".to_owned(), None)].into(),
    };
    placed(&check(script, &known), data);
    let model = script.model();
    for graph in model.stitched.iter().flat_map(|stitched| &stitched.graphs) {
        assert!(graph::to_text(graph).lines().count() >= 1);
    }
    assert!(graph::to_dot(model.stitched.iter().flat_map(|one| &one.graphs)).ends_with("}\n"));
    match convert(script) {
        Ok(there) => back(script, &there),
        Err(report) => assert!(report.count(Severity::Error) > 0),
    }
}

/// Findings come in the order of the text.
fn placed(report: &Report, data: &[u8]) {
    let places: Vec<_> = report.placed(data).map(|one| (one.line, one.column)).collect();
    assert!(places.is_sorted(), "{places:?}");
    let errors = report.findings().iter().filter(|one| one.severity == Severity::Error).count();
    assert!(errors as u64 <= report.count(Severity::Error));
}

/// There, back and there again is there. What has no counterpart on the way back was refused.
fn back(script: &Script, there: &Value) {
    let other = if script.form() == Form::Mtlp { Form::Mtl4 } else { Form::Mtlp };
    let parse = |value: &Value, form| {
        Script::parse(value.to_text().as_bytes(), form).expect("a script that was converted")
    };
    let back = convert(&parse(there, other));
    let back = back.unwrap_or_else(|report| panic!("no way back: {:?}", report.findings()));
    let again = convert(&parse(&back, script.form())).expect("what came back goes again");
    assert!(again.same(there), "{}{}", there.to_text(), again.to_text());
}

/// A library with functions of all kinds, with short names that mutations meet.
fn library() -> Library {
    let kinds = [
        ("k", Kind::Kernel),
        ("v", Kind::Vertex),
        ("f", Kind::Fragment),
        ("m", Kind::Mesh),
        ("o", Kind::Object),
        ("s", Kind::Visible),
        ("i", Kind::Intersection),
        ("x", Kind::Other),
    ];
    let function = |(name, kind): (&str, Kind)| Function {
        name: name.to_owned(),
        kind,
        constants: match kind {
            Kind::Fragment => vec![constant("c", 0, "Bool"), constant("d", 1, "Float3")],
            _ => Vec::new(),
        },
        attributes: match kind {
            Kind::Vertex => {
                vec![Attribute { name: "a".to_owned(), index: 0, data_type: "Float4".to_owned() }]
            }
            _ => Vec::new(),
        },
    };
    Library::new("a", kinds.into_iter().map(function).collect())
}

fn constant(name: &str, index: u16, data_type: &str) -> Constant {
    Constant { name: name.to_owned(), index, data_type: data_type.to_owned(), required: true }
}
