//! The compiler of the book's pages: clang as WebAssembly, from a pinned npm package, kept in the user's cache folder and
//! copied beside the built pages.
//!
//! Pages do without it until a reader compiles a kernel. For static hosts, which need not compress anything, its large file is
//! compressed beforehand, and the page unpacks it by `editor.wasm`. The book's own server sends it as it is.

mod pack;
mod package;

use anyhow::{Context, Result};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

pub use package::is_npm_installed;

/// The folder of the compiler, beside the pages.
pub const FOLDER: &str = "compiler";

/// The list of files, which a page reads first. It is written last, so that it never names a file that is missing.
const LIST: &str = "compiler.json";

/// How the large file is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is, 75 MB, for the book's server.
    Plain,
    /// Compressed to 17 MB, for other hosts.
    Compressed,
}

/// Copies the compiler beside the pages in `folder`. Downloads it first if it is not in the cache.
///
/// # Errors
/// Returns an error, with what to do, if npm or the network is missing, if the package is not the pinned one, or if a folder
/// cannot be written.
pub fn copy_to(folder: &Path, form: Form) -> Result<()> {
    let kept = kept()?;
    let large = match form {
        Form::Plain => package::LARGE.to_owned(),
        Form::Compressed => compressed(&kept)?,
    };
    let to = folder.join(FOLDER);
    let failed = || format!("cannot copy the compiler to {}", to.display());
    fs::create_dir_all(&to).with_context(failed)?;
    for name in package::SMALL.into_iter().chain([large.as_str()]) {
        fs::copy(kept.join(name), to.join(name)).with_context(failed)?;
    }
    let bytes = fs::metadata(to.join(&large)).with_context(failed)?.len();
    let list = json!({ "version": package::VERSION, "large": package::LARGE, "sent": large, "bytes": bytes });
    fs::write(to.join(LIST), list.to_string()).with_context(failed)
}

/// Returns the name of the compressed file in the folder of the cache, which is made at the first time.
fn compressed(kept: &Path) -> Result<String> {
    let name = format!("{}.br", package::LARGE);
    let file = kept.join(&name);
    if !file.is_file() {
        pack::compress(&kept.join(package::LARGE), &file)?;
    }
    Ok(name)
}

/// Returns the folder of the compiler in the cache, which appears in one step.
fn kept() -> Result<PathBuf> {
    let cache = loading::cache_folder().with_context(|| format!("{} to keep the compiler in", loading::NO_CACHE))?;
    let all = cache.join("clang-in-pages");
    let folder = all.join(package::VERSION);
    if folder.join(package::LARGE).is_file() {
        return Ok(folder);
    }
    let cannot_write = || format!("cannot write to {}", all.display());
    fs::create_dir_all(&all).with_context(cannot_write)?;
    let scratch = tempfile::Builder::new().prefix("fetching-").tempdir_in(&all).with_context(cannot_write)?;
    let partial = scratch.path().join("unpacked");
    package::fetch(scratch.path(), &partial)?;
    match fs::rename(&partial, &folder) {
        // Another process has made it meanwhile.
        Err(_) if folder.is_dir() => Ok(folder),
        result => result.map(|()| folder).with_context(cannot_write),
    }
}
