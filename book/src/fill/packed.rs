//! Data for scripts that unpack it, base64 of gzip: 0.6 MB for the emulator, and up to 0.9 MB for the scenes of a stage.
//! It is put into the page, and from there into a file (`carry.rs`).

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::Path;

/// Base64 of gzip of `bytes`.
///
/// # Errors
/// None in memory; the compressor's type has them.
pub fn packed(bytes: &[u8]) -> Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

/// The element that carries the emulator, `emulator.wasm` in the folder of the book.
///
/// # Errors
/// When there is no such file.
pub fn emulator(book: &Path) -> Result<String> {
    let file = book.join("emulator.wasm");
    let bytes = std::fs::read(&file)
        .with_context(|| format!("cannot read {}; `cargo x wasm` makes it again", file.display()))?;
    Ok(format!("<script type=\"text/plain\" class=\"emulator-wasm\">{}</script>\n", packed(&bytes)?))
}
