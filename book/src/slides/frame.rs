//! The frame of a page's slides: styles with their fonts, and scripts.

use crate::fill::packed;
use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::path::Path;

/// The style sheets of figures and explorers, which are those of the book, and of slides.
const STYLES: [&str; 4] = ["course.css", "charts.css", "explorers.css", "slides.css"];
/// The scripts of explorers that all kinds need.
const EXPLORERS: [&str; 3] = ["instance.js", "emulator.js", "explorers.js"];
/// The fonts of slides: name, weight and file.
const FONTS: [(&str, u32, &str); 3] = [
    ("Open Sans", 400, "open-sans-400.woff2"),
    ("Open Sans", 700, "open-sans-700.woff2"),
    ("Coalesced Code", 500, "coalesced-code-500.woff2"),
];
/// The beginning of an explorer's element.
const EXPLORER: &str = "class=\"explorer\" data-explorer=\"";

/// Returns style sheets of the theme, after the fonts in themselves.
///
/// # Errors
/// Returns an error if a file is missing.
pub fn styles(root: &Path, names: &[&str]) -> Result<String> {
    let theme = root.join("theme");
    let mut styles = String::new();
    for (family, weight, file) in FONTS {
        let bytes = fs::read(theme.join("fonts").join(file)).with_context(|| format!("cannot read {file}"))?;
        styles += &format!(
            "@font-face {{ font-family: \"{family}\"; font-weight: {weight}; src: url(data:font/woff2;base64,{}) }}\n",
            STANDARD.encode(bytes)
        );
    }
    for name in names {
        styles += &fs::read_to_string(theme.join(name)).with_context(|| format!("cannot read theme/{name}"))?;
    }
    Ok(styles)
}

/// The parts that all pages of slides contain.
pub struct Frame {
    styles: String,
    script: String,
    explorers: Vec<(&'static str, String)>,
    emulator: String,
}

impl Frame {
    /// Reads the parts from the folder of the book.
    ///
    /// # Errors
    /// Returns an error if a file is missing.
    pub fn read(root: &Path) -> Result<Self> {
        let theme = root.join("theme");
        let text =
            |name: &str| fs::read_to_string(theme.join(name)).with_context(|| format!("cannot read theme/{name}"));
        let styles = styles(root, &STYLES)?;
        let kinds = ["banks", "coalescing", "occupancy", "parallelism", "shuffle"];
        let explorers = kinds.map(|kind| Ok((kind, text(&format!("explorer-{kind}.js"))?)));
        let shared: String = EXPLORERS.map(text).into_iter().collect::<Result<_>>()?;
        let emulator = packed::emulator(root)? + &script(&shared);
        Ok(Self {
            styles,
            script: text("slides.js")?,
            explorers: explorers.into_iter().collect::<Result<_>>()?,
            emulator,
        })
    }

    /// Returns the page with these slides.
    #[must_use]
    pub fn around(&self, title: &str, slides: &str) -> String {
        let used = |kind: &str| slides.contains(&format!("{EXPLORER}{kind}\""));
        let explorers: String =
            self.explorers.iter().filter(|(kind, _)| used(kind)).map(|(_, text)| script(text)).collect();
        let explorers = if explorers.is_empty() { explorers } else { self.emulator.clone() + &explorers };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\" class=\"light\">\n<head>\n<meta charset=\"UTF-8\">\n<title>{title} - Coalesced</title>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n\
             <main>\n{slides}</main>\n{}{explorers}</body>\n</html>\n",
            self.styles,
            script(&self.script)
        )
    }
}

fn script(text: &str) -> String {
    format!("<script>\n{text}</script>\n")
}
