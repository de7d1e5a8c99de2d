//! The text of `--help`, which clap does not break into lines.

use crate::format::WIDTH;
use std::io::{IsTerminal, Write};

/// Prints `--help` to stdout, in lines of at most [`WIDTH`] columns, and any other message of clap as it is.
pub(crate) fn print(error: &clap::Error) -> std::io::Result<()> {
    if error.use_stderr() {
        return error.print();
    }
    let text = error.render();
    let mut stdout = std::io::stdout();
    let is_styled = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text = if is_styled { text.ansi().to_string() } else { text.to_string() };
    stdout.write_all(wrap(&text).as_bytes())
}

/// Breaks long lines between words. What follows is below the text of the option.
fn wrap(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let indent = indent(&visible(line));
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let width = visible(word).trim_end().chars().count();
            if column > indent && column + width > WIDTH {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            }
            out.push_str(word);
            column += visible(word).chars().count();
        }
    }
    out
}

/// Returns the column at which the text of a line begins: behind the option and the gap after it, if it has one.
fn indent(line: &str) -> usize {
    let text = line.trim_start();
    let before = line.len() - text.len();
    let gap = if text.starts_with('-') { text.find("  ") } else { None };
    let behind = |gap: usize| gap + text[gap..].len() - text[gap..].trim_start().len();
    let marker = if text.starts_with("- ") { 2 } else { 0 };
    before + gap.map_or(marker, behind)
}

/// Returns the text without escape sequences, which end with `m`.
fn visible(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_below_their_text() {
        let words = "word ".repeat(30);
        for (before, indent) in [("      --option <NAME>  ", 23), ("          ", 10), ("          - cuda: ", 12)] {
            let text = wrap(&format!("{before}{words}\nshort\n"));
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() == 3 && lines[2] == "short", "{text}");
            assert!(lines[0].len() <= WIDTH && lines[0].len() > WIDTH - 5, "{text}");
            assert_eq!(lines[1].len() - lines[1].trim_start().len(), indent, "{text}");
        }
    }

    #[test]
    fn styles_take_no_columns() {
        let text = format!("\x1b[1m{}\x1b[0m", "word ".repeat(20).trim_end());
        assert_eq!(wrap(&text), text);
        assert_eq!(visible(&text).len(), 99);
    }
}
