//! `{{explorer NAME}}`: a place where the page's scripts ask the emulator what an access costs, and what is there
//! without them.

use super::{figure, trace};
use anyhow::{Result, bail};
use emulator::{Resources, limits};
use std::fmt::Write;
use std::path::Path;

/// The explorers of `theme/explorers.js`.
const EXPLORERS: [&str; 4] = ["banks", "coalescing", "occupancy", "shuffle"];

/// Registers of a thread and threads of a block, in the table that replaces the explorer of occupancy.
const REGISTERS: [u32; 6] = [16, 32, 40, 64, 128, 255];
const BLOCKS: [u32; 4] = [64, 128, 256, 512];

/// The explorer's place, with the figure that a browser without WebAssembly shows.
///
/// # Errors
/// When there is no such explorer; lists those that there are.
pub fn render(book: &Path, name: &str) -> Result<String> {
    let figure = match name {
        "banks" => trace::access("periodicSharedStrided", "512", "256", "shared", "store", "chunk_x[k]")?,
        "coalescing" => trace::access("periodicGlobal", "256", "256", "global", "store", "own[AX]")?,
        "occupancy" => occupancy(),
        "shuffle" => figure::inline(book, "shuffles")?,
        _ => bail!("no explorer {name}; there are {}", EXPLORERS.join(", ")),
    };
    Ok(format!("<div class=\"explorer\" data-explorer=\"{name}\">\n{figure}</div>\n"))
}

/// Resident warps by registers and block size, as a table.
fn occupancy() -> String {
    let most = limits::MAX_THREADS_PER_MULTIPROCESSOR / limits::WARP_THREADS;
    let mut html = format!(
        "<table><caption>Warps that are resident on a multiprocessor of an H200, of {most}, without shared memory</caption>\n\
         <thead><tr><th>registers per thread</th>"
    );
    for block in BLOCKS {
        // Writing to a String does not fail.
        let _ = write!(html, "<th>blocks of {block}</th>");
    }
    html += "</tr></thead>\n<tbody>\n";
    for registers in REGISTERS {
        let _ = write!(html, "<tr><td>{registers}</td>");
        for block in BLOCKS {
            let kernel = Resources {
                registers,
                static_shared_bytes: 0,
                max_threads: limits::MAX_THREADS_PER_BLOCK,
                max_dynamic_shared_bytes: 0,
            };
            let warps = kernel.blocks_per_multiprocessor(block, 0) * block / limits::WARP_THREADS;
            let _ = write!(html, "<td>{warps}</td>");
        }
        html += "</tr>\n";
    }
    html + "</tbody></table>\n"
}
