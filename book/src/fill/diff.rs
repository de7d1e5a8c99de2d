//! The difference of two kernels, as a diff of their code.

use super::kernels::Kernel;
use super::source::{code, open_paragraph};
use anyhow::{Result, bail};
use similar::{DiffTag, capture_diff_slices};

/// The number of unchanged lines before and after a change.
const CONTEXT: usize = 2;

/// Returns the diff from `old` to `new`, without cards and without lines that only differ in indentation.
///
/// # Errors
/// Returns an error if nothing differs.
pub fn between(old: &Kernel, new: &Kernel) -> Result<String> {
    let lines = changed_lines(code(old)?, code(new)?);
    if lines.is_empty() {
        bail!("{} and {} do not differ", old.file(), new.file());
    }
    let open_paragraph = open_paragraph(new);
    let old = old.file();
    let new = new.file();
    Ok(format!("{open_paragraph}What changes in <code>{new}</code></p>\n\n```diff\n--- {old}\n+++ {new}\n{lines}```\n"))
}

fn changed_lines(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let unindented = |lines: &[&'_ str]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let operations = capture_diff_slices(similar::Algorithm::Patience, &unindented(&old), &unindented(&new));
    let mut text = String::new();
    for group in similar::group_diff_ops(operations, CONTEXT) {
        if !text.is_empty() {
            text += "…\n";
        }
        for operation in group {
            let mut add = |sign: char, lines: &[&str]| {
                text.extend(lines.iter().map(|line| format!("{}\n", format!("{sign}{line}").trim_end())));
            };
            match operation.tag() {
                DiffTag::Equal => add(' ', &new[operation.new_range()]),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                    add('-', &old[operation.old_range()]);
                    add('+', &new[operation.new_range()]);
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_changes_with_a_little_around_them() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\ni\nj\nk\nl";
        assert_eq!(changed_lines(old, new), " b\n c\n-d\n+D\n e\n f\n…\n j\n k\n+l\n");
    }

    #[test]
    fn indentation_alone_is_no_change() {
        assert_eq!(changed_lines("a\nb", "  a\n  b"), "");
        assert_eq!(changed_lines("a", "if (x)\n    a"), "+if (x)\n     a\n");
    }
}
