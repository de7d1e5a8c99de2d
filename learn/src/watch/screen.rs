//! The terminal: keys without Return, and lines.

use crate::error::Error;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::io::{IsTerminal, Write, stdin, stdout};

/// The terminal, as it was again when this is dropped.
#[derive(Debug)]
pub struct Screen {
    has_keys: bool,
}

impl Screen {
    /// Takes the keys where there is a terminal.
    pub fn open() -> Result<Self, Error> {
        let has_keys = stdin().is_terminal() && stdout().is_terminal();
        if has_keys {
            enable_raw_mode().map_err(|error| Error::System(format!("cannot read keys: {error}")))?;
        }
        Ok(Self { has_keys })
    }

    /// Whether keys are read.
    pub fn has_keys(&self) -> bool {
        self.has_keys
    }

    /// Prints a text and a line end. A terminal that gives single keys wants a return with each line end.
    pub fn say(&self, text: &str) {
        let text = text.trim_end();
        let text = if self.has_keys { format!("{}\r\n", text.replace('\n', "\r\n")) } else { format!("{text}\n") };
        let mut output = stdout().lock();
        // Nobody reads any more: the next event, or the end of the program, is soon enough.
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }

    /// A text in a color, on a terminal that wants colors.
    pub fn colored(&self, text: &str, color: u8) -> String {
        let wants = self.has_keys && std::env::var_os("NO_COLOR").is_none();
        if wants { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.has_keys {
            // There is nobody left to tell.
            let _ = disable_raw_mode();
        }
    }
}
