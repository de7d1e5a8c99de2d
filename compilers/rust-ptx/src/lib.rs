//! The compiler from kernels in Rust to PTX.
//!
//! rustc compiles a file to LLVM IR ([`Compiler::compile`]). `ir` replaces the markers of the crate `device` by shared and
//! constant memory, launch bounds and unrolled loops, which Rust cannot express. LLVM's `opt` and `llc` compile the IR to PTX,
//! and `ptx` reduces its line table to the kernel's own lines. Nothing is linked: core and `device` are compiled once, to
//! metadata, and the functions that a kernel calls are compiled with its file.

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

/// The version of the compiler, including LLVM, that makes the PTX files in the repository.
pub const PTX_VERSION: &str = "1.96.0 (ac68faa20 2026-05-25), LLVM 22.1.8";

/// PTX 8.1, the version of the CUDA C++ kernels, which every driver from R530 on accepts.
const PTX_FEATURE: &str = "-mattr=+ptx81";

/// The options with which LLVM's code is closest to that of NVIDIA's compiler: a loop without `device::unroll` is unrolled by
/// four, a loop with it as stated, and `a * b + c` becomes one multiply-add.
///
/// Inlining comes first, so that the launch bounds limit the range of a thread's index everywhere. Address spaces and the
/// alignment of accesses are inferred last, so that `llc` merges accesses to neighboring addresses.
const OPT_OPTIONS: [&str; 4] = [
    "-passes=always-inline,function(nvvm-intr-range),default<O3>,function(infer-address-spaces,infer-alignment)",
    "-unroll-max-count=4",
    "-unroll-partial-threshold=160",
    "-pragma-unroll-threshold=100000",
];

/// Basic blocks keep the order of the source, as with NVRTC: the GPU's assembler reorders them anyway.
const LLC_OPTIONS: [&str; 3] = ["-O3", "--nvptx-fma-level=2", "-disable-block-placement"];

/// Orders the instructions of a basic block so that few values are live at a time. The GPU's assembler may reorder them, but
/// the order matters: on an H200, unrolled loops over tiles take 0.76 times as long as in the order of the source, and loops
/// of shuffles 0.4 times.
const FEW_VALUES: &str = "-pre-RA-sched=list-burr";

/// Returns LLVM's options, those of `opt` first and then those of `llc`.
#[must_use]
pub fn options() -> Vec<&'static str> {
    OPT_OPTIONS.into_iter().chain(LLC_OPTIONS).chain([FEW_VALUES, PTX_FEATURE]).collect()
}

/// rustc and LLVM's tools, and core and `device` compiled for the GPU.
#[derive(Debug)]
pub struct Compiler {
    toolchain: Toolchain,
    library: Library,
}

/// The reason why a file could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The file has errors. The text is rustc's output.
    #[error("{0}")]
    Rustc(String),
    /// A marker of `device`, or a static, is in a place where it cannot be compiled.
    #[error("{0}")]
    Refused(String),
    /// A program failed for another reason, or a file could not be written.
    #[error("{0}")]
    Failed(String),
}

impl Compiler {
    /// Finds the compiler: the rustc that `COALESCED_RUSTC` names, or else the one on the PATH or Debian's, whichever has all
    /// that kernels need.
    ///
    /// # Errors
    /// Returns [`Missing`], whose text has the command that installs it.
    pub fn find() -> Result<Self, Missing> {
        let toolchain = Toolchain::find()?;
        let library = Library::new(&toolchain)?;
        Ok(Self { toolchain, library })
    }

    /// Returns the name and release: `rustc 1.96.0`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("rustc {}", self.toolchain.release)
    }

    /// Returns the version in the form of [`PTX_VERSION`]: `1.96.0 (ac68faa20 2026-05-25), LLVM 22.1.8`.
    #[must_use]
    pub fn version(&self) -> String {
        format!("{}, LLVM {}", self.toolchain.version, self.toolchain.llvm_version)
    }

    /// Compiles `text` to PTX with a line table, for compute capability `architecture` (10 × major + minor) and higher. `name`
    /// is the name of the file in errors and in the line table: its path, or the path from the crate's folder.
    ///
    /// The first call on a machine compiles core and `device`, which takes half a minute or more.
    ///
    /// # Errors
    /// Returns a [`CompileError`], with rustc's output if the text has errors.
    pub fn compile(&self, name: &str, text: &str, architecture: i32) -> Result<String, CompileError> {
        self.compile_without(None, name, text, architecture)
    }

    /// Compiles like [`Compiler::compile`], but leaves one optimization out.
    ///
    /// # Errors
    /// The same as for [`Compiler::compile`].
    pub fn compile_without(
        &self,
        without: Option<Without>,
        name: &str,
        text: &str,
        architecture: i32,
    ) -> Result<String, CompileError> {
        self.library.require(&self.toolchain)?;
        // LLVM escapes a backslash in a name by another one.
        let name = &if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
        let folder = tempfile::tempdir().map_err(|error| CompileError::Failed(error.to_string()))?;
        let file = |name: &str| folder.path().join(name);
        let processor = format!("sm_{architecture}");
        let source = file("kernel.rs");
        let raw = file("raw.ll");
        let prepared = file("kernel.ll");
        let optimized = file("kernel.bc");
        let ptx = file("kernel.ptx");
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

    /// Returns the command in which rustc writes the IR that it would pass to LLVM.
    fn rustc(&self, source: &Path, name: &str, processor: &str) -> Command {
        let mut rustc = self.toolchain.rustc();
        // The folder must not contain the kernel, because rustc removes the current folder from names in line tables.
        rustc.current_dir(source.parent().unwrap_or(source));
        rustc.args(["--crate-name", "kernel", "--emit", "llvm-ir", "-C", &format!("target-cpu={processor}")]);
        rustc.args(["-C", "codegen-units=1", "-C", "no-prepopulate-passes", "-C", "debuginfo=line-directives-only"]);
        rustc.arg("--remap-path-prefix").arg(format!("{}={name}", source.display()));
        rustc.args(self.library.externs()).arg(source);
        rustc
    }
}

/// Returns the IR for `opt`. The error of a refused marker names the line in the file `name`.
fn prepare(ir: &str, name: &str) -> Result<String, CompileError> {
    ir::prepare(ir).map_err(|refusal| {
        let line = refusal.line(ir).map_or_else(String::new, |line| format!(":{line}"));
        CompileError::Refused(format!("{name}{line}: {refusal}"))
    })
}

/// Runs a program. If it fails, makes an `error` of its standard error.
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
