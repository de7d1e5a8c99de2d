//! `cargo x learn doctor`: proof that the loop works here. `cargo x doctor` says more about the machine.

use super::say;
use crate::error::Error;
use crate::judge::ready;
use crate::learner::write_whole;
use crate::set::{Role, Set};
use crate::worker::{OnGpu, Worker};
use kernel_file::Language;
use std::path::Path;
use std::time::Instant;

/// Compiles and judges the first solution in each language, and writes to the folder; whether one language works.
pub fn run(worker: &Worker, set: &Set, folder: &Path) -> Result<bool, Error> {
    let (mut works, mut on_gpu) = (false, None);
    for (language, name) in [(Language::Rust, "Rust"), (Language::Cuda, "CUDA C++")] {
        match try_language(worker, set, language) {
            Ok((seconds, gpu)) => {
                works = true;
                say(&format!("{name}: works; from a saved file to its verdict {seconds:.1} s"));
                on_gpu = on_gpu.or(gpu);
            }
            Err(error) => say(&format!("{name}: does not: {error}")),
        }
    }
    match (on_gpu, worker.times) {
        (Some(gpu), _) => say(&format!("GPU: {gpu}")),
        (None, true) => say("GPU: none, and none is needed"),
        (None, false) => say("GPU: not tried"),
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

fn try_language(worker: &Worker, set: &Set, language: Language) -> Result<(f64, Option<OnGpu>), Error> {
    ready(language)?;
    let Some(exercise) = set.exercises.first() else { return Ok((0.0, None)) };
    let start = Instant::now();
    let verdict = worker.judge(exercise, language, &exercise.source_file(&Role::Solution, language))?;
    match verdict.failure {
        None => Ok((start.elapsed().as_secs_f64(), verdict.gpu)),
        Some(failure) => Err(Error::System(format!("the solution of {} fails: {failure}", exercise.name))),
    }
}
