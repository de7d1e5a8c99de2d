//! Judging a kernel against the solution in the folder of its exercise.

use crate::compiler::compile;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role};
use judge::{Error, Submission, Verdict};

/// Judges a kernel as an answer to an exercise.
///
/// # Errors
/// The set is invalid, or there is no compiler. Mistakes in the kernel are failures of the verdict instead.
pub fn judge(exercise: &Exercise, submission: &Submission) -> Result<Verdict, Error> {
    judge::judge(exercise, &solution(exercise, submission.language)?, submission)
}

/// Returns the solution of an exercise, and compiles it if its prebuilt PTX is missing or out of date.
///
/// # Errors
/// The solution cannot be read or does not compile, or there is no compiler.
pub fn solution(exercise: &Exercise, language: Language) -> Result<Submission, Error> {
    let file = exercise.source_file(&Role::Solution, language);
    let text = exercise.source(&Role::Solution, language)?;
    let ptx = match exercise.prebuilt(&Role::Solution, language, &text) {
        Some(ptx) => ptx,
        None => compile(&file, language, None, &text)?
            .map_err(|log| Error::System(format!("the solution does not compile: {log}")))?,
    };
    Ok(Submission { file, language, text, ptx })
}
