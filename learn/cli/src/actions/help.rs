//! Hints, solutions, resets and differences.

use crate::learner::Folder;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role};
use similar::TextDiff;

/// Returns the next hint and those shown before, and records that it was shown.
pub fn hint(folder: &Folder, exercise: &Exercise, language: Language) -> Result<String, Error> {
    let name = exercise.file_name(language);
    let mut shown = 0;
    let all = exercise.card.hints.len();
    folder.update(&name, |entry| {
        entry.hints = (entry.hints + 1).min(all);
        shown = entry.hints;
    })?;
    let hints = exercise.card.hints.iter().take(shown).enumerate();
    let mut text: String =
        hints.map(|(index, hint)| format!("Hint {} of {all}: {}\n", index + 1, hint.trim())).collect();
    if shown == all {
        let name = &exercise.name;
        text.push_str(&format!("There are no more hints. `cargo learn solution {name} --now` shows the solution.\n"));
    }
    Ok(text)
}

/// Returns the solution if the exercise is solved. Otherwise returns it only with `now`, and records that it was shown.
pub fn solution(folder: &Folder, exercise: &Exercise, language: Language, now: bool) -> Result<String, Error> {
    let name = exercise.file_name(language);
    let is_solved = Folder::is_solved(&folder.progress()?.entry(&name), &folder.text(exercise, language)?);
    if !is_solved && !now {
        return Err(Error::Usage(format!(
            "{0} is not solved yet. `cargo learn hint {0}` shows a hint; `cargo learn solution {0} --now` shows the \
             solution, and records that it did",
            exercise.name
        )));
    }
    let text = exercise.source(&Role::Solution, language)?;
    if !is_solved {
        folder.update(&name, |entry| entry.revealed = true)?;
    }
    Ok(text)
}

/// Replaces the learner's file with the initial text. Returns a message with the name under which the old file is kept.
pub fn reset(folder: &Folder, exercise: &Exercise, language: Language) -> Result<String, Error> {
    let file = folder.file(exercise, language);
    Ok(match folder.reset(exercise, language)? {
        Some(kept) => format!("{} is reset; your version is now {}", file.display(), kept.display()),
        None => format!("{} is unchanged since the start", file.display()),
    })
}

/// Returns the learner's changes as a diff.
pub fn diff(folder: &Folder, exercise: &Exercise, language: Language) -> Result<String, Error> {
    let initial = exercise.initial_text(language)?;
    let text = folder.text(exercise, language)?;
    let diff = TextDiff::from_lines(&initial, &text);
    let text = diff.unified_diff().context_radius(2).header("at the start", "yours").to_string();
    Ok(if text.is_empty() { "You have not changed the file yet.".into() } else { text })
}
