//! The course's book: Markdown in `book/text`, filled with code from the kernels and with figures from the records,
//! rendered by mdBook.
//!
//! [`fill`] is the preprocessor. [`build`] runs it with mdBook as a library, [`preprocess`] answers the stock mdBook by
//! its protocol, so that both make the same pages. [`serve`] shows them. [`check`] holds the texts against the repository.

pub mod build;
mod carry;
pub mod check;
pub mod fill;
pub mod preprocess;
pub mod serve;
