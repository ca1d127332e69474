//! A script for a library.

use crate::facts::{Function, Kind, Library};
use crate::finding::shown;
use crate::json::Value;
use crate::model::{Reference, Target};
use crate::nearest::Nearest;
use crate::values::{PIXEL_FORMATS, Values};

mod pairs;
mod parts;

use pairs::Pairs;

/// What a script is to say.
#[derive(Clone, Debug)]
pub struct Options {
    /// Format of the color attachment of render pipelines.
    pub pixel_format: String,
    /// Format of their depth attachment.
    pub depth_format: Option<String>,
    /// Vertex and fragment functions that belong together, as `VERTEX:FRAGMENT`.
    pub pairs: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { pixel_format: "BGRA8Unorm".to_owned(), depth_format: None, pairs: Vec::new() }
    }
}

/// A script that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The script.
    pub script: Value,
    /// How many pipelines it has.
    pub pipelines: usize,
    /// Functions that it does not name, and why.
    pub left_out: Vec<LeftOut>,
}

/// A function that a script does not name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// Why it is not there.
    pub why: &'static str,
}

/// Makes a script for libraries at these paths: all that it names is there, constants have values
/// to begin with (`false`, 0), and attributes of vertices are packed in buffer 0.
///
/// Functions of one library are named plainly, as `metal-tt LIBRARY SCRIPT` finds them; of several
/// by label and path.
///
/// ```
/// use mtlp_script::facts::{Function, Kind, Library};
/// use mtlp_script::make::{Options, make};
///
/// let name = "add".to_owned();
/// let add = Function { name, kind: Kind::Kernel, constants: vec![], attributes: vec![] };
/// let library = Library::new("math.metallib", vec![add]);
/// let made = make(&[("math.metallib", &library)], &Options::default()).unwrap();
/// assert_eq!(
///     made.script.to_text(),
///     "{\n  \"pipelines\": { \"compute_pipelines\": [{ \"compute_function\": \"add\" }] }\n}\n"
/// );
/// ```
///
/// # Errors
/// If a pixel format or a function of a pair is not known.
pub fn make(libraries: &[(&str, &Library)], options: &Options) -> Result<Made, String> {
    let nearest = Nearest::default();
    let known = |name: &str, values: &Values| match values.has(name) {
        true => Ok(()),
        false => {
            let hint = nearest.hint(name, values.names.iter().copied());
            Err(format!("there is no {} {}{hint}", values.what, shown(name)))
        }
    };
    known(&options.pixel_format, &PIXEL_FORMATS)?;
    options.depth_format.as_ref().map_or(Ok(()), |format| known(format, &PIXEL_FORMATS))?;
    let labels = parts::labels(libraries);
    let mut left_out = Vec::new();
    let functions = parts::functions(libraries, &labels, &mut left_out);
    let pairs = Pairs::of(&functions, &options.pairs, &nearest)?;
    Ok(parts::script(libraries, &labels, &functions, &pairs, options, left_out))
}

/// A function that can be named.
#[derive(Clone, Copy, Debug)]
struct Named<'l> {
    /// The label of its library; `None` if there is only one.
    library: Option<&'l str>,
    function: &'l Function,
}

impl Named<'_> {
    fn is(&self, kind: Kind) -> bool {
        self.function.kind == kind
    }

    /// How the function itself is referred to.
    fn plain(&self) -> String {
        let name = &self.function.name;
        self.library.map_or_else(|| name.clone(), |label| format!("alias:{label}#{name}"))
    }

    /// Whether that is read as it is meant.
    fn can_be_named(&self) -> bool {
        let name = self.function.name.as_str();
        let meant = self.library.map_or(Target::Name(name), |label| Target::Alias { label, name });
        Reference::read(&self.plain()) == Ok(meant)
    }
}
