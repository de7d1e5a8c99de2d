//! mdBook's protocol of preprocessors: the book as JSON on standard input, the filled one on standard output.

use crate::fill::Course;
use anyhow::{Context, Result, bail};
use mdbook_preprocessor::{MDBOOK_VERSION, Preprocessor, parse_input};
use std::io::{stdin, stdout};

/// Answers what the stock mdBook asks: `supports RENDERER`, or nothing to have a book filled.
///
/// # Errors
/// When the input is no book of this protocol, or a directive cannot be met.
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
    serde_json::to_writer(stdout(), &Course.run(&context, book)?).context("cannot write the filled book")
}
