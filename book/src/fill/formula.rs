//! `{{formula LATEX}}`: a formula on a line of its own, as MathML, which browsers typeset without scripts and fonts.
//!
//! Directives end at two closing braces, so that LaTeX is written with a space between its own: `\frac{a}{b^{2} }`.

use anyhow::{Result, anyhow};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Event, Parser, RenderConfig, Storage, push_mathml};
use std::convert::Infallible;

/// The formula in an element that scrolls where the page is narrow.
///
/// # Errors
/// When it is no LaTeX, or uses what the library does not know.
pub fn render(latex: &str) -> Result<String> {
    let storage = Storage::new();
    let events: Result<Vec<Event<'_>>, _> = Parser::new(latex, &storage).collect();
    let events = events.map_err(|error| anyhow!("{error}"))?;
    let config = RenderConfig { display_mode: DisplayMode::Block, ..RenderConfig::default() };
    let mut html = String::new();
    push_mathml(&mut html, events.into_iter().map(Ok::<_, Infallible>), config)?;
    Ok(format!("<div class=\"equation\" tabindex=\"0\">{html}</div>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_mathml() {
        let html = render(r"t = \frac{n}{b}").unwrap();
        assert!(html.contains("<mfrac><mrow><mi>n</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"), "{html}");
    }

    #[test]
    fn what_is_no_latex_is_refused() {
        for wrong in [r"\frac{1}", r"\nothing{x}", "a^"] {
            assert!(render(wrong).is_err(), "{wrong}");
        }
    }
}
