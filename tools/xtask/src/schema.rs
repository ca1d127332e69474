//! The JSON Schemas of pipeline scripts, for editors.

use std::fs;

use mtlp_script::Form;
use mtlp_script::schema::json_schema;
use mtlpack::io::{Outcome, Target, write_text};

use crate::run::{Result, root};

/// Arguments of `cargo xtask schema`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only compare with the files that are there
    #[arg(long)]
    check: bool,
}

/// Forms and names of their files.
const FILES: [(Form, &str); 2] =
    [(Form::Mtlp, "mtlp-json.schema.json"), (Form::Mtl4, "mtl4-json.schema.json")];

/// Makes the schemas, or compares them.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut stale = Vec::new();
    for (form, name) in FILES {
        let path = root().join("schemas").join(name);
        let text = json_schema(form).to_text();
        if !args.check {
            let outcome = write_text(&Target::from(path.clone()), &text)?;
            let verb = if outcome == Outcome::Unchanged { "unchanged" } else { "written" };
            println!("{verb}: {} ({} bytes)", path.display(), text.len());
        } else if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            stale.push(format!("{} differs; run `cargo xtask schema`", path.display()));
        }
    }
    if stale.is_empty() { Ok(()) } else { Err(stale.join("\n").into()) }
}
