//! From a kernel's source file to a function that can be launched.
//!
//! The CUDA C++ file is the source, and a learner edits it. While it is the text that the prebuilt PTX was made from
//! (the PTX's first lines bear the SHA-256 of that text), the PTX is used and no compiler is needed. An edited file
//! is compiled at run time by NVRTC, see [`nvrtc`].

use crate::device::{Backend, Gpu, driver_text};
use cudarc::driver::{CudaFunction, CudaModule, DriverError, sys::CUresult};
use cudarc::nvrtc::Ptx;
use nvrtc::{CompileError, Missing, Nvrtc, Product};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// [`LoadedModule::code`] of a file whose PTX came with the program.
pub const PREBUILT: &str = "prebuilt PTX";

/// [`LoadedModule::code`] of PTX given by [`KernelLoader::replace`].
const REPLACED: &str = "replaced PTX";

/// One kernel file, as it was when the program was built. Made by [`kernel_source!`](crate::kernel_source).
#[derive(Clone, Copy, Debug)]
pub struct KernelSource {
    /// File name without extension, `01_compute_forces`.
    pub file: &'static str,
    /// The CUDA C++ text.
    pub cuda: &'static str,
    /// The PTX made from it, or from an earlier state of it.
    pub ptx: &'static str,
    /// The crate's folder on the machine that built the program.
    pub crate_folder: &'static str,
}

/// The kernel file `kernels/NAME.cu` of the calling crate, with `ptx/NAME.ptx`.
#[macro_export]
macro_rules! kernel_source {
    ($name:literal) => {
        $crate::kernel::KernelSource {
            file: $name,
            cuda: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $name, ".cu")),
            ptx: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/", $name, ".ptx")),
            crate_folder: env!("CARGO_MANIFEST_DIR"),
        }
    };
}

impl KernelSource {
    /// `kernels/01_compute_forces.cu`, the name that compilers and profilers show.
    #[must_use]
    pub fn name(&self) -> String {
        format!("kernels/{}.cu", self.file)
    }

    /// Where the file lies, if the program runs where it was built.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        PathBuf::from(self.crate_folder).join(self.name())
    }

    /// The text as it is on disk now; the built-in copy where there is no such file.
    #[must_use]
    pub fn current_text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap_or_else(|_| self.cuda.into())
    }

    /// Whether the prebuilt PTX was made from `text`.
    #[must_use]
    pub fn ptx_is_of(&self, text: &str) -> bool {
        stated_sha256(self.ptx) == Some(hexadecimal(&Sha256::digest(text)).as_str())
    }

    /// The instructions of the prebuilt PTX, one a line: without comments and tables of source lines, so that a change
    /// of a comment in the CUDA C++ file changes nothing here.
    pub fn instructions(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.ptx.lines().map(str::trim).take_while(|line| !line.starts_with(".section"));
        lines.filter(|line| !line.is_empty() && ![".loc", ".file", "//"].iter().any(|word| line.starts_with(word)))
    }
}

