//! The process itself: judges or times one file, and writes the answer on standard output.

use super::limits::hold;
use super::{OnGpu, Worker, gpu};
use crate::error::Error;
use crate::judge::{Check, Submission, Verdict, compile, judge};
use crate::set::Exercise;
use kernel_file::Language;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::Path;

/// What the process says when the kernel is compiled.
pub const COMPILED: &str = "compiled\n";

/// What the process says at its end.
#[derive(Serialize, Deserialize)]
pub enum Answer {
    /// The kernel is judged.
    Verdict {
        verdict: Verdict,
        /// What it is of, for another process.
        submission: String,
    },
    /// It is timed, unless there is no GPU.
    Gpu(Option<OnGpu>),
    /// Neither.
    Error(String),
}

/// The text of a file, and what the compiler made of it.
#[derive(Default, Serialize, Deserialize)]
struct Compiled {
    text: String,
    ptx: String,
}

/// Judges a file.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(folder: &Path, language: Language, file: &Path, limits: &Worker) -> Result<(), Error> {
    hold(limits.seconds, Some(limits.gib << 30));
    let answer = match verdict(folder, language, file) {
        Ok((verdict, compiled)) => {
            let submission = serde_json::to_string(&compiled).map_err(|error| Error::System(error.to_string()))?;
            Answer::Verdict { verdict, submission }
        }
        Err(error) => Answer::Error(error.to_string()),
    };
    write(&answer)
}

/// Times what a process has judged, which comes on standard input. A GPU's driver reserves more addresses than a compiler may.
///
/// # Errors
/// Standard output cannot be written.
pub fn time(folder: &Path, language: Language, file: &Path, limits: &Worker) -> Result<(), Error> {
    hold(limits.seconds, None);
    let timed = || -> Result<Option<OnGpu>, Error> {
        let mut input = String::new();
        let no_input = |error: &dyn std::fmt::Display| Error::System(format!("there is nothing to time: {error}"));
        std::io::stdin().read_to_string(&mut input).map_err(|error| no_input(&error))?;
        let Compiled { text, ptx } = serde_json::from_str(&input).map_err(|error| no_input(&error))?;
        gpu::time(&Exercise::load(folder)?, &Submission { file: file.to_owned(), language, text, ptx })
    };
    write(&timed().map_or_else(|error| Answer::Error(error.to_string()), Answer::Gpu))
}

fn verdict(folder: &Path, language: Language, file: &Path) -> Result<(Verdict, Compiled), Error> {
    let exercise = Exercise::load(folder)?;
    let bytes = std::fs::read(file).map_err(Error::file("read", file))?;
    // The compiler says where something is not text.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let ptx = match compile(file, language, &text)? {
        Ok(ptx) => ptx,
        Err(words) => return Ok((Verdict::of(&exercise.card).fails(Check::Compiles, words), Compiled::default())),
    };
    say(COMPILED)?;
    let submission = Submission { file: file.to_owned(), language, text, ptx };
    let verdict = judge(&exercise, &submission)?;
    Ok((verdict, Compiled { text: submission.text, ptx: submission.ptx }))
}

fn write(answer: &Answer) -> Result<(), Error> {
    say(&serde_json::to_string(answer).map_err(|error| Error::System(error.to_string()))?)
}

fn say(text: &str) -> Result<(), Error> {
    let mut output = std::io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| Error::System(error.to_string()))
}
