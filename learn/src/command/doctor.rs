//! `cargo x learn doctor`: proof that the loop works here. `cargo x doctor` says more about the machine.

use super::say;
use crate::error::Error;
use crate::judge::ready;
use crate::learner::write_whole;
use crate::set::{Role, Set};
use crate::worker::judge_apart;
use kernel_file::Language;
use std::path::Path;
use std::time::Instant;

/// Compiles and judges the first solution in each language, and writes to the folder; whether one language works.
pub fn run(set: &Set, folder: &Path) -> Result<bool, Error> {
    let mut works = false;
    for (language, name) in [(Language::Rust, "Rust"), (Language::Cuda, "CUDA C++")] {
        match try_language(set, language) {
            Ok(seconds) => {
                works = true;
                say(&format!("{name}: works; from a saved file to its verdict {seconds:.1} s"));
            }
            Err(error) => say(&format!("{name}: does not: {error}")),
        }
    }
    let place = folder.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
    let trial = place.join(".trial");
    match write_whole(&trial, "") {
        Ok(()) => {
            std::fs::remove_file(&trial).map_err(Error::file("remove", &trial))?;
            say(&format!("{}: can be written", place.display()));
        }
        Err(error) => {
            works = false;
            say(&format!("{error}"));
        }
    }
    say("`cargo x doctor` says what else this machine has.");
    Ok(works)
}

fn try_language(set: &Set, language: Language) -> Result<f64, Error> {
    ready(language)?;
    let Some(exercise) = set.exercises.first() else { return Ok(0.0) };
    let start = Instant::now();
    let verdict = judge_apart(exercise, language, &exercise.source_file(&Role::Solution, language))?;
    match verdict.failure {
        None => Ok(start.elapsed().as_secs_f64()),
        Some(failure) => Err(Error::System(format!("the solution of {} fails: {failure}", exercise.name))),
    }
}
