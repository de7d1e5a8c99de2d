//! The requirement that every exercise is on a page, has a question, and is linked from its stage's chapter.

use super::{Material, Report};
use crate::fill::exercises::set;
use anyhow::Result;

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let directives: Vec<_> = material.chapters.iter().flat_map(|chapter| chapter.directives()).collect();
    let shows = |word: &str, name: &str| directives.iter().any(|directive| *directive == [word, name]);
    let exercises = &set()?.exercises;
    for exercise in exercises {
        let name = &exercise.name;
        let stage = &exercise.card.stage;
        let card = format!("exercises/{name}/card.toml");
        if !shows("exercise", name) {
            report.add(
                &card,
                1,
                format!("no page shows it: put {{{{exercise {name}}}}} on the page of its stage's exercises"),
            );
        }
        if !shows("exercises", stage) {
            report.add(
                &card,
                1,
                format!("no chapter leads to it: put {{{{exercises {stage}}}}} at the end of {stage}.md"),
            );
        }
        if exercise.card.questions.is_empty() {
            report.add(&card, 1, "it has no question: add a [[question]] whose answer can be predicted");
        }
    }
    report.count(exercises.len(), "exercises");
    Ok(())
}
