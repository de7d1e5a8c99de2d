//! `cargo x learn list`.

use super::say;
use crate::error::Error;
use crate::learner::Folder;
use crate::set::Set;
use kernel_file::Language;

/// Prints the exercises and what was done.
pub fn run(folder: &Folder, set: &Set) -> Result<(), Error> {
    let progress = folder.progress()?;
    rows(folder, set, progress.language(), None)?.iter().for_each(|row| say(row));
    Ok(())
}

/// A line for each exercise, and one with their number; `current` has an arrow.
pub fn rows(folder: &Folder, set: &Set, language: Language, current: Option<usize>) -> Result<Vec<String>, Error> {
    let progress = folder.progress()?;
    let width = set.exercises.iter().map(|exercise| exercise.name.len()).max().unwrap_or(0);
    let (mut rows, mut solved) = (Vec::new(), 0);
    for (index, exercise) in set.exercises.iter().enumerate() {
        let entry = progress.entry(&exercise.file_name(language));
        // A file that was changed since is open again, and is run again when it is checked.
        let text = std::fs::read_to_string(folder.file(exercise, language)).unwrap_or_default();
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
        let (name, card) = (&exercise.name, &exercise.card);
        rows.push(format!(
            "{arrow} {name:<width$}  {:<10}  {:<50}  {state}{hints}{revealed}",
            card.kind.word(),
            card.title
        ));
    }
    rows.push(format!("{solved} of {} solved", set.exercises.len()));
    Ok(rows)
}