/// SHA-256 of the instructions of kernel files, in hexadecimal: which version of a kernel a record is of.
#[must_use]
pub fn version<'a>(files: impl IntoIterator<Item = &'a KernelSource>) -> String {
    let mut hash = Sha256::new();
    for line in files.into_iter().flat_map(KernelSource::instructions) {
        hash.update(line);
        hash.update("\n");
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 in the comment lines that open a PTX file.
fn stated_sha256(ptx: &str) -> Option<&str> {
    let is_hash = |word: &&str| word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
    ptx.lines().take_while(|line| line.starts_with("//")).flat_map(str::split_whitespace).find(is_hash)
}

/// Why a kernel could not be compiled or loaded.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// The file differs from the one that the PTX was made from, and there is no compiler.
    #[error("{file} was changed and must be compiled: {missing}")]
    NeedsNvrtc {
        /// The kernel's file.
        file: String,
        /// How to get one.
        missing: Missing,
    },
    /// `--nvrtc`, and there is no compiler.
    #[error("--nvrtc: {0}")]
    ForcedNvrtc(Missing),
    /// The compiler found errors.
    #[error("{file} does not compile ({compiler}):\n{error}")]
    Compile {
        /// The kernel's file.
        file: String,
        /// Which NVRTC.
        compiler: String,
        /// The compiler's log.
        error: CompileError,
    },
    /// The driver refused the code.
    #[error("cannot load {file} ({code}): {reason}")]
    Load {
        /// The kernel's file.
        file: String,
        /// What was loaded: `prebuilt PTX` or `NVRTC 12.9`.
        code: String,
        /// The driver's words.
        reason: String,
    },
    /// The file has no such entry point.
    #[error("{file} has no kernel {entry}: {reason}; the name and extern \"C\" must stay as they are")]
    Entry {
        /// The kernel's file.
        file: String,
        /// The entry point looked for.
        entry: String,
        /// The driver's words.
        reason: String,
    },
}

/// A kernel file on the device.
#[derive(Clone, Debug)]
pub struct LoadedModule {
    /// cudarc's module.
    pub module: Arc<CudaModule>,
    /// `prebuilt PTX`, `NVRTC 12.9` or `NVRTC 13.5, cubin`.
    pub code: String,
}

/// A kernel ready to launch.
#[derive(Clone, Debug)]
pub struct LoadedKernel {
    /// cudarc's function.
    pub function: CudaFunction,
    /// Its file, for constants by name.
    pub module: LoadedModule,
}

/// The kernel files that a run has loaded, each once.
#[derive(Debug, Default)]
pub struct KernelLoader {
    force_nvrtc: bool,
    nvrtc: Option<Nvrtc>,
    modules: HashMap<PathBuf, LoadedModule>,
    notices: Vec<String>,
    replacements: HashMap<PathBuf, String>,
}

impl KernelLoader {
    /// A loader that compiles every file with NVRTC if `force_nvrtc`, and otherwise only changed ones.
    #[must_use]
    pub fn new(force_nvrtc: bool) -> Self {
        Self { force_nvrtc, ..Self::default() }
    }

    /// The entry point `entry` of a kernel file, ready to launch.
    ///
    /// # Errors
    /// [`KernelError`], naming the file.
    pub fn load(&mut self, gpu: &Gpu, source: &KernelSource, entry: &str) -> Result<LoadedKernel, KernelError> {
        let module = match self.modules.get(&source.path()) {
            Some(module) => module.clone(),
            None => {
                let module = self.load_module(gpu, source)?;
                self.modules.insert(source.path(), module.clone());
                module
            }
        };
        let function = module.module.load_function(entry).map_err(|error| KernelError::Entry {
            file: source.name(),
            entry: entry.into(),
            reason: driver_text(error),
        })?;
        Ok(LoadedKernel { function, module })
    }

    /// Loads this PTX from now on wherever `source` is asked for, as a test of a changed kernel does.
    pub fn replace(&mut self, source: &KernelSource, ptx: String) {
        self.modules.remove(&source.path());
        self.replacements.insert(source.path(), ptx);
    }

    /// What a learner should know about how files were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn load_module(&mut self, gpu: &Gpu, source: &KernelSource) -> Result<LoadedModule, KernelError> {
        if let Some(ptx) = self.replacements.get(&source.path()) {
            return loaded(gpu, source, REPLACED.into(), gpu.context.load_module(Ptx::from_src(ptx)));
        }
        let text = source.current_text();
        let unchanged = source.ptx_is_of(&text);
        if unchanged && !self.force_nvrtc {
            return load_prebuilt(gpu, source);
        }
        let nvrtc = match &mut self.nvrtc {
            Some(nvrtc) => nvrtc,
            none => none.insert(Nvrtc::find().map_err(|missing| match self.force_nvrtc {
                true => KernelError::ForcedNvrtc(missing),
                false => KernelError::NeedsNvrtc { file: source.path().display().to_string(), missing },
            })?),
        };
        let (result, notice) = compile_and_load(gpu, nvrtc, source, &text, unchanged);
        self.notices.extend(notice.filter(|notice| !self.notices.contains(notice)));
        result
    }
}

