//! The exchange of text with a child process, within a time limit.

use super::confinement::stop_group;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The text that a child process wrote.
#[derive(Debug)]
pub struct Transcript {
    /// All of standard output.
    pub output: String,
    /// The last [`KEPT_ERROR_BYTES`] of standard error.
    pub errors: String,
    /// Whether the child was stopped at the time limit.
    pub is_late: bool,
}

/// The number of bytes of standard error that are kept.
pub const KEPT_ERROR_BYTES: usize = 4096;

/// How long to wait for the end of standard error after the process has been stopped: a process outside of its group may
/// keep it open.
const ERRORS_DELAY: Duration = Duration::from_secs(1);

/// Writes `input` to the child's standard input and reads its output, until the child closes standard output or `limit` is
/// over. Then stops the child and all processes that it has started.
///
/// Each stream has its own thread. Otherwise a child that waits for one full pipe would wait for us, and we for the child.
pub fn converse(child: &mut Child, input: Vec<u8>, limit: Duration) -> Transcript {
    let end = Instant::now() + limit;
    if let Some(mut pipe) = child.stdin.take() {
        // Writing fails if the child has ended, which its output explains better.
        thread::spawn(move || pipe.write_all(&input));
    }
    let (error_sender, errors) = mpsc::channel();
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || error_sender.send(tail(pipe)));
    }
    let (sender, chunks) = mpsc::channel();
    if let Some(mut pipe) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    let mut output = Vec::new();
    let is_late = loop {
        match chunks.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(bytes) => output.extend(bytes),
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    stop_group(child);
    let errors = errors.recv_timeout(ERRORS_DELAY).unwrap_or_default();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Transcript { output: text(&output), errors: text(&errors), is_late }
}

/// Reads a pipe to its end and returns the last [`KEPT_ERROR_BYTES`].
fn tail(mut pipe: impl Read) -> Vec<u8> {
    let mut tail = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut bytes) {
        tail.extend(&bytes[..count]);
        tail.drain(..tail.len().saturating_sub(KEPT_ERROR_BYTES));
    }
    tail
}
