//! Parts of the charts that are drawn from records: scales, marks, labels that keep out of each other's way, and axes.
//!
//! Colors come from the page's theme. No chart needs them: lines differ by dashes and marks, and have numbers.

mod axes;
mod labels;
mod marks;
mod scale;

pub use axes::{ABOVE, BELOW, Panel, line, short_time, text};
pub use labels::{Labels, label};
pub use marks::{Keyed, key, mark, stroke};
pub use scale::Log;
