//! The parts of charts: scales, marks, labels that do not overlap, and axes.
//!
//! Colors come from the page's theme. Charts are readable without them, because lines differ by dashes and marks, and have
//! numbers.

mod axes;
mod labels;
mod marks;
mod scale;

pub use axes::{ABOVE, BELOW, Panel, line, short_time, text};
pub use labels::{Labels, label, spread};
pub use marks::{Keyed, key, mark, series, whiskers};
pub use scale::Log;
