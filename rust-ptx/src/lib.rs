//! From a kernel in Rust to PTX.
//!
//! rustc compiles the file to LLVM IR ([`Compiler::compile`]); `ir` turns the markers of the crate `device` into shared
//! and constant memory, launch bounds and unrolled loops, of which Rust knows nothing; LLVM's `opt` and `llc` make PTX of
//! it, in which `ptx` leaves the kernel's own lines alone. Nothing is linked: core and `device` are compiled once, to
//! metadata, and what a kernel uses of them is compiled into its file.

mod ir;
mod library;
mod panics;
mod ptx;
mod sources;
mod toolchain;
mod without;

pub use panics::OF_PANICS;
pub use sources::sources;
pub use toolchain::Missing;
pub use without::Without;

use library::Library;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toolchain::Toolchain;

/// The compiler, LLVM included, that makes the PTX files in the repository.
pub const PTX_VERSION: &str = "1.96.0 (ac68faa20 2026-05-25), LLVM 22.1.8";

/// PTX 8.1: that of the CUDA C++ kernels, which any driver from R530 on loads.
const PTX_FEATURE: &str = "-mattr=+ptx81";

/// What makes LLVM's code that of CUDA C++'s compiler, as far as it can: a loop without [`unroll`](../device) goes by
/// fours, one with it goes as it says, and `a * b + c` is one multiply-add.
///
/// What a kernel's body is inlined to comes first: then the launch bounds say how large a thread's index can be. Address
/// spaces come last, and with them how accesses are aligned, so that `llc` joins those of neighbors.
const OPT_OPTIONS: [&str; 4] = [
    "-passes=always-inline,function(nvvm-intr-range),default<O3>,function(infer-address-spaces,infer-alignment)",
    "-unroll-max-count=4",
    "-unroll-partial-threshold=160",
    "-pragma-unroll-threshold=100000",
];

/// Blocks stay in the order of the source, as NVRTC leaves them: the GPU's assembler places them anyway.
const LLC_OPTIONS: [&str; 3] = ["-O3", "--nvptx-fma-level=2", "-disable-block-placement"];

/// Within a block, instructions are ordered so that few values are kept at a time. That is no more than a hint to the GPU's
/// assembler, but it heeds it: on an H200, unrolled loops over tiles take 0.76 of the time that they take in the order of the
/// source, and loops of shuffles 0.4.
const FEW_VALUES: &str = "-pre-RA-sched=list-burr";

/// LLVM's options, of `opt` and then of `llc`.
#[must_use]
pub fn options() -> Vec<&'static str> {
    OPT_OPTIONS.into_iter().chain(LLC_OPTIONS).chain([FEW_VALUES, PTX_FEATURE]).collect()
}

/// rustc and LLVM's tools, with core and `device` compiled for the device.
#[derive(Debug)]
pub struct Compiler {
    toolchain: Toolchain,
    library: Library,
}

/// Why a file gave no PTX.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The file has errors; these are rustc's words.
    #[error("{0}")]
    Rustc(String),
    /// A marker of `device`, or a static, cannot be what it is.
    #[error("{0}")]
    Refused(String),
    /// A program failed otherwise, or a file could not be written.
    #[error("{0}")]
    Failed(String),
}

impl Compiler {
    /// The rustc that `COALESCED_RUSTC` names; else the one on the path, or Debian's, whichever has what is needed.
    ///
    /// # Errors
    /// [`Missing`], which says how to get it.
    pub fn find() -> Result<Self, Missing> {
        let toolchain = Toolchain::find()?;
        let library = Library::of(&toolchain)?;
        Ok(Self { toolchain, library })
    }

