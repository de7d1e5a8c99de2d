//! The lines of a kernel that the learner writes, between two comments.

const BEGIN: &str = "// >>> your code";
const END: &str = "// <<<";

/// Returns the lines outside of the marked regions, including the markers. Returns `None` if there are no markers or they do
/// not pair.
#[must_use]
pub fn outside(text: &str) -> Option<Vec<&str>> {
    Some(numbered_outside(text)?.into_iter().map(|(_, line)| line).collect())
}

/// Returns the first difference of a text from the skeleton outside of the marked regions, with the line's number. White
/// space and lines that are only a comment may differ.
#[must_use]
pub fn difference_outside(text: &str, skeleton: &str) -> Option<String> {
    let Some(lines) = code_outside(text) else {
        return Some(format!("the skeleton's lines `{BEGIN}` and `{END}` are missing, or do not pair"));
    };
    let frame = code_outside(skeleton)?;
    let index = (0..lines.len().max(frame.len())).find(|&index| {
        let words = |line: Option<&(usize, &str)>| line.map(|(_, line)| line.split_whitespace().collect::<String>());
        words(lines.get(index)) != words(frame.get(index))
    })?;
    Some(match (lines.get(index), frame.get(index)) {
        (Some((number, line)), Some((_, wanted))) => {
            format!("line {number} is `{line}`, and in the skeleton it is `{wanted}`")
        }
        (Some((number, line)), None) => format!("line {number}, `{line}`, is not in the skeleton"),
        (None, wanted) => {
            format!("the skeleton's line `{}` is missing at the end", wanted.map_or("", |(_, line)| line))
        }
    })
}

/// Returns the numbered lines outside of the marked regions, without blank lines and comments but with the markers.
fn code_outside(text: &str) -> Option<Vec<(usize, &str)>> {
    let mut lines = numbered_outside(text)?;
    let mut is_after_region = false;
    lines.retain(|(_, line)| {
        let is_marker = line.starts_with(BEGIN) || *line == END;
        is_after_region |= is_marker;
        // In C++, a comment that ends in a backslash takes the next line with it. After a region, the line may be the end of a
        // longer comment or a string that began in the region.
        let is_joined = line.ends_with('\\') || line.ends_with("??/");
        let ends_other = is_after_region && (line.contains("*/") || line.contains('"'));
        let is_comment = line.starts_with("//") && !is_joined && !ends_other;
        is_marker || !(line.is_empty() || is_comment)
    });
    Some(lines)
}

fn numbered_outside(text: &str) -> Option<Vec<(usize, &str)>> {
    let mut lines = Vec::new();
    let mut is_inside = false;
    let mut regions = 0;
    for (index, line) in text.lines().enumerate() {
        match (line.trim(), is_inside) {
            (trimmed, false) if trimmed.starts_with(BEGIN) => (is_inside, regions) = (true, regions + 1),
            (END, true) => is_inside = false,
            (END, false) => return None,
            (_, true) => continue,
            (_, false) => {}
        }
        lines.push((index + 1, line.trim()));
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
