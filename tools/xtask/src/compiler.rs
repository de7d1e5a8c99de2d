//! The pinned compilers of the repository's PTX and machine code, which `cargo learn` downloads.

use crate::command;
use crate::forward;
use anyhow::{Context, Result, anyhow, bail};
use cuda_cpp::{Assembler, assembler};
use loading::Wheel;
use nvrtc::Nvrtc;
use nvrtc::pinned::{self, PTX_VERSION};
use std::path::{Path, PathBuf};

/// Opens the named NVRTC, or else the release that makes the PTX files in the repository, which is downloaded if necessary.
///
/// # Errors
/// Returns an error if it cannot be used or downloaded.
pub fn pinned_nvrtc(named: Option<&Path>) -> Result<Nvrtc> {
    let file = match (named, pinned::wheel().filter(|wheel| wheel.version == PTX_VERSION)) {
        (Some(file), _) => file.to_owned(),
        (None, Some(wheel)) => kept_file(&wheel, "nvrtc")?,
        (None, None) => bail!(
            "NVIDIA has no wheel of NVRTC {PTX_VERSION} for this platform: run this command on x86-64 Linux, or name a \
             libnvrtc of this version by `--nvrtc FILE`"
        ),
    };
    Nvrtc::open(&file).map_err(|error| anyhow!(error))
}

/// Returns the pinned ptxas and nvdisasm, which are downloaded if necessary.
///
/// # Errors
/// Returns an error if they cannot be downloaded.
pub fn pinned_assembler() -> Result<Assembler> {
    let wheels = assembler::wheels().context(
        "NVIDIA has no wheels of ptxas and nvdisasm for this platform (there are some for Windows on x86-64, and for Linux on \
         x86-64 and aarch64)",
    )?;
    let [ptxas, nvdisasm] = wheels.map(|wheel| kept_file(&wheel, "ptxas"));
    Ok(Assembler::new(ptxas?, nvdisasm?))
}

/// Returns the file of a wheel in the user's cache. If it is not there, runs the command of `cargo learn` that downloads it.
fn kept_file(wheel: &Wheel, command: &str) -> Result<PathBuf> {
    let folder = wheel.folder().with_context(|| format!("{} to keep {} in", loading::NO_CACHE, wheel.package))?;
    let file = folder.join(wheel.file);
    if !file.is_file() {
        command::run(forward::learn().arg(command))?;
    }
    Ok(file)
}
