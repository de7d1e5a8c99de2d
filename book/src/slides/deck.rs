//! The text of a session's slides: a Markdown file with `---` between slides.
//!
//! A line `Part: NAME` begins a part of the session's plan, and `Notes:` begins what only the teacher sees.

use super::plan::Plan;
use anyhow::{Result, bail};

/// A slide.
#[derive(Debug, PartialEq, Eq)]
pub struct Slide<'a> {
    /// The number of its first line in the file, from 1.
    pub line: usize,
    /// The part that begins with the slide.
    pub begins: Option<&'a str>,
    /// The lines that are shown, each with its number; Markdown with directives.
    pub body: Vec<(usize, &'a str)>,
    /// The lines for the teacher.
    pub notes: Vec<(usize, &'a str)>,
}

/// Returns the slides of a file.
pub fn slides(text: &str) -> Vec<Slide<'_>> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    lines.split(|(_, line)| *line == "---").map(slide).collect()
}

fn slide<'a>(lines: &[(usize, &'a str)]) -> Slide<'a> {
    let begin = lines.iter().position(|(_, line)| line.starts_with("Notes:")).unwrap_or(lines.len());
    let (shown, notes) = lines.split_at(begin);
    let name = |line: &'a str| line.strip_prefix("Part: ");
    Slide {
        line: lines.iter().find(|(_, line)| !line.is_empty()).or(lines.first()).map_or(1, |(number, _)| *number),
        begins: shown.iter().find_map(|&(_, line)| name(line)),
        body: shown.iter().filter(|(_, line)| name(line).is_none()).copied().collect(),
        notes: notes
            .iter()
            .map(|&(number, line)| (number, line.strip_prefix("Notes:").unwrap_or(line).trim()))
            .collect(),
    }
}

/// Requires that the slides begin each part of the plan, in its order, and that the first slide begins the first part.
///
/// # Errors
/// Returns an error with the line of the first slide that differs from the plan.
pub fn require_parts(slides: &[Slide<'_>], plan: &Plan) -> Result<()> {
    let mut expected = plan.parts.iter().map(|part| part.name.as_str());
    for (index, slide) in slides.iter().enumerate() {
        if index == 0 && slide.begins.is_none() {
            bail!("{}: the first slide needs `Part: {}`", slide.line, expected.next().unwrap_or_default());
        }
        if let Some(name) = slide.begins {
            match expected.next() {
                Some(part) if part == name => {}
                Some(part) => bail!("{}: `Part: {name}`, where the plan of {} has `{part}`", slide.line, plan.title),
                None => bail!("{}: `Part: {name}` is not in the plan of {}", slide.line, plan.title),
            }
        }
    }
    match expected.next() {
        Some(part) => bail!("{}: no slide begins `Part: {part}`", slides.last().map_or(1, |slide| slide.line)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Part;
    use super::*;

    const TEXT: &str =
        "Part: one\n\n## A\n\ntext\n\nNotes: say it.\nTwice.\n\n---\n\n## B\n\n---\n\nPart: two\n\n## C\n";

    fn plan(names: &[&str]) -> Plan {
        let parts = names.iter().map(|&name| Part { minutes: 5, name: name.into() }).collect();
        Plan { title: "Session 9".into(), goals: vec![], parts, when_late: String::new(), reading: String::new() }
    }

    #[test]
    fn a_file_is_divided_into_slides_with_notes() {
        let slides = slides(TEXT);
        assert_eq!(slides.iter().map(|slide| slide.line).collect::<Vec<_>>(), [1, 12, 16]);
        assert_eq!(slides.iter().map(|slide| slide.begins).collect::<Vec<_>>(), [Some("one"), None, Some("two")]);
        assert_eq!(slides[0].notes, [(7, "say it."), (8, "Twice."), (9, "")]);
        assert!(slides[0].body.contains(&(5, "text")) && slides[1].notes.is_empty());
    }

    #[test]
    fn slides_follow_their_plan() {
        let refusal = |names: &[&str]| require_parts(&slides(TEXT), &plan(names)).map_err(|error| error.to_string());
        assert_eq!(refusal(&["one", "two"]), Ok(()));
        assert!(refusal(&["one", "three"]).unwrap_err().starts_with("16: `Part: two`"));
        assert!(refusal(&["one"]).unwrap_err().contains("is not in the plan"));
        assert!(refusal(&["one", "two", "three"]).unwrap_err().contains("no slide begins `Part: three`"));
        assert!(require_parts(&slides("## A\n"), &plan(&["one"])).is_err());
    }
}
