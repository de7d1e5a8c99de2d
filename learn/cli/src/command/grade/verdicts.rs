//! Judging the files of many learners: several at a time, and identical files once.

use crate::refusal::refusal;
use crate::worker::Worker;
use judge::kernel_file::{self, Language};
use judge::set::{Exercise, sha256};
use judge::{Check, Error, Verdict};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// An exercise, a language, and the SHA-256 of a file's text. The seed is that of the whole run.
type Key = (String, Language, String);

/// A verdict that one thread waits for while another makes it.
type Awaited = Arc<OnceLock<Result<Verdict, String>>>;

/// Judges files, and remembers the verdicts on their texts.
pub(super) struct Verdicts<'a> {
    worker: &'a Worker,
    known: Mutex<BTreeMap<Key, Awaited>>,
}

impl<'a> Verdicts<'a> {
    /// Returns a judge that knows no file.
    pub(super) fn new(worker: &'a Worker) -> Self {
        Self { worker, known: Mutex::default() }
    }

    /// Judges a file, unless it is refused, or an identical one has been judged. Texts of the verdict name the file by its name
    /// alone, as they may be shown to another learner.
    ///
    /// # Errors
    /// As for [`Worker::judge`].
    pub(super) fn verdict(&self, exercise: &Exercise, language: Language, file: &Path) -> Result<Verdict, Error> {
        if let Some(reason) = refusal(exercise, language, file)? {
            return Ok(Verdict::new(&exercise.card).fails(Check::Refused, reason));
        }
        if kernel_file::oversize(file)?.is_some() {
            return self.worker.judge(exercise, language, file);
        }
        let key = (exercise.name.clone(), language, sha256(&kernel_file::read(file)?));
        let cell = self.known.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let judge = || self.worker.judge(exercise, language, file).map_err(|error| error.to_string());
        let verdict = cell.get_or_init(|| judge().map(|verdict| without_path(verdict, exercise, language, file)));
        verdict.clone().map_err(Error::System)
    }
}

fn without_path(mut verdict: Verdict, exercise: &Exercise, language: Language, file: &Path) -> Verdict {
    let (path, name) = (file.display().to_string(), exercise.file_name(language));
    verdict.failure.iter_mut().for_each(|failure| failure.text = failure.text.replace(&path, &name));
    verdict
}

/// Calls `work` with each number below `count`, on as many threads as there are cores, and returns the results in order. Shows
/// on a terminal how many are done.
pub(super) fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let shows = std::io::stderr().is_terminal();
    let some = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return results;
            }
            results.push((index, work(index)));
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            if shows && (done % 10 == 0 || done == count) {
                eprint!("\r{done} of {count} exercises judged{}", if done == count { "\n" } else { "" });
            }
        }
    };
    let mut results: Vec<(usize, T)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        // A panic of a thread is one of this thread.
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
