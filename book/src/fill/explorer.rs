//! `{{explorer NAME}}`: a place where the page's scripts ask the emulator what an access costs.

use anyhow::{Result, bail};

/// The explorers of `theme/explorers.js`: names, titles, and where the same is said without a script.
const EXPLORERS: [(&str, &str, &str); 4] = [
    ("banks", "Bank conflicts", "the figure of a tile in <a href=\"stage02-shared.html\">stage 2</a>"),
    ("coalescing", "Coalescing", "the figures of <a href=\"stage01-naive.html\">stage 1</a>"),
    (
        "occupancy",
        "Occupancy",
        "the section on latency in <a href=\"how-a-gpu-runs.html\">How a GPU runs your code</a>",
    ),
    ("shuffle", "Warp shuffle", "the figure of shuffles in <a href=\"stage04-shuffle.html\">stage 4</a>"),
];

/// The explorer's place, with what a browser without WebAssembly shows.
///
/// # Errors
/// When there is no such explorer; lists those that there are.
pub fn render(name: &str) -> Result<String> {
    let Some((name, title, elsewhere)) = EXPLORERS.into_iter().find(|(known, ..)| *known == name) else {
        let names = EXPLORERS.map(|(name, ..)| name);
        bail!("no explorer {name}; there are {}", names.join(", "));
    };
    Ok(format!(
        "<div class=\"explorer\" data-explorer=\"{name}\">\n<p><strong>{title}</strong> can be tried here in a browser with \
         WebAssembly; without it, see {elsewhere}.</p>\n</div>\n"
    ))
}
