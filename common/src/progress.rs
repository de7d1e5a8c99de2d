//! A progress line for phases that take long: a moving one on a terminal, and one plain line elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The duration of a phase after which its line appears.
const PATIENCE: Duration = Duration::from_secs(2);

/// The duration of a run after which its phases have their line on a terminal at once.
const LONG: Duration = Duration::from_secs(1);

/// The progress line of a run.
#[derive(Debug)]
pub struct Progress {
    started: Instant,
    /// The thread that shows the phase, and what ends it.
    shown: Option<(Sender<()>, JoinHandle<()>)>,
    /// What a terminal shows above the line: results so far.
    above: String,
    is_terminal: bool,
}

/// Returns a progress bar for a number of steps; invisible if stderr is not a terminal.
#[must_use]
pub fn step_bar(text: String, steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} steps, {eta} left");
    let bar = ProgressBar::new(steps).with_message(text);
    // The template is a constant; if it were wrong, the plain bar would do.
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}

/// Returns the style of a phase's line.
fn style() -> ProgressStyle {
    // The template is a constant; if it were wrong, the plain spinner would do.
    ProgressStyle::with_template("{prefix}{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

impl Progress {
    /// Starts the clock.
    #[must_use]
    pub fn start() -> Self {
        let is_terminal = std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
        Self { started: Instant::now(), shown: None, above: String::new(), is_terminal }
    }

    /// Replaces the lines that a terminal shows above those of later phases, until they end. `lines` is called only for a terminal.
    pub fn show_above(&mut self, lines: impl FnOnce() -> String) {
        if self.is_terminal {
            self.above = lines();
        }
    }

    /// Begins a phase, which is shown once it takes long.
    pub fn phase(&mut self, text: String) {
        self.clear();
        let is_terminal = self.is_terminal;
        let above = self.above.clone();
        let patience = if is_terminal && self.started.elapsed() > LONG { Duration::ZERO } else { PATIENCE };
        let (ended, has_ended) = mpsc::channel::<()>();
        let show = move || {
            if has_ended.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if !is_terminal {
                eprintln!("{text}: still runs");
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(text).with_prefix(above).with_style(style());
            bar.enable_steady_tick(Duration::from_millis(100));
            // It is never sent anything: the phase ends when the sender is dropped.
            let _ended = has_ended.recv();
            bar.finish_and_clear();
        };
        self.shown = Some((ended, thread::spawn(show)));
    }

    /// Ends the phase and removes its line, so that other text can be printed.
    pub fn clear(&mut self) {
        if let Some((ended, shown)) = self.shown.take() {
            drop(ended);
            // It cannot panic, and nothing would be lost but a line.
            let _ = shown.join();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
