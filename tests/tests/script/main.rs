//! Pipeline scripts: the worked examples of Apple's article and talk in other words, faults planted
//! in them, and scripts made for every library of the corpus.

mod corpus;
mod faults;
mod hostile;
mod libraries;
mod schema;

use libraries::Libraries;
use mtlp_script::json::Value;
use mtlp_script::{Form, Script, Severity, check, convert, graph};

/// The scripts of `tests/data/scripts` that are as they should be.
pub(crate) const SCRIPTS: [(&str, &str); 6] = [
    ("render.mtlp-json", include_str!("../../data/scripts/render.mtlp-json")),
    ("compute.mtlp-json", include_str!("../../data/scripts/compute.mtlp-json")),
    ("specialized.mtlp-json", include_str!("../../data/scripts/specialized.mtlp-json")),
    ("stitched.mtlp-json", include_str!("../../data/scripts/stitched.mtlp-json")),
    ("stages.mtlp-json", include_str!("../../data/scripts/stages.mtlp-json")),
    ("metal4.mtl4-json", include_str!("../../data/scripts/metal4.mtl4-json")),
];

/// One of them.
pub(crate) fn script(name: &str) -> &'static str {
    let found = SCRIPTS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("there is no script {name}")).1
}

/// What a check says, as `line:column: severity: message`.
pub(crate) fn says(name: &str, text: &str) -> Vec<String> {
    let libraries = Libraries::built();
    let report = match Script::parse(text.as_bytes(), Form::of_name(name)) {
        Ok(script) => check(&script, &libraries.known()),
        Err(error) => mtlp_script::Report::of_syntax(error),
    };
    assert_eq!(report.not_looked_up, 0, "{name}");
    report
        .placed(text.as_bytes())
        .map(|placed| {
            let (line, column, finding) = (placed.line, placed.column, placed.finding);
            format!("{line}:{column}: {}: {}", finding.severity, finding.message)
        })
        .collect()
}

#[test]
fn the_examples_are_clean_and_laid_out() {
    for (name, text) in SCRIPTS {
        assert_eq!(says(name, text), [""; 0], "{name}");
        let script = Script::parse(text.as_bytes(), Form::of_name(name)).unwrap();
        assert_eq!(script.to_text(), text, "{name}");
        assert_eq!(Form::of_keys(script.value()), script.form(), "{name}");
    }
}

/// Specialised functions at the root, trailing commas, an alias to a label that is not there.
#[test]
fn what_apple_prints_gets_warnings_that_say_what_the_manual_says() {
    let text = include_str!("../../data/scripts/as_printed.mtlp-json");
    let comma = "warning: JSON allows no comma behind the last element; `script fmt` removes it";
    assert_eq!(
        says("as_printed.mtlp-json", text),
        [
            "2:3: warning: the manual has `specialized_functions` under `libraries`, not at the \
             root",
            "5:19: warning: nothing has the label `scene`; in the manual an alias names a label of \
             `paths`, `specialized_functions` or `stitched_libraries`",
            &format!("11:36: {comma}"),
            &format!("17:41: {comma}"),
            &format!("18:10: {comma}"),
            &format!("20:6: {comma}"),
        ]
    );
    // The fragment as printed also has one brace too many.
    let braces = format!("{}}}\n", text.trim_end());
    let expected = ["25:2: error: expected the end of the script, found `}`"];
    assert_eq!(says("as_printed.mtlp-json", &braces), expected);
    let laid_out = Script::parse(text.as_bytes(), Form::Mtlp).unwrap().to_text();
    let again = Script::parse(laid_out.as_bytes(), Form::Mtlp).unwrap();
    assert!(!again.value().list("specialized_functions").is_empty());
    assert!(!says("as_printed.mtlp-json", &laid_out).iter().any(|said| said.contains("comma")));
}

#[test]
fn the_graph_is_the_body_of_a_function() {
    let script = Script::parse(script("stitched.mtlp-json").as_bytes(), Form::Mtlp).unwrap();
    let model = script.model();
    let graphs = &model.stitched[0].graphs;
    assert_eq!(
        graph::to_text(&graphs[0]),
        "blendThree(Input0, Input1, Input2)\n  N0 = blend(Input0, Input1)\n  \
         N1 = blend(Input0, Input2)\n  N2 = gather(N0, N1) after N0\n  return N2\n"
    );
    let dot = graph::to_dot(graphs);
    assert!(
        dot.contains("g0n4 [label=\"N1 = blend\"];") && dot.contains("g0n3 -> g0n5 [style=dashed]")
    );
}

/// What both forms can say comes back the same.
#[test]
fn conversion_there_and_back() {
    let text = script("metal4.mtl4-json");
    let there = converted(text, Form::Mtl4).unwrap();
    assert_eq!(says("there.mtlp-json", &there.to_text()), [""; 0]);
    let back = converted(&there.to_text(), Form::Mtlp).unwrap();
    assert_eq!(says("back.mtl4-json", &back.to_text()), [""; 0]);
    let again = converted(&back.to_text(), Form::Mtl4).unwrap();
    assert!(there.same(&again), "{}{}", there.to_text(), again.to_text());
}

fn converted(text: &str, form: Form) -> Result<Value, Vec<String>> {
    let script = Script::parse(text.as_bytes(), form).unwrap();
    convert(&script).map_err(|report| {
        let errors = report.findings().iter().filter(|one| one.severity == Severity::Error);
        errors.map(|one| one.message.clone()).collect()
    })
}

/// A label that is not there is a warning in one form and an error in the other; labels of libraries
/// and functions are told apart in one form alone.
#[test]
fn conversion_refuses_what_the_other_form_would_not_take() {
    let text = r#"{ "pipelines": { "compute_pipelines": [{ "compute_function": "alias:a#f" }] } }"#;
    let expected = "as a script of the form .mtl4-json: no library has the label `a`";
    assert_eq!(converted(text, Form::Mtlp).unwrap_err(), [expected]);
    let text = r#"{
  "libraries": [{ "label": "a", "path": "a.metallib" }],
  "function_descriptors": {
    "library_function_descriptors": [{ "label": "f", "name": "f", "library": "a" }],
    "specialized_function_descriptors": [{ "label": "a", "function_descriptor": "fnd:f" }]
  },
  "pipeline_descriptors": {
    "compute_pipeline_descriptors": [{ "compute_function_descriptor": "fnd:a" }]
  }
}"#;
    let expected = "as a script of the form .mtlp-json: there are two labels `a`";
    assert!(converted(text, Form::Mtl4).unwrap_err().contains(&expected.to_owned()));
}

/// What the other form is not known to say is refused, each key by its name.
#[test]
fn conversion_refuses_by_name() {
    let refused = |name| {
        let said = converted(script(name), Form::Mtlp).unwrap_err();
        let first = |text: String| text.split(" has no").next().unwrap().to_owned();
        said.into_iter().map(first).collect::<Vec<_>>()
    };
    assert_eq!(refused("render.mtlp-json"), ["`vertex_descriptor`", "`write_mask`"]);
    assert_eq!(
        refused("compute.mtlp-json"),
        ["`functions`", "`max_call_stack_depth`", "`binary_functions`", "`groups`"]
    );
    assert_eq!(
        refused("specialized.mtlp-json"),
        [
            "`specialized_name`",
            "`named_constant_values`",
            "`named_function_constant_values`",
            "`functions`",
            "`binary_functions`"
        ]
    );
    assert_eq!(
        refused("stitched.mtlp-json"),
        [
            "`stitched_libraries`",
            "the reference `file:parts.metallib#apply`",
            "`private_functions`"
        ]
    );
}
