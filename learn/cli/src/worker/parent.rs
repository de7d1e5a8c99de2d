//! The parent process: starts a child process for each kernel, and turns its answer, or its end, into a verdict.

use super::confinement::{Resources, new_group};
use super::conversation::{Transcript, converse};
use super::protocol::{Answer, COMPILED, Reference};
use crate::compiler::ready;
use crate::judging::recompiled;
use cuda_cpp::Choice;
use judge::Error;
use judge::kernel_file::{Language, oversize};
use judge::set::Exercise;
use judge::{Check, OnGpu, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Settings for judging learners' kernels.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    /// The resources of each child process.
    pub resources: Resources,
    /// Whether a kernel that passes is timed on a GPU, if there is one.
    pub times_on_gpu: bool,
    /// The compiler for CUDA C++; if none is chosen, the first that is found.
    pub compiler: Option<Choice>,
    /// The seed of further sizes and inputs that kernels are judged with, if any.
    pub seed: Option<u64>,
}

impl Worker {
    /// Judges a file in a child process.
    ///
    /// # Errors
    /// The file cannot be read, the set is invalid, there is no compiler, or the process cannot be started.
    pub fn judge(&self, exercise: &Exercise, language: Language, file: &Path) -> Result<Verdict, Error> {
        let fails = |check: Check, text: String| Ok(Verdict::new(&exercise.card).fails(check, text));
        if let Some(reason) = oversize(file)? {
            return Ok(Verdict::too_large(&exercise.card, &reason));
        }
        ready_once(language, self.compiler)?;
        let transcript = self.ask("judge", exercise, language, file, &self.reference(exercise, language)?)?;
        let (check, subject) = if transcript.output.starts_with(COMPILED) {
            (Check::Runs, "the kernel")
        } else {
            (Check::Compiles, "the compiler")
        };
        if transcript.is_late {
            return fails(check, format!("{subject} was stopped after {} seconds", self.resources.seconds));
        }
        match serde_json::from_str(transcript.output.strip_prefix(COMPILED).unwrap_or(&transcript.output)) {
            Ok(Answer::Verdict { verdict, .. }) if !verdict.is_passed() || !self.times_on_gpu => Ok(*verdict),
            Ok(Answer::Verdict { mut verdict, submission }) => {
                verdict.gpu = self.time(exercise, language, file, &submission);
                Ok(*verdict)
            }
            Ok(Answer::Error(text)) => Err(Error::System(text)),
            Ok(Answer::Gpu(_)) => Err(Error::System("the child process timed the kernel instead of judging it".into())),
            Err(_) => {
                let last = transcript.errors.lines().rfind(|line| !line.trim().is_empty());
                let reason = last.unwrap_or("it used too much memory, or crashed");
                fails(check, format!("{subject} ended without an answer: {reason}"))
            }
        }
    }

    /// Returns the [`Reference`] of an exercise as JSON. A solution is compiled once in a process, whatever number of answers follows.
    fn reference(&self, exercise: &Exercise, language: Language) -> Result<String, Error> {
        static KNOWN: Mutex<BTreeMap<(PathBuf, Language), String>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (exercise.folder.clone(), language);
        if let Some(reference) = known.get(&key) {
            return Ok(reference.clone());
        }
        let reference = match recompiled(exercise, language, self.compiler) {
            Ok(ptx) => Reference { ptx, differs_in_compiler: false },
            // The set's prebuilt PTX does as well; without it, the child reports the error.
            Err(_) => Reference { ptx: None, differs_in_compiler: true },
        };
        let text = serde_json::to_string(&reference).map_err(|error| Error::System(error.to_string()))?;
        known.insert(key, text.clone());
        Ok(text)
    }

    /// Times a kernel that has passed on a GPU, in a child process. Returns `None` if there is no GPU.
    fn time(&self, exercise: &Exercise, language: Language, file: &Path, submission: &str) -> Option<OnGpu> {
        static NO_GPU: AtomicBool = AtomicBool::new(false);
        if NO_GPU.load(Ordering::Relaxed) {
            return None;
        }
        let not = |reason: String| Some(OnGpu::Not(reason));
        let transcript = match self.ask("time", exercise, language, file, submission) {
            Ok(transcript) if transcript.is_late => {
                return not(format!("it was stopped after {} seconds", self.resources.seconds));
            }
            Ok(transcript) => transcript,
            Err(error) => return not(error.to_string()),
        };
        match serde_json::from_str(&transcript.output) {
            Ok(Answer::Gpu(None)) => {
                NO_GPU.store(true, Ordering::Relaxed);
                None
            }
            Ok(Answer::Gpu(on_gpu)) => on_gpu,
            Ok(Answer::Error(text)) => not(text),
            _ => not(transcript.errors.lines().last().unwrap_or("the process ended without an answer").to_owned()),
        }
    }

    /// Starts this program with a hidden command, and waits until it ends or its time is over.
    fn ask(
        &self,
        command: &str,
        exercise: &Exercise,
        language: Language,
        file: &Path,
        input: &str,
    ) -> Result<Transcript, Error> {
        let cannot = |doing: &str, error: std::io::Error| Error::System(format!("cannot {doing}: {error}"));
        let Resources { seconds, gib } = self.resources;
        let program = std::env::current_exe().map_err(|error| cannot("find this program", error))?;
        let mut process = Command::new(program);
        process.args([command, "--memory-limit", &gib.to_string(), "--time-limit", &seconds.to_string()]);
        if let Some(choice) = self.compiler {
            process.args(["--compiler", &choice.to_string()]);
        }
        if let (Some(seed), "judge") = (self.seed, command) {
            process.args(["--seed", &seed.to_string()]);
        }
        process.args(["--language", language.extension()]).arg(&exercise.folder).arg(file);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        new_group(&mut process);
        let mut child = process.spawn().map_err(|error| cannot("start a process", error))?;
        Ok(converse(&mut child, input.into(), Duration::from_secs(seconds)))
    }
}

/// Prepares the compiler before the first kernel, because its preparation, once per machine, may take longer than a kernel
/// is allowed to take.
fn ready_once(language: Language, choice: Option<Choice>) -> Result<(), Error> {
    static READY: Mutex<Vec<Language>> = Mutex::new(Vec::new());
    let mut languages = READY.lock().unwrap_or_else(PoisonError::into_inner);
    if !languages.contains(&language) {
        ready(language, choice)?;
        languages.push(language);
    }
    Ok(())
}
