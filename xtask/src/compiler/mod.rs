//! `cargo x nvrtc`: the compiler for CUDA C++, without the CUDA toolkit.

mod releases;
mod wheel;

use anyhow::{Context, Result, anyhow, bail};
use nvrtc::Nvrtc;
use nvrtc::pinned::{self, PTX_VERSION};
use std::path::{Path, PathBuf};

/// A kernel that uses a built-in, so that the library's second file is tried too.
const TRIAL: &str = "extern \"C\" __global__ void trial(float *x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }";

/// Fetches the pinned NVRTC where it is not there already, and says where it is; with `every_release`, tries those that
/// the binding must load.
///
/// # Errors
/// A platform without a wheel; neither pip nor uv; no network; a wheel other than the pinned one; no room for it.
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

/// The named NVRTC; else any that is found; else the pinned one, fetched now.
///
/// # Errors
/// The named one cannot be used, or none is found and none can be fetched.
pub fn any(named: Option<&Path>) -> Result<Nvrtc> {
    match (named, Nvrtc::find()) {
        (Some(file), _) => open(file),
        (None, Ok(nvrtc)) => Ok(nvrtc),
        (None, Err(missing)) if missing.can_be_fetched() => open(&fetched()?),
        (None, Err(missing)) => Err(missing.into()),
    }
}

/// The named NVRTC, or the one that makes the PTX files in the repository, fetched where it is not there.
///
/// # Errors
/// It cannot be used or fetched.
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

/// What fetches wheels on this machine.
pub fn fetcher() -> Option<String> {
    wheel::fetcher(&wheel::FETCHERS).map(|words| words.join(" "))
}

fn open(file: &Path) -> Result<Nvrtc> {
    Nvrtc::open(file).map_err(|error| anyhow!(error))
}

/// The pinned library's file, which is then there.
fn fetched() -> Result<PathBuf> {
    let wheel = pinned::wheel().context(
        "NVIDIA has no wheel of NVRTC for this platform (there are some for Windows on x86-64, and for Linux on x86-64 and \
         aarch64); the CUDA toolkit has NVRTC too",
    )?;
    wheel::fetch(&wheel)
}
