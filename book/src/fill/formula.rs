//! `{{formula LATEX}}`: a formula on a separate line, as MathML, which browsers typeset without scripts and fonts.
//!
//! A directive ends at two closing braces, so LaTeX must have a space between two: `\frac{a}{b^{2} }`.

use anyhow::{Result, anyhow};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Event, Parser, RenderConfig, Storage, push_mathml};
use std::convert::Infallible;

/// Returns the formula in an element that scrolls on a narrow page.
///
/// # Errors
/// Returns an error if the formula is not valid LaTeX or uses an unsupported command.
pub fn render(latex: &str) -> Result<String> {
    let storage = Storage::new();
    let events: Result<Vec<Event<'_>>, _> = Parser::new(latex, &storage).collect();
    let events = events.map_err(|error| anyhow!("{error}"))?;
    let config = RenderConfig { display_mode: DisplayMode::Block, ..RenderConfig::default() };
    let mut html = String::new();
    push_mathml(&mut html, events.into_iter().map(Ok::<_, Infallible>), config)?;
    // as HTML has it; the library writes the sign itself
    let html = html.replace("<mo><</mo>", "<mo>&lt;</mo>");
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
    fn a_sign_that_begins_a_tag_is_escaped() {
        assert!(render("i < n").unwrap().contains("<mo>&lt;</mo>"));
    }

    #[test]
    fn what_is_no_latex_is_refused() {
        for wrong in [r"\frac{1}", r"\nothing{x}", "a^"] {
            assert!(render(wrong).is_err(), "{wrong}");
        }
    }
}
