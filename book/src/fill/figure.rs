//! Hand-made figures, which are inlined so that they take the page's colors.

use super::notation::escape;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Returns `figures/NAME.svg` as one block of HTML, without blank lines, which would end it. Its `<desc>` becomes the caption.
///
/// # Errors
/// Returns an error if there is no such file, or if it lacks a `<title>` or a `<desc>`.
pub fn inline(book: &Path, name: &str) -> Result<String> {
    let text = read(book, name)?;
    let part = |tag: &str| -> Result<&str> {
        let after = text.split_once(&format!("<{tag}>")).and_then(|(_, rest)| rest.split_once(&format!("</{tag}>")));
        match after {
            Some((inside, _)) if !inside.trim().is_empty() => Ok(inside.trim()),
            _ => bail!("{name}.svg has no <{tag}>: describe the figure for readers who cannot see it"),
        }
    };
    let title = part("title")?;
    let caption = part("desc")?;
    Ok(frame(&text, &format!("<strong>{title}.</strong> {caption}")))
}

/// Returns the text of `figures/NAME.svg`.
///
/// # Errors
/// Returns an error if there is no such file.
pub fn read(book: &Path, name: &str) -> Result<String> {
    let file = book.join("figures").join(format!("{name}.svg"));
    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
}

/// Returns an SVG with a caption as a block. `caption` is HTML.
pub fn frame(svg: &str, caption: &str) -> String {
    let lines: Vec<&str> = svg.lines().filter(|line| !line.trim().is_empty()).collect();
    format!(
        "<figure class=\"drawing\">\n<div class=\"scrolls\">\n{}\n</div>\n<figcaption>{caption}</figcaption>\n\
         </figure>\n",
        lines.join("\n")
    )
}

/// Returns the beginning of an SVG with a width of 480, and its text alternative.
pub fn open(height: u32, title: &str, description: &str) -> String {
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 480 {height}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n<title>{}</title>\n\
         <desc>{}</desc>\n",
        escape(title),
        escape(description)
    )
}
