//! Scripts for every library of the corpus.

use mtlp_script::facts::Known;
use mtlp_script::json::read;
use mtlp_script::make::{Options, make};
use mtlp_script::{Form, Script, check};
use mtlpack::{Named, script_facts};
use mtlpack_tests::corpus_and_large;

/// A script that is made for a library passes the check against it without a warning, names every
/// function but those that are left out with a reason, and is laid out.
#[test]
fn scripts_that_are_made_pass() {
    let (mut scripts, mut functions, mut left_out, mut empty) = (0, 0, 0, 0);
    for sample in corpus_and_large("scripts") {
        let library = sample.library();
        let facts = script_facts(Named { name: &sample.name, library: &library }).unwrap();
        let made = make(&[(&sample.name, &facts)], &Options::default()).unwrap();
        let text = made.script.to_text();
        let script = Script::parse(text.as_bytes(), Form::Mtlp).unwrap();
        let known = Known { command_line: vec![&facts], ..Known::default() };
        let report = check(&script, &known);
        assert_eq!(report.findings(), [], "{}", sample.name);
        assert_eq!(report.not_looked_up, 0, "{}", sample.name);
        assert_eq!(script.to_text(), text, "{}", sample.name);
        let model = script.model();
        let stages = model.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
        let mut named: Vec<&str> =
            stages.chain(&model.listed).map(|stage| stage.reference.name()).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len() + made.left_out.len(), facts.functions().len(), "{}", sample.name);
        functions += named.len();
        left_out += made.left_out.len();
        empty += usize::from(named.is_empty());
        scripts += 1;
    }
    println!(
        "{scripts} scripts name {functions} functions and leave out {left_out}; {empty} name none"
    );
}

/// Scripts of others that lie in the corpus are read, and come back with the same content.
#[test]
fn scripts_of_the_corpus_are_clean() {
    let mut count = 0;
    for (name, text) in mtlpack_tests::scripts() {
        let script = Script::parse(&text, Form::of_name(&name)).unwrap();
        assert_eq!(check(&script, &Known::default()).findings(), [], "{name}");
        let again = read(script.to_text().as_bytes()).unwrap();
        assert!(again.value.same(script.value()), "{name}");
        count += 1;
    }
    println!("{count} scripts of the corpus");
}