fn load_prebuilt(gpu: &Gpu, source: &KernelSource) -> Result<LoadedModule, KernelError> {
    let module = gpu.context.load_module(Ptx::from_src(source.ptx));
    loaded(gpu, source, PREBUILT.into(), module)
}

/// Compiles for the device; where its driver is older than the compiler and refuses the PTX, tries machine code, and
/// then, for an unchanged file, the prebuilt PTX. The second value is what to tell about that.
fn compile_and_load(
    gpu: &Gpu,
    nvrtc: &Nvrtc,
    source: &KernelSource,
    text: &str,
    unchanged: bool,
) -> (Result<LoadedModule, KernelError>, Option<String>) {
    // Faults and profilers name the file as it was given: in full, so that it is found from any folder.
    let (path, name) = (source.path(), source.name());
    let name = if path.is_file() { path.display().to_string() } else { name };
    let compile = |product| {
        nvrtc.compile(&name, text, architecture(gpu), product).map_err(|error| KernelError::Compile {
            file: source.path().display().to_string(),
            compiler: nvrtc.describe(),
            error,
        })
    };
    let code = nvrtc.describe();
    let ptx = match compile(Product::Ptx) {
        Ok(ptx) => Ptx::from_src(String::from_utf8_lossy(&ptx).trim_end_matches('\0')),
        Err(error) => return (Err(error), None),
    };
    let module = gpu.context.load_module(ptx);
    if !matches!(module, Err(DriverError(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION))) {
        return (loaded(gpu, source, code, module), None);
    }
    let refused = format!("the driver {} is older than {code} and refuses its PTX", gpu.driver);
    if let Ok(cubin) = compile(Product::Cubin) {
        let module = loaded(gpu, source, format!("{code}, cubin"), gpu.context.load_module(Ptx::from_binary(cubin)));
        if module.is_ok() {
            return (module, Some(format!("{refused}; machine code for this GPU is loaded instead.")));
        }
    }
    if unchanged {
        return (load_prebuilt(gpu, source), Some(format!("{refused}; the prebuilt PTX is used instead.")));
    }
    (loaded(gpu, source, code, module), Some(format!("{refused}; use an older NVRTC, or update the driver.")))
}

/// Compute capability to compile for. The emulator reads what Turing's compiler emits, and newer.
fn architecture(gpu: &Gpu) -> i32 {
    let (major, minor) = if gpu.backend == Backend::Emulator { (7, 5) } else { gpu.compute_capability };
    major * 10 + minor
}

fn loaded(
    gpu: &Gpu,
    source: &KernelSource,
    code: String,
    module: Result<Arc<CudaModule>, DriverError>,
) -> Result<LoadedModule, KernelError> {
    match module {
        Ok(module) => Ok(LoadedModule { module, code }),
        Err(error) => Err(KernelError::Load { file: source.name(), code, reason: gpu.reason(error) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "// kernels/x.cu\n// SHA-256 \
        2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n.version 8.1\n";

    fn source() -> KernelSource {
        KernelSource { file: "x", cuda: "hello", ptx: PTX, crate_folder: "/nowhere" }
    }

    #[test]
    fn prebuilt_ptx_belongs_to_the_text_whose_hash_it_bears() {
        assert!(source().ptx_is_of("hello"));
        assert!(!source().ptx_is_of("hello "));
    }

    #[test]
    fn ptx_without_a_hash_belongs_to_no_text() {
        let source = KernelSource { ptx: ".version 8.1\n", ..source() };
        assert!(!source.ptx_is_of("hello"));
    }

    #[test]
    fn a_version_is_of_instructions_and_not_of_comments() {
        let of = |ptx| version([&KernelSource { ptx, ..source() }]);
        let first = of("// card\n.loc 1 2 3\n  ret;\n.file 1 \"x\"\n.section .debug_str\n{ }\n");
        assert_eq!(first, of("ret;\n"));
        assert_ne!(first, of("exit;\n"));
        assert_eq!(first.len(), 64);
    }

    #[test]
    fn a_file_that_is_not_there_has_its_built_in_text() {
        assert_eq!(source().current_text(), "hello");
    }
}
