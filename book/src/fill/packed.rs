//! Compressed data for scripts, as base64 of gzip: 0.6 MB for the emulator, and up to 0.9 MB for the scenes of a stage. It is
//! first in the page; `page_data.rs` moves it to a file.

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::Path;

/// Returns `bytes` as base64 of gzip.
///
/// # Errors
/// Never in memory; the compressor's interface has errors.
pub fn pack(bytes: &[u8]) -> Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// Returns the element that contains the emulator, `emulator.wasm.gz` in the folder of the book.
///
/// # Errors
/// Returns an error if there is no such file.
pub fn emulator(book: &Path) -> Result<String> {
    Ok(element("emulator-wasm", &module(book, "emulator.wasm.gz")?))
}

/// Returns a module of WebAssembly in the folder of the book as base64 of gzip, which the file contains.
///
/// # Errors
/// Returns an error if there is no such file.
pub fn module(book: &Path, name: &str) -> Result<String> {
    let file = book.join(name);
    let bytes =
        std::fs::read(&file).with_context(|| format!("cannot read {}; `cargo x wasm` builds it", file.display()))?;
    Ok(STANDARD.encode(bytes))
}

/// Returns the element of a page that contains packed data.
#[must_use]
pub fn element(class: &str, packed: &str) -> String {
    format!("<script type=\"text/plain\" class=\"{class}\">{packed}</script>\n")
}
