//! The data of reports: steps between rungs, recorded readings, and the view of a run.

pub mod language;
pub mod readings;
pub mod results;
pub mod steps;
pub mod view;
