//! `{{explorer NAME}}`: an element in which the page's scripts show the emulator's counts, and its content without scripts.

use super::{figure, trace};
use anyhow::{Result, bail};
use emulator::{Resources, capability};
use std::fmt::Write;
use std::path::Path;

/// The names of the explorers in `theme/explorers.js`.
const EXPLORERS: [&str; 4] = ["banks", "coalescing", "occupancy", "shuffle"];

/// The registers per thread and threads per block in the table that replaces the occupancy explorer.
const REGISTERS: [u32; 6] = [16, 32, 40, 64, 128, 255];
const BLOCKS: [u32; 4] = [64, 128, 256, 512];

/// Returns the element of an explorer, with the figure for browsers without WebAssembly.
///
/// # Errors
/// Returns an error that lists the explorers if there is no such explorer.
pub fn render(book: &Path, name: &str) -> Result<String> {
    let figure = match name {
        "banks" => trace::access("periodicSharedStrided", "512", "256", "shared", "store", "chunk_x[k]")?,
        "coalescing" => trace::access("periodicGlobal", "256", "256", "global", "store", "own[AX]")?,
        "occupancy" => occupancy(),
        "shuffle" => figure::inline(book, "shuffles")?,
        _ => bail!("there is no explorer {name}; the explorers are {}", EXPLORERS.join(", ")),
    };
    Ok(format!("<div class=\"explorer\" data-explorer=\"{name}\">\n{figure}</div>\n"))
}

/// Returns a table of resident warps by registers and block size.
fn occupancy() -> String {
    let most = capability::MAX_THREADS_PER_MULTIPROCESSOR / capability::WARP_THREADS;
    let mut html = format!(
        "<table><caption>Warps that are resident on a multiprocessor of an H200, of {most}, without shared memory</caption>\n\
         <thead><tr><th>registers per thread</th>"
    );
    for block in BLOCKS {
        // Writing to a String cannot fail.
        let _ = write!(html, "<th>blocks of {block}</th>");
    }
    html += "</tr></thead>\n<tbody>\n";
    for registers in REGISTERS {
        let _ = write!(html, "<tr><td>{registers}</td>");
        for block in BLOCKS {
            let kernel = Resources {
                registers,
                static_shared_bytes: 0,
                max_threads: capability::MAX_THREADS_PER_BLOCK,
                max_dynamic_shared_bytes: 0,
            };
            let warps = kernel.blocks_per_multiprocessor(block, 0) * block / capability::WARP_THREADS;
            let _ = write!(html, "<td>{warps}</td>");
        }
        html += "</tr>\n";
    }
    html + "</tbody></table>\n"
}
