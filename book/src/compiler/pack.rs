//! The compression of the compiler's large file for static hosts, by Brotli: a quarter shorter than by gzip.
//!
//! Node.js compresses it, which is there because npm is written in it. A crate would take minutes in a build for development,
//! since its code is generic and so compiled without optimization.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

/// Brotli's quality: the next one takes several times as long and saves 2 %. The window is 2^24 bytes, and browsers accept no
/// larger one.
const SCRIPT: &str = "
    const { constants: { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN }, createBrotliCompress } = require('node:zlib');
    const { createReadStream, createWriteStream } = require('node:fs');
    const [from, to] = process.argv.slice(-2);
    const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24 };
    require('node:stream').pipeline(createReadStream(from), createBrotliCompress({ params }), createWriteStream(to),
        (error) => { if (error) throw error; });";

/// Compresses a file to another one.
///
/// # Errors
/// Returns an error if Node.js is missing, or if a file cannot be read or written.
pub(super) fn compress(from: &Path, to: &Path) -> Result<()> {
    println!("compressing the compiler of the pages, once: about a minute");
    let partial = to.with_extension("partial");
    let mut command = Command::new("node");
    command.args(["-e", SCRIPT, "--"]).args([from, &partial]).stdin(Stdio::null());
    let status = command.status().context("cannot start node, which is installed with npm")?;
    ensure!(status.success(), "node could not compress {}: see its message above", from.display());
    std::fs::rename(&partial, to).with_context(|| format!("cannot write {}", to.display()))
}
