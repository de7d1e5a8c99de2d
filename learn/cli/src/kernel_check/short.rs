//! A line for each finding, error and cause, as compilers print them.

use super::report::{Found, Report};

/// Returns the name of the tool that finds a mistake, or that it is a fault.
pub fn rule(found: &Found) -> String {
    found.diagnosis.tool.map_or_else(|| "fault".to_owned(), |tool| tool.to_string())
}

/// Returns the lines of a run: `FILE:LINE: LEVEL: TEXT`.
pub fn lines(report: &Report) -> Vec<String> {
    let file = |file: &Option<String>| file.clone().unwrap_or_else(|| report.file.clone());
    let messages = report.messages.iter().map(|message| {
        let severity = &message.severity;
        format!("{}:{}: {severity}: {}", message.file, message.line, message.text)
    });
    let findings = report.findings.iter().map(|found| {
        let element = found.element.iter().map(|element| format!("; {element}")).collect::<String>();
        format!("{}:{}: error: {}: {}{element}", file(&found.file), found.line, rule(found), found.diagnosis.title)
    });
    let causes = report.savings().map(|cause| format!("{}:{}: note: {}", file(&cause.file), cause.line, cause.text));
    let other = report.error.iter().filter(|_| report.messages.is_empty());
    let other = other.map(|error| format!("{}:1: error: {}", report.file, error.lines().next().unwrap_or_default()));
    other.chain(messages).chain(findings).chain(causes).collect()
}
