//! The data of reports: steps between rungs, recorded readings, and the view of a run.

pub mod readings;
pub mod steps;
pub mod view;
