//! Hints, solutions, resets and differences, as texts.

use super::say;
use crate::error::Error;
use crate::learner::Folder;
use crate::set::{Exercise, Role};
use similar::TextDiff;

/// Prints a text that is all there is to say.
pub fn print(text: &str) -> Result<bool, Error> {
    say(text.trim_end());
    Ok(true)
}

/// The next hint, after those that were shown before.
pub fn hint(folder: &Folder, exercise: &Exercise) -> Result<String, Error> {
    let name = exercise.file_name(folder.progress()?.language());
    let mut shown = 0;
    folder.update(&name, |entry| {
        entry.hints = (entry.hints + 1).min(exercise.card.hints.len());
        shown = entry.hints;
    })?;
    let hints = exercise.card.hints.iter().take(shown).enumerate();
    let mut text: String = hints.map(|(index, hint)| format!("Hint {} of 3: {}\n", index + 1, hint.trim())).collect();
    if shown == exercise.card.hints.len() {
        let name = &exercise.name;
        text.push_str(&format!("These are all. `cargo x learn solution {name} --now` shows the solution.\n"));
    }
    Ok(text)
}

/// The solution, where the exercise is solved, or `now`, which is recorded.
pub fn solution(folder: &Folder, exercise: &Exercise, now: bool) -> Result<String, Error> {
    let language = folder.progress()?.language();
    let name = exercise.file_name(language);
    let is_solved = Folder::is_solved(&folder.progress()?.entry(&name), &folder.text(exercise, language)?);
    if !is_solved && !now {
        return Err(Error::Usage(format!(
            "{0} is not solved yet. `cargo x learn hint {0}` helps; `cargo x learn solution {0} --now` shows the solution, and \
             records that it did",
            exercise.name
        )));
    }
    let text = exercise.source(&Role::Solution, language)?;
    if !is_solved {
        folder.update(&name, |entry| entry.revealed = true)?;
    }
    Ok(text)
}

/// Begins again; where the learner's file is kept.
pub fn reset(folder: &Folder, exercise: &Exercise) -> Result<String, Error> {
    let language = folder.progress()?.language();
    let file = folder.file(exercise, language);
    Ok(match folder.reset(exercise, language)? {
        Some(kept) => format!("{} is as at the beginning; yours is {}", file.display(), kept.display()),
        None => format!("{} is as at the beginning", file.display()),
    })
}

/// What the learner has changed.
pub fn diff(folder: &Folder, exercise: &Exercise) -> Result<String, Error> {
    let language = folder.progress()?.language();
    let (beginning, text) = (exercise.beginning(language)?, folder.text(exercise, language)?);
    let diff = TextDiff::from_lines(&beginning, &text);
    let text = diff.unified_diff().context_radius(2).header("at the beginning", "yours").to_string();
    Ok(if text.is_empty() { "Your file is as at the beginning.".into() } else { text })
}
