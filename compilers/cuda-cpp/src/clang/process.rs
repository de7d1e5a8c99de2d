//! Running a program with a text as its input.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

/// How a program ended, and what it wrote.
pub(super) struct Ended {
    pub is_success: bool,
    pub output: String,
    pub errors: String,
}

/// Runs a command to its end. Input and outputs are moved at the same time, because a pipe that nobody reads stops its
/// writer.
pub(super) fn run(mut command: Command, input: Vec<u8>) -> io::Result<Ended> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut to = child.stdin.take();
    let mut errors = child.stderr.take();
    let writer = std::thread::spawn(move || {
        // A program that has found an error may not read the rest.
        to.as_mut().map(|to| to.write_all(&input))
    });
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.as_mut().map(|errors| errors.read_to_end(&mut bytes));
        bytes
    });
    let output = child.wait_with_output()?;
    let _ = writer.join();
    let errors = reader.join().unwrap_or_default();
    Ok(Ended {
        is_success: output.status.success(),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors: String::from_utf8_lossy(&errors).into_owned(),
    })
}
