//! SARIF 2.1.0 (OASIS), the form in which code hosts take findings.

use mtlp_script::Rule;
use serde_json::{Value, json};

use super::check::{Checked, Row};

/// The log of one run over all scripts.
pub(super) fn log(checked: &[Checked]) -> Value {
    let rule =
        |rule: &Rule| json!({ "id": rule.name(), "shortDescription": { "text": rule.about() } });
    let results = checked.iter().flat_map(|one| one.findings.iter().map(|row| result(one, row)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "mtlpack",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": Rule::ALL.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn result(checked: &Checked, row: &Row) -> Value {
    json!({
        "ruleId": row.rule,
        "level": row.severity,
        "message": { "text": row.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&checked.script) },
            "region": { "startLine": row.line, "startColumn": row.column },
        } }],
    })
}

/// A path as a URI reference: what RFC 3986 does not allow in one is escaped.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().fold(String::with_capacity(path.len()), |mut uri, byte| {
        match byte {
            _ if plain(byte) => uri.push(char::from(byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => uri += &format!("%{byte:02X}"),
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_become_uris() {
        assert_eq!(super::uri("a b/é.mtlp-json"), "a%20b/%C3%A9.mtlp-json");
    }
}
