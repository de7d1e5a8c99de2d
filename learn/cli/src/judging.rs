//! Judging a kernel against the solution in the folder of its exercise.

use crate::compiler::{compile, compiler_name};
use cuda_cpp::Choice;
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

/// Returns the PTX of an exercise's solution by the compiler that compiles the answers, so that counts and estimates of both are
/// comparable; `None` if this compiler made the prebuilt PTX.
///
/// # Errors
/// The solution cannot be read or does not compile, or there is no compiler.
pub fn recompiled(exercise: &Exercise, language: Language, choice: Option<Choice>) -> Result<Option<String>, Error> {
    let text = exercise.source(&Role::Solution, language)?;
    let prebuilt = exercise.prebuilt(&Role::Solution, language, &text);
    let name = compiler_name(language, choice)?.to_lowercase();
    if prebuilt.is_some_and(|ptx| is_by(&ptx, &name)) {
        return Ok(None);
    }
    let file = exercise.source_file(&Role::Solution, language);
    let compiled = compile(&file, language, choice, &text)?;
    compiled
        .map(|compiled| Some(compiled.ptx))
        .map_err(|log| Error::System(format!("the solution does not compile: {log}")))
}

/// Returns whether prebuilt PTX names a compiler in its third line: `// nvrtc 12.1.105` names `nvrtc 12.1`.
fn is_by(ptx: &str, name: &str) -> bool {
    let rest = ptx.lines().nth(2).and_then(|line| line.strip_prefix("// ")?.strip_prefix(name));
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
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
        None => {
            let compiled = compile(&file, language, None, &text)?;
            compiled.map_err(|log| Error::System(format!("the solution does not compile: {log}")))?.ptx
        }
    };
    Ok(Submission { file, language, text, ptx })
}
