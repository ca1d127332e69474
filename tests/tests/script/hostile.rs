//! Scripts that mean harm: large ones, in ways in which a check could take time by the square.

use std::fmt::Write;
use std::time::{Duration, Instant};

use mtlp_script::facts::{Constant, Function, Kind, Known, Library};
use mtlp_script::{Form, Script, Severity, check, convert, graph};

/// How many of a thing; its square takes minutes.
const MANY: usize = 30_000;

/// Far more than a linear check takes on a slow machine.
const LONGEST: Duration = Duration::from_secs(60);

fn list(each: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for index in 0..MANY {
        let comma = if index == 0 { "" } else { "," };
        write!(out, "{comma}{}", each(index)).unwrap();
    }
    out
}

fn library() -> Library {
    let constant =
        Constant { name: "c".to_owned(), index: 0, data_type: "Bool".to_owned(), required: true };
    let function = |name: &str, kind, constants| Function {
        name: name.to_owned(),
        kind,
        constants,
        attributes: Vec::new(),
    };
    let many = (0..MANY).map(|index| function(&format!("f{index}"), Kind::Visible, vec![]));
    let k = function("k", Kind::Kernel, vec![constant]);
    Library::new("a", many.chain([k]).collect())
}

/// Errors and warnings, within time.
fn counted(what: &str, text: &str) -> (u64, u64) {
    let library = library();
    let start = Instant::now();
    let script = Script::parse(text.as_bytes(), Form::Mtlp).unwrap();
    let known =
        Known { command_line: vec![&library], by_path: [("a".to_owned(), Some(&library))].into() };
    let report = check(&script, &known);
    let _ = convert(&script);
    let _ = script.to_text();
    let taken = start.elapsed();
    println!("{what}: {} bytes, {taken:.2?}", text.len());
    assert!(taken < LONGEST, "{what}: {taken:.2?}");
    (report.count(Severity::Error), report.count(Severity::Warning))
}

#[test]
fn much_of_anything_takes_time_by_its_size() {
    let many = MANY as u64;
    let kernels = list(|index| format!(r#"{{"compute_function":"f{index}x"}}"#));
    let text = format!(r#"{{"pipelines":{{"compute_pipelines":[{kernels}]}}}}"#);
    assert_eq!(counted("wrong names", &text), (many, 0));
    let functions = list(|index| format!(r#""f{index}""#));
    let node = r#"{"node_type":"FunctionNode","node":{"name":"f0"}}"#;
    let graphs = list(|index| {
        format!(r#"{{"function_name":"g{index}","nodes":[{node}],"output_node":{{"id":0}}}}"#)
    });
    let used = list(|index| format!(r#"{{"function":"alias:s#g{index}"}}"#));
    let text = format!(
        r#"{{"libraries":{{"stitched_libraries":[{{"label":"s","functions":[{functions}],"function_graphs":[{graphs}]}}]}},"functions":{{"visible_functions":[{used}]}}}}"#
    );
    assert_eq!(counted("graphs and functions", &text), (0, 0));
    let values = list(|index| {
        format!(
            r#"{{"id_type":"FunctionConstantName","id":"c{index}","value_type":"ConstantBool","value":{{"data":true}}}}"#
        )
    });
    let specialized = list(|index| {
        format!(r#"{{"label":"s{index}","function":"k","named_constant_values":"all"}}"#)
    });
    let text = format!(
        r#"{{"named_function_constant_values":[{{"name":"all","constant_values":[{values}]}}],"libraries":{{"specialized_functions":[{specialized}]}}}}"#
    );
    assert_eq!(counted("constants and functions", &text), (many, many));
    let paths = list(|index| format!(r#"{{"label":"l{index}","path":"a"}}"#));
    let kernels = list(|index| format!(r#"{{"compute_function":"alias:l{index}#f"}}"#));
    let text = format!(
        r#"{{"libraries":{{"paths":[{paths}]}},"pipelines":{{"compute_pipelines":[{kernels}]}}}}"#
    );
    assert_eq!(counted("one name in many libraries", &text), (many, 0));
    let keys = list(|index| format!(r#""f{index}":0"#));
    assert_eq!(counted("unknown keys", &format!("{{{keys}}}")), (0, many));
    let keys = list(|_| r#""version":0"#.to_owned());
    assert_eq!(counted("one key many times", &format!("{{{keys}}}")).0, many);
    let chain = list(|index| {
        let next = (index + 1) % MANY;
        format!(r#"{{"label":"s{index}","function":"alias:s{next}#k"}}"#)
    });
    let text = format!(r#"{{"libraries":{{"specialized_functions":[{chain}]}}}}"#);
    assert!(counted("a circle of aliases", &text).0 > 0);
    let long = "x".repeat(8 << 20);
    let text = format!(
        r#"{{"libraries":{{"paths":[{{"label":"{long}","path":"a"}}]}},"pipelines":{{"compute_pipelines":[{{"compute_function":"alias:{long}#{long}"}}]}}}}"#
    );
    assert_eq!(counted("long labels", &text), (1, 0));
}

/// Names in messages and graphs stay on their line and drive no terminal.
#[test]
fn names_stay_on_their_line() {
    let text = r#"{"libraries":{"stitched_libraries":[{"label":"s\u001b[31m\n","functions":["f\n\u001b]0;x\u0007"],
"function_graphs":[{"function_name":"g\n\u001b[2J","nodes":[{"node_type":"FunctionNode","node":{"name":"f\n\u001b]0;x\u0007"}}],"output_node":{"id":0}}]}]},
"functions":{"visible_functions":[{"function":"alias:s\u001b[31m\n#g\n\u001b[2"},{"function":"alias:s\u001b[31n\n#g"}]},
"pipelines":{"compute_pipelines":[{"compute_function":"k\n\u0000\u009b"}],"\u001b\n":[]}}"#;
    let script = Script::parse(text.as_bytes(), Form::Mtlp).unwrap();
    let library = library();
    let known = Known { command_line: vec![&library], ..Known::default() };
    let report = check(&script, &known);
    assert!(report.findings().len() >= 5, "{:?}", report.findings());
    for finding in report.findings() {
        assert!(!finding.message.contains(char::is_control), "{:?}", finding.message);
    }
    let graphs: Vec<_> = script.model().stitched.into_iter().flat_map(|one| one.graphs).collect();
    let plain = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n');
    let body = graph::to_text(&graphs[0]);
    assert_eq!(body.lines().count(), 3, "{body}");
    let dot = graph::to_dot(&graphs);
    assert!(plain(&body) && plain(&dot), "{body}{dot}");
    assert_eq!(dot.lines().count(), 9, "{dot}");
}
