//! The parts of charts: scales, marks, labels that do not overlap, and axes.
//!
//! Colors come from the page's theme. Charts are readable without them, because lines differ by dashes and marks, and have
//! numbers.

mod axes;
mod labels;
mod lines;
mod marks;
mod scale;

pub use axes::{ABOVE, BELOW, Panel, heading, line, short_time, text};
pub use labels::spread;
use labels::{Labels, label};
pub use lines::{LEFT, Line, Numbered, draw, list, list_height, panel};
pub use marks::mark;
use marks::{key, series, whiskers};
pub use scale::Log;