    /// `rustc 1.96.0`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("rustc {}", self.toolchain.release)
    }

    /// `1.96.0 (ac68faa20 2026-05-25), LLVM 22.1.8`.
    #[must_use]
    pub fn version(&self) -> String {
        format!("{}, LLVM {}", self.toolchain.version, self.toolchain.llvm_version)
    }

    /// The PTX of `text` for compute capability `architecture` (10 × major + minor) and above, with a line table. `name` is
    /// what errors and line tables call the file: its path, or that from the crate's folder.
    ///
    /// The first call on a machine compiles core and `device`, which takes half a minute.
    ///
    /// # Errors
    /// [`CompileError`], with rustc's words where the text is wrong.
    pub fn compile(&self, name: &str, text: &str, architecture: i32) -> Result<String, CompileError> {
        self.compile_without(None, name, text, architecture)
    }

    /// [`Compiler::compile`], without one of the things that make the kernel fast.
    ///
    /// # Errors
    /// As there.
    pub fn compile_without(
        &self,
        without: Option<Without>,
        name: &str,
        text: &str,
        architecture: i32,
    ) -> Result<String, CompileError> {
        self.library.require(&self.toolchain)?;
        // LLVM writes a backslash in a name as two.
        let name = &if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
        let folder = tempfile::tempdir().map_err(|error| CompileError::Failed(error.to_string()))?;
        let file = |name: &str| folder.path().join(name);
        let processor = format!("sm_{architecture}");
        let (source, raw, prepared, optimized, ptx) =
            (file("kernel.rs"), file("raw.ll"), file("kernel.ll"), file("kernel.bc"), file("kernel.ptx"));
        write(&source, text)?;
        let mut rustc = self.rustc(&source, name, &processor);
        output(rustc.arg("-o").arg(&raw), CompileError::Rustc)?;
        let mut raw = read(&raw)?;
        if let Some(without) = without {
            raw = without.change_raw(&raw);
        }
        let mut ir = prepare(&raw, name)?;
        if let Some(without) = without {
            ir = without.change_prepared(&ir);
        }
        write(&prepared, &ir)?;
        let given = |option| without.map_or(Some(option), |without| without.change_option(option));
        let processor = format!("-mcpu={processor}");
        let mut opt = self.toolchain.tool(&self.toolchain.opt);
        opt.args(OPT_OPTIONS.into_iter().filter_map(given)).args([&processor, PTX_FEATURE]);
        opt.arg(&prepared).arg("-o").arg(&optimized);
        output(&mut opt, CompileError::Failed)?;
        let mut llc = self.toolchain.tool(&self.toolchain.llc);
        let few_values = (!raw.contains(ir::SOURCE_ORDER)).then_some(FEW_VALUES);
        llc.args(LLC_OPTIONS.into_iter().chain(few_values).filter_map(given));
        llc.args([&processor, PTX_FEATURE]).arg(&optimized).arg("-o").arg(&ptx);
        output(&mut llc, CompileError::Failed)?;
        ptx::finish(&read(&ptx)?, name, text).map_err(CompileError::Refused)
    }

    /// rustc, told to make the IR that it would hand to LLVM.
    fn rustc(&self, source: &Path, name: &str, processor: &str) -> Command {
        let mut rustc = self.toolchain.rustc();
        // In a folder where no kernel is: rustc takes its own off the names in line tables.
        rustc.current_dir(source.parent().unwrap_or(source));
        rustc.args(["--crate-name", "kernel", "--emit", "llvm-ir", "-C", &format!("target-cpu={processor}")]);
        rustc.args(["-C", "codegen-units=1", "-C", "no-prepopulate-passes", "-C", "debuginfo=line-directives-only"]);
        rustc.arg("--remap-path-prefix").arg(format!("{}={name}", source.display()));
        rustc.args(self.library.externs()).arg(source);
        rustc
    }
}

/// The IR for `opt`; a refusal says in which line of the file, `name`.
fn prepare(ir: &str, name: &str) -> Result<String, CompileError> {
    ir::prepare(ir).map_err(|refusal| {
        let line = refusal.line(ir).map_or_else(String::new, |line| format!(":{line}"));
        CompileError::Refused(format!("{name}{line}: {refusal}"))
    })
}

/// Runs a program; what it says on standard error goes into `error` where it fails.
fn output(command: &mut Command, error: fn(String) -> CompileError) -> Result<(), CompileError> {
    let shown = PathBuf::from(command.get_program());
    let output = command.output();
    let output =
        output.map_err(|reason| CompileError::Failed(format!("cannot start {}: {reason}", shown.display())))?;
    if output.status.success() {
        return Ok(());
    }
    Err(error(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()))
}

fn read(file: &Path) -> Result<String, CompileError> {
    fs::read_to_string(file).map_err(|error| CompileError::Failed(format!("cannot read {}: {error}", file.display())))
}

fn write(file: &Path, text: &str) -> Result<(), CompileError> {
    fs::write(file, text).map_err(|error| CompileError::Failed(format!("cannot write {}: {error}", file.display())))
}
