//! QR codes of addresses, for the cameras of phones: on a terminal, and as a drawing of a page.

use qrcode::render::unicode::Dense1x2;
use qrcode::{Color, QrCode};
use std::fmt::Write;

/// The free modules around a code, which readers of codes need.
const MARGIN: usize = 4;

/// Returns a code in half blocks, each line black on white whatever the colors of the terminal; none if the text is too long.
#[must_use]
pub fn terminal(text: &str) -> Option<String> {
    let drawn = QrCode::new(text).ok()?.render::<Dense1x2>().build();
    Some(drawn.lines().map(|line| format!("  \x1b[30;107m{line}\x1b[0m\n")).collect())
}

/// Returns a code as SVG, one line for each row of neighbors, so that it has few letters; none if the text is too long.
#[must_use]
pub fn svg(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, qrcode::EcLevel::L).ok()?;
    let width = code.width();
    let mut path = String::new();
    for (y, row) in code.to_colors().chunks(width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|left, right| left == right) {
            if run[0] == Color::Dark {
                // Writing to a String cannot fail.
                let _ = write!(path, "M{} {}h{}", x + MARGIN, y + MARGIN, run.len());
            }
            x += run.len();
        }
    }
    let side = width + 2 * MARGIN;
    Some(format!(
        "<svg class=\"qr\" viewBox=\"0 -0.5 {side} {side}\" role=\"img\" aria-label=\"QR code of the link\" \
         shape-rendering=\"crispEdges\"><path d=\"{path}\" stroke=\"#000\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A code of version 2 has 25 modules and a margin of 4: 33 columns, two rows a line.
    #[test]
    fn a_code_on_a_terminal_has_a_margin_and_whole_lines() {
        let code = terminal("http://10.0.0.7:3000/").expect("a code");
        let lines: Vec<&str> = code.lines().collect();
        assert_eq!(lines.len(), 17);
        assert!(lines.iter().all(|line| line.starts_with("  \x1b[30;107m") && line.ends_with("\x1b[0m")), "{code}");
        assert!(lines[0].contains(&" ".repeat(33)) && lines[2].contains("    █"), "{code}");
    }

    #[test]
    fn a_drawn_code_has_the_modules_of_the_code() {
        let text = "https://example.org/course/first-kernels.html#11-one-thread-per-element";
        let svg = svg(text).expect("a code");
        let code = QrCode::with_error_correction_level(text, qrcode::EcLevel::L).expect("a code");
        let dark = code.to_colors().iter().filter(|&&color| color == Color::Dark).count();
        let drawn: usize =
            svg.split('h').filter_map(|part| part.split('M').next()?.split('"').next()?.parse::<usize>().ok()).sum();
        assert_eq!(drawn, dark);
        assert!(svg.contains("d=\"M4 4h7M") && svg.len() < 6000, "{} letters", svg.len());
        assert!(super::svg(&"a".repeat(5000)).is_none());
    }
}
