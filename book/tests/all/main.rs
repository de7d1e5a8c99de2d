//! The tests of the book, in one program so that mdBook is linked once.

mod browser;
mod charts;
mod command_line;
mod content;
mod content_of_cards;
mod content_of_lookups;
mod curves;
mod directives;
mod estimates;
mod gpus;
mod pages;
mod support;
mod worked_examples;
