//! The terminal: single keys, and lines of text.

use crate::output::fit;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use judge::Error;
use std::io::{IsTerminal, Write, stdin, stdout};

/// The terminal. Its settings are restored on drop.
#[derive(Debug)]
pub struct Screen {
    has_keys: bool,
}

impl Screen {
    /// Switches a terminal to raw mode, in which each key is read at once.
    pub fn open() -> Result<Self, Error> {
        let has_keys = stdin().is_terminal() && stdout().is_terminal();
        if has_keys {
            enable_raw_mode().map_err(|error| Error::System(format!("cannot read keys: {error}")))?;
        }
        Ok(Self { has_keys })
    }

    /// Returns whether keys are read.
    pub fn has_keys(&self) -> bool {
        self.has_keys
    }

    /// Prints a text and a line break. In raw mode, each line break needs a carriage return.
    pub fn say(&self, text: &str) {
        let text = fit(text.trim_end());
        let text = if self.has_keys { format!("{}\r\n", text.replace('\n', "\r\n")) } else { format!("{text}\n") };
        let mut output = stdout().lock();
        // A closed output is noticed at the next event, or at the end of the program.
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }

    /// Returns a text in a color, unless there is no terminal or NO_COLOR is set.
    pub fn colored(&self, text: &str, color: u8) -> String {
        let has_colors = self.has_keys && std::env::var_os("NO_COLOR").is_none();
        if has_colors { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.has_keys {
            // There is no way left to report an error.
            let _ = disable_raw_mode();
        }
    }
}
