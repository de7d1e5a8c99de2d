//! The difference of two kernels, as a diff of their code.

use super::kernels::Kernel;
use super::source::{code, open_paragraph};
use anyhow::{Result, bail};
use similar::{DiffTag, capture_diff_slices};

/// The number of unchanged lines before and after a change.
const CONTEXT: usize = 2;

/// Returns the diff from `old` to `new`, without cards and without lines that only differ in indentation. A diff with more changed lines
/// than kept ones says little about what changes, so it is folded.
///
/// # Errors
/// Returns an error if nothing differs.
pub fn between(old: &Kernel, new: &Kernel) -> Result<String> {
    let Difference { lines, changed, kept } = difference(code(old)?, code(new)?);
    if lines.is_empty() {
        bail!("{} and {} do not differ", old.file(), new.file());
    }
    let open_paragraph = open_paragraph(new);
    let old = old.file();
    let new = new.file();
    let diff = format!(
        "{open_paragraph}What changes in <code>{new}</code></p>\n\n```diff\n--- {old}\n+++ {new}\n{lines}```\n"
    );
    if changed <= kept {
        return Ok(diff);
    }
    let summary = format!("What changes in <code>{new}</code>: {changed} lines, more than the {kept} that stay");
    Ok(format!("<details>\n<summary>{summary}</summary>\n\n{diff}\n</details>\n"))
}

/// The difference of two texts.
struct Difference {
    /// The changes, each with a little around it.
    lines: String,
    /// The number of lines that are removed or added, and of those that stay, both without blank ones.
    changed: usize,
    kept: usize,
}

fn difference(old: &str, new: &str) -> Difference {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let unindented = |lines: &[&'_ str]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let operations = capture_diff_slices(similar::Algorithm::Patience, &unindented(&old), &unindented(&new));
    let count = |lines: &[&str]| lines.iter().filter(|line| !line.trim().is_empty()).count();
    let (mut changed, mut kept) = (0, 0);
    for operation in &operations {
        match operation.tag() {
            DiffTag::Equal => kept += count(&new[operation.new_range()]),
            _ => changed += count(&old[operation.old_range()]) + count(&new[operation.new_range()]),
        }
    }
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
    Difference { lines: text, changed, kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_changes_with_a_little_around_them() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\ni\nj\nk\nl";
        assert_eq!(difference(old, new).lines, " b\n c\n-d\n+D\n e\n f\n…\n j\n k\n+l\n");
    }

    #[test]
    fn indentation_alone_is_no_change() {
        assert_eq!(difference("a\nb", "  a\n  b").lines, "");
        assert_eq!(difference("a", "if (x)\n    a").lines, "+if (x)\n     a\n");
    }

    #[test]
    fn a_diff_with_more_changed_lines_than_kept_ones_is_folded() {
        let Difference { changed, kept, .. } = difference("a\nb\n\nc\nd", "a\nB\n\n\nc\ne\nd");
        assert_eq!((changed, kept), (3, 3));
        let between = |old, new| between(&Kernel::find(old).unwrap(), &Kernel::find(new).unwrap()).unwrap();
        assert!(between("computeForces", "computeForces_Shared").starts_with("<details>\n<summary>What changes in"));
        assert!(!between("computeForces_unroll1", "computeForces_unroll64").contains("<details>"));
    }
}
