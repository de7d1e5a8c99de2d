//! `{{lines FILE: TEXT … TEXT}}`: lines of a file of the repository, found by their text, so that the file needs no markers.

use anyhow::{Context, Result, bail};
use loading::workspace_root;
use std::fs;

/// The separator between the texts of the first and of the last line.
const TO: &str = " … ";

/// Returns the whole `file` if the selector is empty, the only line with a text, or the lines from there to the next line with
/// another text.
///
/// # Errors
/// Returns an error if there is no such file or line, or if several lines match the first text.
pub fn render(file: &str, selector: &str) -> Result<String> {
    let file = file.trim_end_matches(':');
    let path = workspace_root().join(file);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = if selector.is_empty() { (0, lines.len()) } else { chosen(&lines, selector)? };
    let place = match (first, last) {
        (0, last) if last == lines.len() => String::new(),
        (first, last) if first + 1 == last => format!(", line {last}"),
        (first, last) => format!(", lines {}–{last}", first + 1),
    };
    let language = match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => "rust,ignore",
        Some("cu") => "cpp",
        _ => "text",
    };
    let code = unindent(&lines[first..last]);
    Ok(format!("<p class=\"file\"><code>{file}</code>{place}</p>\n\n```{language}\n{code}```\n"))
}

/// Returns the range of lines that a selector means.
fn chosen(lines: &[&str], selector: &str) -> Result<(usize, usize)> {
    let (from, to) = selector.split_once(TO).map_or((selector, None), |(from, to)| (from, Some(to)));
    let holds = |line: &str, text: &str| line.split_whitespace().collect::<Vec<_>>().join(" ").contains(text);
    let mut places = (0..lines.len()).filter(|&index| holds(lines[index], from));
    let first = match (places.next(), places.next()) {
        (Some(first), None) => first,
        (None, _) => bail!("no line has `{from}`"),
        (Some(first), Some(other)) => bail!("lines {} and {} have `{from}`", first + 1, other + 1),
    };
    let Some(to) = to else { return Ok((first, first + 1)) };
    let last = (first..lines.len()).find(|&index| holds(lines[index], to));
    Ok((first, last.with_context(|| format!("no line from line {} on has `{to}`", first + 1))? + 1))
}

/// Returns the lines without their common indentation.
fn unindent(lines: &[&str]) -> String {
    let indent = |line: &&&str| line.len() - line.trim_start().len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min().unwrap_or(0);
    lines.iter().map(|line| format!("{}\n", line.get(shared..).unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 5] = ["fn main() {", "    let a =  1;", "", "        let b = 2;", "}"];

    #[test]
    fn lines_are_chosen_by_what_is_in_them() {
        assert_eq!(chosen(&LINES, "let a = 1").unwrap(), (1, 2));
        assert_eq!(chosen(&LINES, "let a … let b").unwrap(), (1, 4));
        assert_eq!(chosen(&LINES, "fn main … }").unwrap(), (0, 5));
        assert_eq!(unindent(&LINES[1..4]), "let a =  1;\n\n    let b = 2;\n");
    }

    #[test]
    fn what_is_not_there_or_several_times_is_refused() {
        let refusal = |selector| chosen(&LINES, selector).unwrap_err().to_string();
        assert_eq!(refusal("let c"), "no line has `let c`");
        assert_eq!(refusal("let"), "lines 2 and 4 have `let`");
        assert_eq!(refusal("let b … let a"), "no line from line 4 on has `let a`");
        assert!(render("no/such.rs:", "").unwrap_err().to_string().contains("cannot read no/such.rs"));
    }

    #[test]
    fn a_file_says_which_lines_are_shown() {
        let shown = render("stage01-naive/src/main.rs:", "common::run").unwrap();
        assert!(shown.contains("<code>stage01-naive/src/main.rs</code>, line 6"), "{shown}");
        assert!(shown.contains("```rust,ignore\ncommon::run(&stage01_naive::STAGE)\n```"), "{shown}");
    }
}
