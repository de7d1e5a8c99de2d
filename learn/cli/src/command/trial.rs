//! `cargo learn doctor --exercises`: tries what the exercises need.

use crate::compiler::{compiler_name, ready};
use crate::learner::write_whole;
use crate::output::say;
use crate::worker::Worker;
use judge::Error;
use judge::OnGpu;
use judge::kernel_file::Language;
use judge::set::{Role, Set};
use std::path::Path;
use std::time::Instant;

/// Compiles and judges the first exercise's solution in each language, and writes to the folder. Returns whether a language
/// and the folder work.
pub fn run(worker: &Worker, set: &Set, folder: &Path) -> Result<bool, Error> {
    let mut works = false;
    let mut on_gpu = None;
    for language in set.languages() {
        let name = language.name();
        match try_language(worker, set, language) {
            Ok((seconds, gpu)) => {
                works = true;
                let compiler = compiler_name(language, worker.compiler)?;
                say(&format!("{name}: works with {compiler}; {seconds:.1} s from a saved file to its verdict"));
                on_gpu = on_gpu.or(gpu);
            }
            Err(error) => say(&format!("{name}: does not work: {error}")),
        }
    }
    match (on_gpu, worker.times_on_gpu) {
        (Some(gpu), _) => say(&format!("GPU: {gpu}")),
        (None, true) => say("GPU: none; the exercises do not need one"),
        (None, false) => say("GPU: not tried"),
    }
    let place = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let trial = place.join(".trial");
    match write_whole(&trial, "") {
        Ok(()) => {
            std::fs::remove_file(&trial).map_err(Error::file("remove", &trial))?;
            say(&format!("{}: writable", place.display()));
        }
        Err(error) => {
            works = false;
            say(&format!("{error}"));
        }
    }
    Ok(works)
}

fn try_language(worker: &Worker, set: &Set, language: Language) -> Result<(f64, Option<OnGpu>), Error> {
    ready(language, worker.compiler)?;
    let Some(exercise) = set.exercises.first() else { return Ok((0.0, None)) };
    let start = Instant::now();
    let verdict = worker.judge(exercise, language, &exercise.source_file(&Role::Solution, language))?;
    match verdict.failure {
        None => Ok((start.elapsed().as_secs_f64(), verdict.gpu)),
        Some(failure) => Err(Error::System(format!("the solution of {} fails: {failure}", exercise.name))),
    }
}
