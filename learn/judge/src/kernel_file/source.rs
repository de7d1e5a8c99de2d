//! Reading kernel files.

use crate::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest kernel file that is read, in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// Returns why a kernel of `bytes` bytes is too large, or `None` if it is not.
#[must_use]
pub fn excess(bytes: u64) -> Option<String> {
    (bytes > MAX_BYTES).then(|| format!("it has {bytes} bytes, and a kernel may have at most {MAX_BYTES}"))
}

/// Returns why a file is too large for a kernel, or `None` if it is not.
///
/// # Errors
/// The file cannot be found.
pub fn oversize(file: &Path) -> Result<Option<String>, Error> {
    std::fs::metadata(file).map_err(Error::file("read", file)).map(|metadata| excess(metadata.len()))
}

/// Reads a kernel file. Bytes that are not UTF-8 are replaced, so that the compiler reports their lines.
///
/// # Errors
/// The file cannot be read, or is larger than [`MAX_BYTES`].
pub fn read(file: &Path) -> Result<String, Error> {
    if let Some(reason) = oversize(file)? {
        return Err(Error::File { doing: "read", path: file.to_owned(), reason });
    }
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(MAX_BYTES).read_to_end(&mut bytes));
    read.map_err(Error::file("read", file))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
