//! The part of a skeleton that is the learner's, between two comments.

const BEGIN: &str = "// >>> your code";
const END: &str = "// <<<";

/// The lines outside of the marked parts, markers included; `None` where the markers do not pair, or are missing.
#[must_use]
pub fn outside(text: &str) -> Option<Vec<&str>> {
    let (mut lines, mut is_inside, mut parts) = (Vec::new(), false, 0);
    for line in text.lines() {
        match (line.trim(), is_inside) {
            (trimmed, false) if trimmed.starts_with(BEGIN) => (is_inside, parts) = (true, parts + 1),
            (END, true) => is_inside = false,
            (END, false) => return None,
            (_, true) => continue,
            (_, false) => {}
        }
        lines.push(line.trim());
    }
    (!is_inside && parts > 0).then_some(lines)
}

/// A wrong answer's first line, `// must say CHECK: words`, as check and words, and the lines after it.
#[must_use]
pub fn without_expectation(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    Some((first.strip_prefix("// must say ")?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_the_markers_is_left_out() {
        assert_eq!(outside("a\n// >>> your code\nb\n// <<<\nc\n"), Some(vec!["a", "// >>> your code", "// <<<", "c"]));
        assert_eq!(outside("a\n// >>> your code\nb\n"), None, "without an end");
        assert_eq!(outside("a\n// <<<\n"), None, "without a begin");
        assert_eq!(outside("a\n"), None, "without a part");
    }

    #[test]
    fn expectation_is_the_first_line() {
        assert_eq!(without_expectation("// must say runs: trap\ncode\n"), Some(("runs: trap", "code\n")));
        assert_eq!(without_expectation("code\n"), None);
    }
}
