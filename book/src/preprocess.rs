//! mdBook's protocol for preprocessors, which pass a book as JSON from standard input to standard output.

use crate::fill::Course;
use anyhow::{Context, Result, bail};
use mdbook_preprocessor::{MDBOOK_VERSION, Preprocessor, parse_input};
use std::io::{stdin, stdout};

/// Answers the stock mdBook: `supports RENDERER`, or no arguments to replace the directives of a book.
///
/// # Errors
/// Returns an error if the input is not a book in this protocol, or if a directive cannot be replaced.
pub fn answer(question: &[String]) -> Result<()> {
    match question.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["supports", "html"] => Ok(()),
        ["supports", renderer] => bail!("the book's directives are filled with HTML, not with what {renderer} takes"),
        [] => fill(),
        _ => bail!("`preprocess` takes nothing or `supports RENDERER`; mdBook calls it"),
    }
}

fn fill() -> Result<()> {
    let (context, book) = parse_input(stdin()).with_context(|| {
        format!("expected a book as mdBook {MDBOOK_VERSION} passes it; without mdBook: cargo run -p book -- build")
    })?;
    serde_json::to_writer(stdout(), &Course::default().run(&context, book)?).context("cannot write the filled book")
}
