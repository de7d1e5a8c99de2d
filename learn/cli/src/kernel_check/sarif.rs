//! SARIF 2.1.0 (OASIS standard, 2020), by which code hosts show findings beside their lines.

use super::causes::Kind;
use super::report::{Found, Report};
use super::short::rule;
use serde_json::{Value, json};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rules with what they find.
const RULES: [(&str, &str); 7] = [
    ("memcheck", "An access out of bounds or misaligned"),
    ("initcheck", "A read of uninitialized memory"),
    ("racecheck", "A race between threads"),
    ("synccheck", "An invalid use of a barrier or a warp-level instruction"),
    ("fault", "A mistake that ends the kernel"),
    ("compile", "A message of the compiler"),
    ("run", "A kernel that cannot be run"),
];

/// Returns the log of all runs.
pub fn log(reports: &[Report]) -> Value {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    let mut rules: Vec<Value> = RULES.iter().map(|(id, text)| rule(id, text)).collect();
    rules.extend(Kind::ALL.map(|kind| rule(kind.name(), &format!("A cost: {}", kind.name().replace('-', " ")))));
    let results: Vec<Value> = reports.iter().flat_map(results).collect();
    let successful = reports.iter().all(|report| report.error.is_none());
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "coalesced check", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{ "executionSuccessful": successful }],
            "results": results,
        }],
    })
}

fn results(report: &Report) -> Vec<Value> {
    let place = |file: &Option<String>, line: u32| location(file.as_ref().unwrap_or(&report.file), line);
    let finding = |found: &Found| {
        let element = found.element.iter().map(|element| format!("; {element}")).collect::<String>();
        let text = format!("{}{element}", found.diagnosis.title);
        let others = found.diagnosis.sides.iter().skip(1).filter_map(|side| side.place.location.as_ref());
        let others: Vec<Value> = others.map(|(file, line)| location(&judge::kernel_file::shown(file), *line)).collect();
        let mut result = result(&rule(found), "error", &text, place(&found.file, found.line));
        if !others.is_empty() {
            result["relatedLocations"] = json!(others);
        }
        result
    };
    let messages = report
        .messages
        .iter()
        .map(|message| result("compile", &message.severity, &message.text, location(&message.file, message.line)));
    let other = report.error.iter().filter(|_| report.messages.is_empty());
    let other = other.map(|error| result("run", "error", error, location(&report.file, 1)));
    let causes =
        report.savings().map(|cause| result(cause.kind.name(), "note", &cause.text, place(&cause.file, cause.line)));
    other.chain(messages).chain(report.findings.iter().map(finding)).chain(causes).collect()
}

fn result(rule: &str, level: &str, text: &str, location: Value) -> Value {
    json!({ "ruleId": rule, "level": level, "message": { "text": text }, "locations": [location] })
}

/// Returns a place. Lines begin with 1.
fn location(file: &str, line: u32) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": { "startLine": line.max(1) } } })
}

/// Returns a path as a URI, which is relative if the path is.
fn uri(file: &str) -> String {
    let path = file.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
    let encoded: String = path
        .bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    match path.split_once('/') {
        Some(("", _)) => format!("file://{encoded}"),
        Some((drive, _)) if drive.ends_with(':') => format!("file:///{encoded}"),
        _ => encoded,
    }
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        let of = [uri("kernels/a b.cu"), uri("/tmp/ä.cu"), uri("C:\\k\\a.cu"), uri("./a.cu")];
        assert_eq!(of, ["kernels/a%20b.cu", "file:///tmp/%C3%A4.cu", "file:///C:/k/a.cu", "a.cu"]);
    }
}
