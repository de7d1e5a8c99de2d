//! From a kernel's source file to a function that can be launched.
//!
//! The learner edits the kernel file. As long as its text is the one that the prebuilt PTX was made from (the first lines of
//! the PTX contain the SHA-256 of that text), the PTX is loaded and no compiler is needed. An edited file is compiled at
//! run time by the compiler of its [`Language`].

mod ahead;
mod cuda;
mod entry;
mod fetch;
mod language;
mod loaded;
mod rust;
mod source;

pub use cuda::CudaCpp;
pub use entry::Part;
pub use fetch::FetchOffer;
pub use language::{Compiler, Language, LoadedModule, MissingCompiler, PREBUILT, SourceText};
pub use loaded::{LoadedKernel, Resources};
pub use rust::Rust;
pub use source::{KernelSource, stated_version, unpack, version, version_of};

use crate::device::{Backend, Device, driver_text};
use crate::error::Error;
use ahead::Ahead;
use cuda_cpp::Choice;
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaModule, DriverError};
use cudarc::nvrtc::Ptx;
use language::cannot_load;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;

/// [`LoadedModule::code`] of PTX given by [`KernelLoader::replace`].
const REPLACED: &str = "replaced PTX";

/// Loads kernel files, each once per run.
#[derive(Debug, Default)]
pub struct KernelLoader {
    /// The chosen compiler for CUDA C++, which compiles unchanged files too.
    compiler: Option<Choice>,
    /// The compilers in use, by the extension of their files.
    compilers: HashMap<&'static str, Box<dyn Compiler>>,
    modules: Vec<(PathBuf, LoadedModule)>,
    /// The loader of kernels before their turn.
    ahead: Option<Ahead<Part, Arc<CudaModule>>>,
    notices: Vec<String>,
    /// Whether edits are ignored.
    as_shipped: bool,
    replacements: HashMap<PathBuf, String>,
}

impl KernelLoader {
    /// Returns a loader that compiles every file if a compiler for CUDA C++ is chosen, and otherwise only changed ones.
    #[must_use]
    pub fn new(compiler: Option<Choice>) -> Self {
        Self { compiler, ..Self::default() }
    }

    /// Returns a loader of the prebuilt PTX of every file, whether the file was edited or not.
    #[must_use]
    pub fn as_shipped() -> Self {
        Self { as_shipped: true, ..Self::default() }
    }

    /// Loads the entry point `entry` of a kernel file.
    ///
    /// # Errors
    /// [`Error::Kernel`], naming the file, and [`Error::NoCompiler`].
    pub fn load(&mut self, device: &Device, source: &KernelSource, entry: &str) -> Result<LoadedKernel, Error> {
        let path = source.path();
        let is_loaded = |(of, module): &&(PathBuf, LoadedModule)| *of == path && module.has(entry);
        let module = match self.modules.iter().find(is_loaded) {
            Some((_, module)) => module.clone(),
            None => {
                let module = self.load_module(device, source, entry)?;
                self.modules.push((path, module.clone()));
                module
            }
        };
        let function = module.module.load_function(entry).map_err(|error| match error {
            DriverError(CUresult::CUDA_ERROR_NOT_FOUND) => Error::Kernel(format!(
                "{} has no kernel {entry}: {}; the name and extern \"C\" must stay as they are",
                source.name(),
                driver_text(error)
            )),
            // The emulator loads a module with an unsupported kernel, and refuses only that kernel.
            _ => cannot_load(&source.name(), &module.code, &device.reason(error)),
        })?;
        Ok(LoadedKernel { function, module })
    }

    /// Replaces the PTX of `source` in later loads, as a test of a changed kernel does.
    pub fn replace(&mut self, source: &KernelSource, ptx: String) {
        self.modules.retain(|(path, _)| *path != source.path());
        self.replacements.insert(source.path(), ptx);
    }

    /// Returns notices about how files were loaded since the last call.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Loads these kernels in their order in a thread, until [`KernelLoader::load`] asks for them. Those that must be compiled from
    /// source are left out. Does nothing on the emulator, which compiles no PTX.
    pub fn load_ahead<'a>(&mut self, device: &Device, kernels: impl IntoIterator<Item = (&'a KernelSource, String)>) {
        if device.backend == Backend::Emulator || self.compiler.is_some() {
            return;
        }
        let mut parts = Vec::new();
        for (source, entry) in kernels {
            let part = Part { source: *source, entry };
            parts.extend((!parts.contains(&part)).then_some(part));
        }
        let context = device.context.clone();
        let load = move |part: &Part| {
            let module = part.source.ptx_is_of(&part.source.current_text()).then(|| part.load(&context))?.ok()?;
            // A driver that loads lazily may compile the kernel only now.
            module.load_function(&part.entry).ok()?;
            Some(module)
        };
        self.ahead = Some(Ahead::start(parts, load));
    }

    /// Returns what `act` returns, during which nothing is loaded ahead: for measurements.
    pub fn quietly<T>(&self, act: impl FnOnce() -> T) -> T {
        match &self.ahead {
            Some(ahead) => ahead.quietly(act),
            None => act(),
        }
    }

    fn load_module(&mut self, device: &Device, source: &KernelSource, entry: &str) -> Result<LoadedModule, Error> {
        let loaded = |module, code: &str| LoadedModule::new(device, source.name(), code.into(), module);
        let load = |ptx: &str, code: &str| loaded(device.context.load_module(Ptx::from_src(ptx)), code);
        if let Some(ptx) = self.replacements.get(&source.path()) {
            return load(ptx, REPLACED);
        }
        let text = source.current_text();
        let prebuilt = (self.as_shipped || source.ptx_is_of(&text)).then(|| source.ptx());
        match prebuilt {
            Some(ptx) if self.compiler.is_none() => match device.backend {
                Backend::Emulator => {
                    let machine_code = source.machine_code();
                    load(ptx, PREBUILT).map(|module| LoadedModule { machine_code, ..module })
                }
                Backend::Cuda => {
                    let part = Part { source: *source, entry: entry.into() };
                    let load = || part.load(&device.context);
                    let module = self.ahead.as_ref().map_or_else(load, |ahead| ahead.take_or(&part, load));
                    loaded(module, PREBUILT).map(|module| LoadedModule { entry: Some(part.entry), ..module })
                }
            },
            _ => {
                let module = self.compile(device, source, &text, prebuilt)?;
                Ok(LoadedModule { is_edited: prebuilt.is_none(), ..module })
            }
        }
    }

    fn compile(
        &mut self,
        device: &Device,
        source: &KernelSource,
        text: &str,
        prebuilt: Option<&'static str>,
    ) -> Result<LoadedModule, Error> {
        let path = source.path();
        let short_name = source.name();
        let compiler = match self.compilers.entry(source.language.extension()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let found = source.language.compiler(self.compiler);
                entry.insert(found.map_err(|MissingCompiler { reason, fetch }| {
                    let why = match self.compiler {
                        Some(choice) => format!("--compiler {choice}"),
                        None => format!("{} was changed and must be compiled", path.display()),
                    };
                    Error::NoCompiler { reason: format!("{why}: {reason}"), fetch }
                })?)
            }
        };
        let name = if path.is_file() { path.display().to_string() } else { short_name.clone() };
        let compute_capability = source.compute_capability();
        let text = SourceText { name, short_name, text, prebuilt, compute_capability };
        let (module, notice) = compiler.load(device, &text);
        self.notices.extend(notice.filter(|notice| !self.notices.contains(notice)));
        module
    }
}
