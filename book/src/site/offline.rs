//! The service worker of a site, with the list of the files that it keeps.

use crate::build::files_below;
use anyhow::{Context, Result};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

const WORKER: &str = "service-worker.js";
const SCRIPT: &str = "offline.js";

/// Copies the script that starts the service worker.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub fn add_script(root: &Path, folder: &Path) -> Result<()> {
    let from = root.join("theme/site-offline.js");
    let to = folder.join(SCRIPT);
    fs::copy(&from, &to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Returns a page that starts the service worker.
pub fn register(page: &str) -> String {
    page.replacen("</body>", &format!("<script src=\"{SCRIPT}\"></script>\n</body>"), 1)
}

/// Writes the service worker for all files that are in the folder now. Its first lines change with any of them.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub fn add_worker(root: &Path, folder: &Path) -> Result<()> {
    let mut digest = Sha256::new();
    let mut names = Vec::new();
    // A browser asks for none that begins with a dot, and the page of all pages is for print.
    let is_asked_for = |name: &str| !name.starts_with('.') && !["print.html", "404.html", WORKER].contains(&name);
    for file in files_below(folder, &is_asked_for)? {
        digest.update(fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
        let name = file.strip_prefix(folder).unwrap_or(&file).components();
        names.push(name.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"));
    }
    let version: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let from = root.join("theme/site-worker.js");
    let worker = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
    let text = format!("const FILES = {};\nconst VERSION = {version:?};\n{worker}", json!(names));
    fs::write(folder.join(WORKER), text).with_context(|| format!("cannot write to {}", folder.display()))
}
