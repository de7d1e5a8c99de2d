//! A line on the terminal for what takes more than a second. Silent where stderr is not a terminal.

use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Shown from the first phase that begins this long after the start.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the run is doing now.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
    is_terminal: bool,
}

impl Progress {
    /// Starts the clock.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now(), bar: None, is_terminal: std::io::stderr().is_terminal() }
    }

    /// Says what begins now.
    pub fn phase(&mut self, text: String) {
        if self.is_terminal && self.bar.is_none() && self.started.elapsed() > PATIENCE {
            let bar = ProgressBar::new_spinner();
            bar.enable_steady_tick(Duration::from_millis(100));
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }

    /// Removes the line, so that something else can be printed.
    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
