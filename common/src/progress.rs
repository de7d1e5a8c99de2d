//! A progress line on the terminal for runs of more than a second; nothing if stderr is not a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The line appears with the first phase that begins after this time.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress line of a run.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
    is_terminal: bool,
}

/// Returns a progress bar for a number of steps; invisible if stderr is not a terminal.
#[must_use]
pub fn counted(text: String, steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} steps, {eta} left");
    let bar = ProgressBar::new(steps).with_message(text);
    // The template is a constant; if it were wrong, the plain bar would do.
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}

impl Progress {
    /// Starts the clock.
    #[must_use]
    pub fn start() -> Self {
        Self { started: Instant::now(), bar: None, is_terminal: std::io::stderr().is_terminal() }
    }

    /// Shows the name of the phase that begins now.
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

    /// Removes the line, so that other text can be printed.
    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
