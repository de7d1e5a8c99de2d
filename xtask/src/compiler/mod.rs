//! `cargo x nvrtc`: NVIDIA's compiler for CUDA C++, without the CUDA toolkit.

mod releases;
mod wheel;

use anyhow::{Context, Result, anyhow, bail};
use nvrtc::Nvrtc;
use nvrtc::pinned::{self, PTX_VERSION};
use std::path::{Path, PathBuf};

/// A kernel that calls a built-in function, which tests the library's second file too.
const TRIAL: &str = "extern \"C\" __global__ void trial(float *x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }";

/// Downloads the pinned NVRTC unless it is there already, tests it, and prints its path. With `every_release`, tests all
/// releases that the binding must load.
///
/// # Errors
/// Returns an error if there is no wheel for this platform, if pip and uv or the network are missing, if the downloaded
/// wheel is not the pinned one, or if it cannot be written.
pub fn run(every_release: bool) -> Result<()> {
    if every_release {
        return releases::run();
    }
    let library = fetched()?;
    let nvrtc = open(&library)?;
    nvrtc.ptx::<&str>("trial.cu", TRIAL, &[]).with_context(|| format!("{} does not work", library.display()))?;
    println!("{} is ready: {}", nvrtc.describe(), library.display());
    println!("The stages, `cargo x ptx` and `cargo x check` find it there.");
    Ok(())
}

/// Opens the named NVRTC, or else an installed one, or else downloads the pinned one.
///
/// # Errors
/// Returns an error if the named NVRTC cannot be used, or if none is installed and none can be downloaded.
pub fn any(named: Option<&Path>) -> Result<Nvrtc> {
    match (named, Nvrtc::find()) {
        (Some(file), _) => open(file),
        (None, Ok(nvrtc)) => Ok(nvrtc),
        (None, Err(missing)) if missing.can_be_fetched() => open(&fetched()?),
        (None, Err(missing)) => Err(missing.into()),
    }
}

/// Opens the named NVRTC, or else the release that makes the PTX files in the repository, which is downloaded if necessary.
///
/// # Errors
/// Returns an error if it cannot be used or downloaded.
pub fn of_the_ptx_files(named: Option<&Path>) -> Result<Nvrtc> {
    if let Some(file) = named {
        return open(file);
    }
    if pinned::wheel().is_none_or(|wheel| wheel.version != PTX_VERSION) {
        bail!(
            "NVIDIA has no wheel of NVRTC {PTX_VERSION} for this platform: run this command on x86-64 Linux, or name a \
             libnvrtc of this version by `--nvrtc FILE`"
        );
    }
    open(&fetched()?)
}

/// Returns the command that downloads wheels on this machine: pip or uv.
pub fn fetcher() -> Option<String> {
    wheel::fetcher(&wheel::FETCHERS).map(|words| words.join(" "))
}

fn open(file: &Path) -> Result<Nvrtc> {
    Nvrtc::open(file).map_err(|error| anyhow!(error))
}

/// Downloads the pinned library if necessary and returns its file.
fn fetched() -> Result<PathBuf> {
    let wheel = pinned::wheel().context(
        "NVIDIA has no wheel of NVRTC for this platform (there are some for Windows on x86-64, and for Linux on x86-64 and \
         aarch64); the CUDA toolkit has NVRTC too",
    )?;
    wheel::fetch(&wheel)
}
