//! The child process: judges or times one file, and writes the answer to standard output.

use super::confinement::{Resources, confine};
use super::gpu;
use super::protocol::{Answer, COMPILED, Compiled, Reference};
use crate::compiler::compile;
use crate::judging;
use cuda_cpp::Choice;
use judge::Error;
use judge::kernel_file::{Language, read};
use judge::set::{Exercise, Role};
use judge::{Check, OnGpu, Submission, Verdict};
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::path::Path;

/// Judges a file as an answer to the exercise in `folder`. `choice` is the compiler for CUDA C++; with a seed, the kernel must
/// also pass with other sizes and inputs.
///
/// # Errors
/// Standard output cannot be written.
pub fn judge(
    folder: &Path,
    language: Language,
    choice: Option<Choice>,
    file: &Path,
    seed: Option<u64>,
    resources: Resources,
) -> Result<(), Error> {
    confine(resources.seconds, Some(resources.gib << 30));
    let answer = match verdict(folder, language, choice, file, seed) {
        Ok((verdict, compiled)) => {
            let submission = serde_json::to_string(&compiled).map_err(|error| Error::System(error.to_string()))?;
            Answer::Verdict { verdict: Box::new(verdict), submission }
        }
        Err(error) => Answer::Error(error.to_string()),
    };
    write_answer(&answer)
}

/// Times a kernel that another child process has judged, and that is given on standard input.
///
/// Memory is not limited, because a GPU's driver reserves more address space than a compiler may.
///
/// # Errors
/// Standard output cannot be written.
pub fn time(folder: &Path, language: Language, file: &Path, resources: Resources) -> Result<(), Error> {
    confine(resources.seconds, None);
    let timed = || -> Result<Option<OnGpu>, Error> {
        let Compiled { text, ptx } = input("the kernel to time")?;
        gpu::time(&Exercise::load(folder)?, &Submission { file: file.to_owned(), language, text, ptx })
    };
    write_answer(&timed().map_or_else(|error| Answer::Error(error.to_string()), Answer::Gpu))
}

fn verdict(
    folder: &Path,
    language: Language,
    choice: Option<Choice>,
    file: &Path,
    seed: Option<u64>,
) -> Result<(Verdict, Compiled), Error> {
    let exercise = Exercise::load(folder)?;
    let exercise = match seed {
        Some(seed) => exercise.varied(seed)?,
        None => exercise,
    };
    let reference: Reference = input("the solution")?;
    let text = read(file)?;
    let compiled = match compile(file, language, choice, &text)? {
        Ok(compiled) => compiled,
        Err(log) => return Ok((Verdict::new(&exercise.card).fails(Check::Compiles, log), Compiled::default())),
    };
    write(COMPILED)?;
    let submission = Submission { file: file.to_owned(), language, text, ptx: compiled.ptx };
    let solution = match reference.ptx {
        Some(ptx) => Submission {
            file: exercise.source_file(&Role::Solution, language),
            language,
            text: exercise.source(&Role::Solution, language)?,
            ptx,
        },
        None => judging::solution(&exercise, language)?,
    };
    let mut verdict = judge::judge(&exercise, &solution, &submission)?;
    verdict.warnings = compiled.warnings;
    verdict.refusal = judge::refusal(&submission.text, &exercise.source(&Role::Skeleton, language)?, language);
    if let Some(estimate) = &mut verdict.estimate {
        estimate.differs_in_compiler = reference.differs_in_compiler;
    }
    Ok((verdict, Compiled { text: submission.text, ptx: submission.ptx }))
}

/// Reads standard input, which is JSON.
fn input<T: DeserializeOwned>(what: &str) -> Result<T, Error> {
    let no_input = |error: &dyn std::fmt::Display| Error::System(format!("cannot read {what}: {error}"));
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).map_err(|error| no_input(&error))?;
    serde_json::from_str(&input).map_err(|error| no_input(&error))
}

fn write_answer(answer: &Answer) -> Result<(), Error> {
    write(&serde_json::to_string(answer).map_err(|error| Error::System(error.to_string()))?)
}

fn write(text: &str) -> Result<(), Error> {
    let mut output = std::io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| Error::System(error.to_string()))
}
