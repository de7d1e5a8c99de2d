//! The course's book: Markdown in `book/text`, filled with code from the kernels and with figures from the records,
//! rendered by mdBook.
//!
//! [`fill`] is the preprocessor. [`build`] runs it with mdBook as a library, and [`preprocess`] serves the stock mdBook
//! through its protocol, so that both make the same pages. [`serve`] serves the pages, and
//! [`site`] makes a site of them, with the [`compiler`] that pages run. [`slides`] makes the slides of a class, [`sheets`] what it
//! writes on, [`exam`] its exams, and [`minutes`] reads the logs of readers. [`check`] compares the texts with the repository.
//! [`prices`] makes one of the records, and [`validation`] compares estimates with records.

pub mod build;
pub mod check;
pub mod compiler;
mod deferred_scripts;
mod editor;
pub mod exam;
pub mod fill;
mod footer;
pub mod minutes;
mod page_data;
pub mod preprocess;
pub mod prices;
mod qr;
pub mod serve;
pub mod sheets;
pub mod site;
pub mod slides;
pub mod validation;
