//! A line on the terminal for what takes more than a second. Silent where stderr is not a terminal.

use indicatif::{ProgressBar, ProgressStyle};
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

/// A bar on the terminal for a number of steps; silent where stderr is not a terminal.
#[must_use]
pub fn counted(text: String, steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} steps, {eta} left");
    let bar = ProgressBar::new(steps).with_message(text);
    // The template is a constant: were it wrong, the plain bar would do.
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
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
