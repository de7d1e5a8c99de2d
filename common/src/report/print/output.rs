//! The output of a run.

use crate::error::Error;
use std::io::Write;

/// The output of a run: records go to stdout, and text to stdout too, or to stderr if there are records.
pub struct Output {
    words: Box<dyn Write>,
    /// Outcomes whose tables are printed.
    pub(in crate::report) shown: usize,
}

impl Output {
    /// Returns the output of a run with or without records.
    #[must_use]
    pub fn new(json: bool) -> Self {
        let words: Box<dyn Write> = if json { Box::new(std::io::stderr()) } else { Box::new(std::io::stdout()) };
        Self { words, shown: 0 }
    }

    /// Prints one line of text.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn say(&mut self, text: &str) -> Result<(), Error> {
        writeln!(self.words, "{text}")?;
        Ok(())
    }

    /// Prints lines of text.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn say_all(&mut self, lines: &[String]) -> Result<(), Error> {
        lines.iter().try_for_each(|line| self.say(line))
    }

    /// Prints a record as one line of JSON.
    ///
    /// # Errors
    /// [`Error::Write`], [`Error::Json`].
    pub fn json(&mut self, record: &impl serde::Serialize) -> Result<(), Error> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(&line)?;
        stdout.flush()?;
        Ok(())
    }
}
