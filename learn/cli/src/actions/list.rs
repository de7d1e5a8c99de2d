//! The list of exercises with a learner's progress.

use crate::learner::Folder;
use judge::Error;
use judge::kernel_file::{self, Language};
use judge::set::Set;

/// Returns a line per exercise, with an arrow at the `current` one, and a line with the number of solved ones.
pub fn rows(folder: &Folder, set: &Set, language: Language, current: Option<usize>) -> Result<Vec<String>, Error> {
    let progress = folder.progress()?;
    let longest = |length: fn(&judge::set::Exercise) -> usize| set.exercises.iter().map(length).max().unwrap_or(0);
    let width = longest(|exercise| exercise.name.len());
    let title_width = longest(|exercise| exercise.card.title.len());
    let mut rows = Vec::new();
    let mut solved = 0;
    for (index, exercise) in set.exercises.iter().enumerate() {
        let entry = progress.entry(&exercise.file_name(language));
        let text = kernel_file::read(&folder.file(exercise, language)).unwrap_or_default();
        // The next check runs a file again that has been changed since it passed.
        let state = match (Folder::is_solved(&entry, &text), entry.solved.is_some()) {
            (true, _) => "solved",
            (false, true) => "changed since",
            (false, false) => "open",
        };
        solved += usize::from(state == "solved");
        let arrow = if current == Some(index) { '>' } else { ' ' };
        let hints = match entry.hints {
            0 => String::new(),
            1 => ", 1 hint".into(),
            more => format!(", {more} hints"),
        };
        let revealed = if entry.revealed { ", solution shown" } else { "" };
        let name = &exercise.name;
        let title = &exercise.card.title;
        let kind = exercise.card.kind.word();
        rows.push(format!("{arrow} {name:<width$}  {kind:<10}  {title:<title_width$}  {state}{hints}{revealed}"));
    }
    rows.push(format!("{solved} of {} solved in {}", set.exercises.len(), language.name()));
    Ok(rows)
}
