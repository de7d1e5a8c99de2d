//! The errors of the estimates of `predict`, against records. `predict` depends on neither stages nor records, so this is in the book.
//!
//! [`estimate_kernels`] and [`estimate_launches`] write the estimates to files, which takes minutes. `kernels` and `launches` compare
//! them with the records when the book is built.

mod errors;
pub mod estimate_kernels;
pub mod estimate_launches;
pub(crate) mod kernels;
pub(crate) mod launches;
