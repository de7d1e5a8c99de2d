//! A learner's kernel in a process of its own, which is ended when it takes too long or too much memory: a compiler can be
//! kept busy for ever by a file, too.

mod gpu;
mod limits;
mod process;

pub use gpu::{OnGpu, Ran, run_on_device};
pub use process::{run, time};

use crate::error::Error;
use crate::judge::{Check, Verdict, ready};
use crate::set::Exercise;
use kernel_file::Language;
use process::{Answer, COMPILED};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// How learners' kernels are judged.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    /// What a kernel may take from its file to the verdict.
    pub seconds: u64,
    /// Address space of the process; rustc reserves more than it uses.
    pub gib: u64,
    /// Whether a kernel that passes is timed on a GPU, if there is one.
    pub times: bool,
}

/// What a process wrote, and how it ended.
struct Said {
    output: String,
    complaint: String,
    is_late: bool,
}

impl Worker {
    /// Judges a file in a process of its own.
    ///
    /// # Errors
    /// The file cannot be read, the set is wrong, there is no compiler, or the process cannot be started.
    pub fn judge(&self, exercise: &Exercise, language: Language, file: &Path) -> Result<Verdict, Error> {
        std::fs::metadata(file).map_err(Error::file("read", file))?;
        ready_once(language)?;
        let said = self.ask("judge", exercise, language, file, "")?;
        let failed = |what: &str| {
            let verdict = Verdict::of(&exercise.card);
            match said.output.starts_with(COMPILED) {
                true => verdict.fails(Check::Runs, format!("the kernel {what}")),
                false => verdict.fails(Check::Compiles, format!("the compiler {what}")),
            }
        };
        if said.is_late {
            return Ok(failed(&format!("was stopped after {} seconds", self.seconds)));
        }
        match serde_json::from_str(said.output.strip_prefix(COMPILED).unwrap_or(&said.output)) {
            Ok(Answer::Verdict { verdict, .. }) if !verdict.is_passed() || !self.times => Ok(verdict),
            Ok(Answer::Verdict { mut verdict, submission }) => {
                verdict.gpu = self.time(exercise, language, file, &submission);
                Ok(verdict)
            }
            Ok(Answer::Error(text)) => Err(Error::System(text)),
            Ok(Answer::Gpu(_)) => Err(Error::System("the process answered another question".into())),
            Err(_) => {
                let words = said.complaint.lines().rfind(|line| !line.trim().is_empty());
                let words = words.unwrap_or("it used too much memory, or crashed");
                Ok(failed(&format!("ended without an answer: {words}")))
            }
        }
    }

    /// What a kernel that has passed takes on a GPU; `None` where there is none. It changes no verdict.
    fn time(&self, exercise: &Exercise, language: Language, file: &Path, submission: &str) -> Option<OnGpu> {
        static NO_GPU: AtomicBool = AtomicBool::new(false);
        if NO_GPU.load(Ordering::Relaxed) {
            return None;
        }
        let not = |reason: String| Some(OnGpu::Not(reason));
        let said = match self.ask("time", exercise, language, file, submission) {
            Ok(said) if said.is_late => return not(format!("it was stopped after {} seconds", self.seconds)),
            Ok(said) => said,
            Err(error) => return not(error.to_string()),
        };
        match serde_json::from_str(&said.output) {
            Ok(Answer::Gpu(None)) => {
                NO_GPU.store(true, Ordering::Relaxed);
                None
            }
            Ok(Answer::Gpu(on_gpu)) => on_gpu,
            Ok(Answer::Error(text)) => not(text),
            _ => not(said.complaint.lines().last().unwrap_or("the process ended without an answer").to_owned()),
        }
    }

    /// Starts this program with a hidden command, and waits for its end or for the time to be over.
    fn ask(
        &self,
        command: &str,
        exercise: &Exercise,
        language: Language,
        file: &Path,
        input: &str,
    ) -> Result<Said, Error> {
        let cannot = |doing: &str, error: std::io::Error| Error::System(format!("cannot {doing}: {error}"));
        let program = std::env::current_exe().map_err(|error| cannot("find this program", error))?;
        let mut process = Command::new(program);
        process.args(["learn", command, "--memory-limit", &self.gib.to_string()]);
        process.args(["--time-limit", &self.seconds.to_string(), "--language", language.extension()]);
        process.arg(&exercise.folder).arg(file);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        limits::keep_together(&mut process);
        let mut child = process.spawn().map_err(|error| cannot("start a process", error))?;
        if let Some(mut pipe) = child.stdin.take() {
            // One that has ended says so by its answer.
            let _ = pipe.write_all(input.as_bytes());
        }
        Ok(self.wait(&mut child))
    }

    /// What the process writes up to its end.
    fn wait(&self, child: &mut Child) -> Said {
        let (sender, receiver) = mpsc::channel();
        if let Some(mut pipe) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                    if sender.send(bytes[..count].to_vec()).is_err() {
                        break;
                    }
                }
            });
        }
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let mut output = Vec::new();
        let is_late = loop {
            match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => output.extend(bytes),
                Err(mpsc::RecvTimeoutError::Disconnected) => break false,
                Err(mpsc::RecvTimeoutError::Timeout) => break true,
            }
        };
        limits::stop(child);
        let mut complaint = String::new();
        if let Some(pipe) = child.stderr.take() {
            // What cannot be read is not needed: the answer is on standard output.
            let _ = pipe.take(4096).read_to_string(&mut complaint);
        }
        Said { output: String::from_utf8_lossy(&output).into_owned(), complaint, is_late }
    }
}

/// Makes the compiler ready before the first kernel: what it does once on a machine may take longer than a kernel may.
fn ready_once(language: Language) -> Result<(), Error> {
    static READY: Mutex<Vec<Language>> = Mutex::new(Vec::new());
    let mut languages = READY.lock().unwrap_or_else(PoisonError::into_inner);
    if !languages.contains(&language) {
        ready(language)?;
        languages.push(language);
    }
    Ok(())
}
