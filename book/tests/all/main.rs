//! The book, built: one program, since its parts share a copy of the book to change.

mod charts;
mod command_line;
mod content;
mod content_of_cards;
mod content_of_lookups;
mod content_of_words;
mod curves;
mod directives;
mod pages;
mod support;
mod worked_examples;
