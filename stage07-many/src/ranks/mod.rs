//! The common part of all strategies: starting ranks, running a strategy on them, and reporting the results.
//!
//! [`process`] is the environment with which a rank starts, [`rank`] its device, streams and communicator, [`tcp`] a
//! second connection between ranks. A rank enqueues its steps on a [`tape`], which can leave out kernels or transfers,
//! and counts both. [`model`] predicts times. [`strategy`] is the interface of a strategy, [`options`] selects some of
//! them, [`measure`] times them, and [`report`] prints the results. [`job`] is the work of a rank, and [`start`] creates
//! ranks. Modules use only those that are named before them here.

pub mod job;
pub mod measure;
pub mod model;
pub mod options;
pub mod process;
pub mod rank;
pub mod report;
pub mod start;
pub mod strategy;
pub mod tape;
pub mod tcp;
