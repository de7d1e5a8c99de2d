//! A learner's kernel in a process of its own, which is ended when it takes too long or too much memory: a compiler can be
//! kept busy for ever by a file, too.

use crate::error::Error;
use crate::judge::{Check, Submission, Verdict, compile, judge, ready};
use crate::set::Exercise;
use kernel_file::Language;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// What a kernel may take from its file to the verdict.
const SECONDS: u64 = 20;

/// Address space of the process in bytes; rustc reserves more than it uses.
#[cfg(unix)]
const ADDRESS_BYTES: u64 = 6 << 30;

/// The largest file that the process may write, in bytes: a compiler's.
#[cfg(unix)]
const FILE_BYTES: u64 = 256 << 20;

/// What the process says when the kernel is compiled.
const COMPILED: &str = "compiled\n";

/// What the process says at its end.
#[derive(Serialize, Deserialize)]
enum Answer {
    Verdict(Verdict),
    Error(String),
}

/// Judges a file in a process of its own.
///
/// # Errors
/// The file cannot be read, the set is wrong, there is no compiler, or the process cannot be started.
pub fn judge_apart(exercise: &Exercise, language: Language, file: &Path) -> Result<Verdict, Error> {
    std::fs::metadata(file).map_err(Error::file("read", file))?;
    ready_once(language)?;
    let program =
        std::env::current_exe().map_err(|error| Error::System(format!("cannot find this program: {error}")))?;
    let mut command = Command::new(program);
    command.args(["learn", "judge", "--language", language.extension()]).arg(&exercise.folder).arg(file);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| Error::System(format!("cannot start a process: {error}")))?;
    let (said, is_late) = output(&mut child);
    let complaint = child.stderr.take().map(|mut pipe| {
        let mut text = String::new();
        // What cannot be read is not needed: the answer is on standard output.
        let _ = pipe.by_ref().take(4096).read_to_string(&mut text);
        text
    });
    let failed = |what: &str| {
        let verdict = Verdict::of(&exercise.card);
        match said.starts_with(COMPILED) {
            true => verdict.fails(Check::Runs, format!("the kernel {what}")),
            false => verdict.fails(Check::Compiles, format!("the compiler {what}")),
        }
    };
    if is_late {
        return Ok(failed(&format!("was stopped after {SECONDS} seconds")));
    }
    match serde_json::from_str(said.strip_prefix(COMPILED).unwrap_or(&said)) {
        Ok(Answer::Verdict(verdict)) => Ok(verdict),
        Ok(Answer::Error(text)) => Err(Error::System(text)),
        Err(_) => {
            let words = complaint.unwrap_or_default();
            let last =
                words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it used too much memory, or crashed");
            Ok(failed(&format!("ended without an answer: {last}")))
        }
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

/// What the process writes up to its end, and whether it was ended for being late.
fn output(child: &mut Child) -> (String, bool) {
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
    let end = std::time::Instant::now() + Duration::from_secs(SECONDS);
    let mut said = Vec::new();
    let is_late = loop {
        match receiver.recv_timeout(end.saturating_duration_since(std::time::Instant::now())) {
            Ok(bytes) => said.extend(bytes),
            Err(mpsc::RecvTimeoutError::Disconnected) => break false,
            Err(mpsc::RecvTimeoutError::Timeout) => break true,
        }
    };
    stop(child);
    (String::from_utf8_lossy(&said).into_owned(), is_late)
}

/// Ends the process and those that it has started, whether they run or not.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It fails where all have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The process itself: judges, and writes the answer on standard output.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(folder: &Path, language: Language, file: &Path) -> Result<(), Error> {
    limit();
    let answer = match answer(folder, language, file) {
        Ok(verdict) => Answer::Verdict(verdict),
        Err(error) => Answer::Error(error.to_string()),
    };
    let text = serde_json::to_string(&answer).map_err(|error| Error::System(error.to_string()))?;
    say(&text)
}

fn answer(folder: &Path, language: Language, file: &Path) -> Result<Verdict, Error> {
    let exercise = Exercise::load(folder)?;
    let bytes = std::fs::read(file).map_err(Error::file("read", file))?;
    // The compiler says where something is not text.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let ptx = match compile(file, language, &text)? {
        Ok(ptx) => ptx,
        Err(words) => return Ok(Verdict::of(&exercise.card).fails(Check::Compiles, words)),
    };
    say(COMPILED)?;
    judge(&exercise, &Submission { file: file.to_owned(), language, text, ptx })
}

fn say(text: &str) -> Result<(), Error> {
    let mut output = std::io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| Error::System(error.to_string()))
}

/// Limits that hold for the compiler as well. A system that has none of them goes without.
fn limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limits = [
            (Resource::As, ADDRESS_BYTES),
            (Resource::Fsize, FILE_BYTES),
            (Resource::Core, 0),
            (Resource::Cpu, 4 * SECONDS),
        ];
        for (resource, most) in limits {
            let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
    }
}
