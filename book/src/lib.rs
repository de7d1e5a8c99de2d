//! The course's book: Markdown in `book/text`, filled with code from the kernels and with figures from the records,
//! rendered by mdBook.
//!
//! [`fill`] is the preprocessor. [`build`] runs it with mdBook as a library, and [`preprocess`] serves the stock mdBook
//! through its protocol, so that both make the same pages. [`serve`] serves the pages, and
//! [`site`] makes a site of them, with the [`compiler`] that pages run. [`slides`] makes the slides of a class, and [`exam`] its exams. [`check`] compares the texts with the
//! repository. [`prices`] makes one of the records, and [`estimates`] the errors of estimates.

pub mod build;
mod carry;
pub mod check;
pub mod compiler;
mod editor;
pub mod estimates;
pub mod evaluation;
pub mod exam;
pub mod fill;
mod footer;
mod later;
mod pages;
pub mod preprocess;
pub mod prices;
pub mod serve;
pub mod site;
pub mod slides;
