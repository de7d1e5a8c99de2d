//! The service worker of a site, with the list of the files that it keeps at the first visit.
//!
//! These are all that a reader may need next, at most 3 MB compressed: every page with its styles, fonts and scripts, the search, the
//! exercises, and the emulator of the explorers. What is large and belongs to a few pages, the scenes of a stage's players and the
//! editor, is kept once a page has asked for it. What only a teacher opens, slides and sheets, is never kept.

use crate::build::files_below;
use crate::{page_data, sheets, slides};
use anyhow::{Context, Result};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const WORKER: &str = "service-worker.js";
const SCRIPT: &str = "offline.js";

/// Files that are not kept at the first visit: those that no page asks for, the page of all pages for print, and what is for teachers.
const LEFT_OUT: [&str; 5] = ["404.html", "print.html", slides::FOLDER, sheets::FOLDER, WORKER];

/// The classes of data of pages that are.
const KEPT_DATA: [&str; 3] = ["editor-parts", "emulator-wasm", "exercise-data"];

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

/// Writes the service worker for the files that are in the folder now. Its first lines change with any of them.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub fn add_worker(root: &Path, folder: &Path) -> Result<()> {
    let mut digest = Sha256::new();
    let mut names = Vec::new();
    let read = |file: &Path| fs::read(file).with_context(|| format!("cannot read {}", file.display()));
    let mut data = BTreeSet::new();
    for file in files_below(folder, &|name| name.ends_with(".html"))? {
        let page = String::from_utf8(read(&file)?).with_context(|| file.display().to_string())?;
        data.extend(page_data::files_of(&page, &KEPT_DATA).map(str::to_owned));
    }
    // A browser asks for none that begins with a dot.
    for file in files_below(folder, &|name| !name.starts_with('.') && !LEFT_OUT.contains(&name))? {
        let name = file.strip_prefix(folder).unwrap_or(&file).components();
        let name = name.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        if !page_data::is_carried(&name) || data.contains(&name) {
            digest.update(read(&file)?);
            names.push(name);
        }
    }
    let version: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let from = root.join("theme/site-worker.js");
    let worker = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
    let text = format!("const FILES = {};\nconst VERSION = {version:?};\n{worker}", json!(names));
    fs::write(folder.join(WORKER), text).with_context(|| format!("cannot write to {}", folder.display()))
}
