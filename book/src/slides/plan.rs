//! The plan of a session: its section of the chapter for teachers.

use anyhow::{Context, Result, bail};

/// The number of sessions.
pub const SESSIONS: usize = 5;

/// A session, as the chapter for teachers plans it. Texts are Markdown with directives.
#[derive(Debug, PartialEq, Eq)]
pub struct Plan {
    /// The heading: `Session 1: a kernel, and how a warp accesses memory`.
    pub title: String,
    /// What a learner can do afterwards.
    pub goals: Vec<String>,
    /// The rows of the table.
    pub parts: Vec<Part>,
    /// What to leave out when time runs short.
    pub when_late: String,
    /// What learners read afterwards.
    pub reading: String,
}

/// A part of a session.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// The planned time.
    pub minutes: u32,
    /// The name, which the slides repeat.
    pub name: String,
}

impl Plan {
    /// Reads the plan of a session from the text of the chapter.
    ///
    /// # Errors
    /// Returns an error that names what the section lacks.
    pub fn parse(chapter: &str, session: usize) -> Result<Self> {
        let start = format!("Session {session}: ");
        let section = chapter.split("\n## ").find(|section| section.starts_with(&start));
        let section = section.with_context(|| format!("no section `## {start}…`"))?;
        let goals: Vec<String> = items(section).collect();
        let parts = section.lines().filter_map(row).collect::<Vec<_>>();
        if goals.is_empty() || parts.is_empty() {
            bail!("the section `{start}…` needs a list of goals and a table of minutes and parts");
        }
        Ok(Self {
            title: section.lines().next().unwrap_or_default().into(),
            goals,
            parts,
            when_late: paragraph(section, "**When late:** ")?,
            reading: paragraph(section, "**Reading afterwards:** ")?,
        })
    }
}

/// Returns the items of the lists in a section; an item may go on in indented lines.
fn items(section: &str) -> impl Iterator<Item = String> {
    section.split("\n- ").skip(1).map(|item| {
        let rest = item.lines().skip(1).take_while(|line| line.starts_with("  "));
        item.lines().take(1).chain(rest).map(str::trim).collect::<Vec<_>>().join(" ")
    })
}

/// Returns the part in a row of the table, `| minutes | part | show |`.
fn row(line: &str) -> Option<Part> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    Some(Part { minutes: cells.next()?.parse().ok()?, name: cells.next()?.into() })
}

/// Returns the paragraph that begins with some words, without them.
fn paragraph(section: &str, begin: &str) -> Result<String> {
    let (_, rest) = section.split_once(&format!("\n{begin}")).with_context(|| format!("no paragraph `{begin}…`"))?;
    Ok(rest.split("\n\n").next().unwrap_or_default().trim().replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAPTER: &str = "# For teachers\n\n## Session 1: a warp\n\nAfterwards a learner can\n\n- write a kernel,\n  with \
                           its guard;\n- count.\n\n| minutes | part | show |\n|--:|---|---|\n| 10 | threads, blocks | a \
                           figure |\n| 5 | exercises | `11_map` |\n\n**When late:** leave out\nthe end.\n\n**Reading \
                           afterwards:** stage 1.\n\n## Session 2: tiles\n\n- a\n";

    #[test]
    fn a_plan_is_read_from_its_section() {
        let plan = Plan::parse(CHAPTER, 1).unwrap();
        assert_eq!(plan.title, "Session 1: a warp");
        assert_eq!(plan.goals, ["write a kernel, with its guard;", "count."]);
        let parts: Vec<_> = plan.parts.iter().map(|part| (part.minutes, part.name.as_str())).collect();
        assert_eq!(parts, [(10, "threads, blocks"), (5, "exercises")]);
        assert_eq!([plan.when_late.as_str(), &plan.reading], ["leave out the end.", "stage 1."]);
    }

    #[test]
    fn what_a_section_lacks_is_named() {
        let refusal = |session| Plan::parse(CHAPTER, session).unwrap_err().to_string();
        assert!(refusal(2).contains("a table of minutes and parts"));
        assert!(refusal(3).contains("## Session 3: …"));
    }
}
