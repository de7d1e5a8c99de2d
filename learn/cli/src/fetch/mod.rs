//! Downloads of compilers for CUDA C++, of the toolkit's headers and of ptxas, without the CUDA toolkit.

pub mod releases;
pub mod wheel;

use anyhow::{Context, Result, anyhow};
use cuda_cpp::toolkit_headers::{self, CURAND, WHEELS};
use cuda_cpp::{Choice, Clang, Compiler, assembler, clang};
use nvrtc::Nvrtc;
use nvrtc::pinned;
use std::path::{Path, PathBuf};

/// A kernel that calls a function of the compiler's own header.
const TRIAL: &str = "extern \"C\" __global__ void trial(float *x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }";

/// Downloads the pinned NVRTC unless it is there already, tests it, and prints its path. With `every_release`, tests all
/// releases that the binding must load.
///
/// # Errors
/// Returns an error if there is no wheel for this platform, if pip and uv or the network are missing, if the downloaded
/// wheel is not the pinned one, or if it cannot be written.
pub fn nvrtc(every_release: bool) -> Result<()> {
    if every_release {
        return releases::run();
    }
    let library = fetch_nvrtc()?;
    try_out(
        &Compiler::Nvrtc(open(&library)?),
        &library,
        "The stages, `cargo x ptx` and `cargo learn check` find it there.",
    )
}

/// Downloads the pinned clang unless it is there already, tests it, and prints its path.
///
/// # Errors
/// Returns an error as [`nvrtc()`] does.
pub fn clang() -> Result<()> {
    let program = fetch_clang()?;
    let found = "The stages, `cargo learn` and `cargo learn check` find it there if there is no NVRTC, or by `--compiler clang`.";
    try_out(&Compiler::Clang(open_clang(&program)?), &program, found)
}

/// Downloads the pinned ptxas and nvdisasm unless they are there already, and prints their paths.
///
/// # Errors
/// Returns an error as [`nvrtc()`] does.
pub fn ptxas() -> Result<()> {
    let wheels = assembler::wheels().context(
        "NVIDIA has no wheels of ptxas and nvdisasm for this platform (there are some for Windows on x86-64, and for Linux on \
         x86-64 and aarch64)",
    )?;
    for wheel in wheels {
        println!("{}", wheel::fetch(&wheel)?.display());
    }
    Ok(())
}

/// Downloads the CUDA toolkit's headers unless they are there already, also those of cuRAND if `with_curand`, and prints their
/// folders.
///
/// # Errors
/// Returns an error as [`nvrtc()`] does.
pub fn headers(with_curand: bool) -> Result<()> {
    WHEELS.iter().try_for_each(|wheel| wheel::fetch(wheel).map(drop))?;
    if with_curand {
        let header = wheel::fetch(&CURAND)?;
        // The host's part has most of the bytes. A copy that cannot be removed does no harm.
        let library = header.ancestors().nth(2).map(|folder| folder.join("lib"));
        let _ = library.map(std::fs::remove_dir_all);
    }
    for folder in toolkit_headers::folders() {
        println!("{}", folder.display());
    }
    println!(
        "`cargo learn check` finds them there: cooperative_groups.h, cuda_fp16.h, cuda_bf16.h, mma.h, \
         CUB's parts for blocks and warps, and others; curand_kernel.h with --curand"
    );
    Ok(())
}

fn try_out(compiler: &Compiler, file: &Path, found: &str) -> Result<()> {
    compiler.ptx("trial.cu", TRIAL).with_context(|| format!("{} does not work", file.display()))?;
    println!("{} is ready: {}\n{found}", compiler.describe(), file.display());
    Ok(())
}

/// Opens the named NVRTC, or else the chosen compiler, or else an installed one. If there is none, downloads the pinned one,
/// NVRTC where it exists and clang elsewhere.
///
/// # Errors
/// Returns an error if the named NVRTC cannot be used, or if no compiler is installed and none can be downloaded.
pub fn find_or_fetch(named: Option<&Path>, choice: Option<Choice>) -> Result<Compiler> {
    if let Some(file) = named {
        return open(file).map(Compiler::Nvrtc);
    }
    Compiler::find(choice).or_else(|missing| match missing.can_be_fetched() {
        Some(Choice::Nvrtc) => open(&fetch_nvrtc()?).map(Compiler::Nvrtc),
        Some(Choice::Clang) => open_clang(&fetch_clang()?).map(Compiler::Clang),
        None => Err(missing.into()),
    })
}

/// Returns the command that downloads wheels on this machine: pip or uv.
pub fn fetcher() -> Option<String> {
    wheel::find_fetcher(&wheel::FETCHERS).map(|words| words.join(" "))
}

fn open(file: &Path) -> Result<Nvrtc> {
    Nvrtc::open(file).map_err(|error| anyhow!(error))
}

fn open_clang(file: &Path) -> Result<Clang> {
    Clang::open(file).map_err(|error| anyhow!(error))
}

/// Downloads the pinned library if necessary and returns its file.
fn fetch_nvrtc() -> Result<PathBuf> {
    let wheel = pinned::wheel().context(
        "NVIDIA has no wheel of NVRTC for this platform (there are some for Windows on x86-64, and for Linux on x86-64 and \
         aarch64); `cargo learn clang` gets another compiler for CUDA C++, and the CUDA toolkit has NVRTC too",
    )?;
    wheel::fetch(&wheel)
}

/// Downloads the pinned program if necessary and returns its file.
fn fetch_clang() -> Result<PathBuf> {
    let wheel = clang::pinned::wheel().context(
        "no clang is published for this platform (there is one for Linux, macOS and Windows on x86-64 and aarch64): install \
         clang 18 or newer with LLVM's target nvptx64",
    )?;
    wheel::fetch(&wheel)
}
