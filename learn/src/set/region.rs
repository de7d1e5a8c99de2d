//! The lines of a kernel that the learner writes, between two comments.

const BEGIN: &str = "// >>> your code";
const END: &str = "// <<<";

/// Returns the lines outside of the marked regions, including the markers. Returns `None` if there are no markers or they do
/// not pair.
#[must_use]
pub fn outside(text: &str) -> Option<Vec<&str>> {
    let (mut lines, mut is_inside, mut regions) = (Vec::new(), false, 0);
    for line in text.lines() {
        match (line.trim(), is_inside) {
            (trimmed, false) if trimmed.starts_with(BEGIN) => (is_inside, regions) = (true, regions + 1),
            (END, true) => is_inside = false,
            (END, false) => return None,
            (_, true) => continue,
            (_, false) => {}
        }
        lines.push(line.trim());
    }
    (!is_inside && regions > 0).then_some(lines)
}

/// Splits a wrong answer into the expected failure, from its first line `// must fail with CHECK: text`, and the lines after
/// it.
#[must_use]
pub fn without_expectation(text: &str) -> Option<(&str, &str)> {
    let (first, rest) = text.split_once('\n')?;
    Some((first.strip_prefix("// must fail with ")?, rest))
}
