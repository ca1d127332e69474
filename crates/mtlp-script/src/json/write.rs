//! Writing: two spaces a level, small lists and objects on one line.

use super::{Data, Member, Value};

/// The most characters of a list or object on one line.
const WIDTH: usize = 80;

impl Value {
    /// The text of a script, with a line feed at its end. Keys keep their order, numbers their
    /// text; there are no trailing commas. What was written so is written the same again.
    ///
    /// ```
    /// use mtlp_script::json::read;
    ///
    /// let value = read(b"{\"a\":[{\"id\":0},{\"id\":1},],\"b\":1e3}").unwrap().value;
    /// assert_eq!(
    ///     value.to_text(),
    ///     "{\n  \"a\": [{ \"id\": 0 }, { \"id\": 1 }],\n  \"b\": 1e3\n}\n"
    /// );
    /// ```
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        match &self.data {
            Data::Object(members) if !members.is_empty() => object(&mut out, members, 0),
            _ => value(&mut out, self, 0, 0),
        }
        out.push('\n');
        out
    }
}

/// Writes a value; `used` characters of its line are taken already.
fn value(out: &mut String, from: &Value, level: usize, used: usize) {
    if fits(from, WIDTH.saturating_sub(used)).is_some() {
        return on_one_line(out, from);
    }
    match &from.data {
        Data::List(elements) => {
            lines(out, '[', ']', elements, level, |out, element| value(out, element, level + 1, 0));
        }
        Data::Object(members) => object(out, members, level),
        _ => on_one_line(out, from),
    }
}

fn object(out: &mut String, members: &[Member], level: usize) {
    lines(out, '{', '}', members, level, |out, member| {
        let start = out.len();
        string(out, &member.key);
        out.push_str(": ");
        let used = out.len() - start;
        value(out, &member.value, level + 1, used);
    });
}

/// Writes elements one a line.
fn lines<T>(
    out: &mut String,
    open: char,
    close: char,
    elements: &[T],
    level: usize,
    mut each: impl FnMut(&mut String, &T),
) {
    out.push(open);
    for (index, element) in elements.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        indent(out, level + 1);
        each(out, element);
    }
    out.push('\n');
    indent(out, level);
    out.push(close);
}

fn indent(out: &mut String, level: usize) {
    out.extend(std::iter::repeat_n("  ", level));
}

fn on_one_line(out: &mut String, from: &Value) {
    match &from.data {
        Data::Null => out.push_str("null"),
        Data::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Data::Number(text) => out.push_str(text),
        Data::Text(text) => string(out, text),
        Data::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                on_one_line(out, element);
            }
            out.push(']');
        }
        Data::Object(members) if members.is_empty() => out.push_str("{}"),
        Data::Object(members) => {
            out.push_str("{ ");
            for (index, Member { key, value, .. }) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                string(out, key);
                out.push_str(": ");
                on_one_line(out, value);
            }
            out.push_str(" }");
        }
    }
}

/// What is left of `room` behind a value on one line. Looks at no more than `room` bytes.
fn fits(from: &Value, room: usize) -> Option<usize> {
    match &from.data {
        Data::Null | Data::Flag(_) => room.checked_sub(5),
        Data::Number(text) => room.checked_sub(text.len()),
        Data::Text(text) => room.checked_sub(text.len() + 2),
        Data::List(elements) => {
            inside(room.checked_sub(2)?, elements.iter().map(|element| (0, element)))
        }
        Data::Object(members) => {
            let keyed = |member: &Member| member.key.len() + 4;
            let parts = members.iter().map(|member| (keyed(member), &member.value));
            inside(room.checked_sub(4)?, parts)
        }
    }
}

/// What is left of `room` behind parts of a list or object; a part is a key's length and a value.
fn inside<'v>(room: usize, parts: impl Iterator<Item = (usize, &'v Value)>) -> Option<usize> {
    let mut parts = parts;
    parts.try_fold(room, |room, (key, value)| fits(value, room.checked_sub(key + 2)?))
}

/// Writes a string with its quotes.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}
