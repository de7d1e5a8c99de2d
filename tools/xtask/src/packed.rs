//! Generated files, which are gzipped if their names end in `.gz`.

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Returns the text of a file.
pub fn read(file: &Path) -> io::Result<String> {
    if is_packed(file) { io::read_to_string(GzDecoder::new(File::open(file)?)) } else { fs::read_to_string(file) }
}

/// Writes a file, and the folder around it. A packed file contains neither its name nor the time.
pub fn write(file: &Path, contents: impl AsRef<[u8]>) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    if !is_packed(file) {
        return fs::write(file, contents);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(contents.as_ref())?;
    fs::write(file, encoder.finish()?)
}

/// Writes a file if it differs, so that cargo rebuilds nothing for an unchanged one. With `check`, returns a line about the
/// difference instead. `shown` names the file.
pub fn update(file: &Path, shown: &str, text: &str, check: bool) -> Result<Option<String>> {
    let difference = match read(file) {
        Ok(found) if found == text => return Ok(None),
        Ok(_) => "differs".to_owned(),
        Err(error) => error.to_string(),
    };
    if check {
        return Ok(Some(format!("{shown}: {difference}")));
    }
    write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("wrote {shown}");
    Ok(None)
}

fn is_packed(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("gz"))
}
