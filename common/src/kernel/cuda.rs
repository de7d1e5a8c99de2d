//! Kernels in CUDA C++, which NVRTC or clang compiles at run time.

use super::fetch::fetch;
use super::language::{Compiler, Language, LoadedModule, MissingCompiler, PREBUILT, SourceText, does_not_compile};
use crate::device::{Backend, Device};
use crate::error::Error;
use cuda_cpp::{Choice, Clang, CompileError, Compiler as Cuda, is_specific};
use cudarc::driver::{DriverError, sys::CUresult};
use cudarc::nvrtc::Ptx;
use nvrtc::{Nvrtc, Product};

/// CUDA C++.
#[derive(Debug)]
pub struct CudaCpp;

impl Language for CudaCpp {
    fn extension(&self) -> &'static str {
        "cu"
    }

    fn compiler(&self, choice: Option<Choice>) -> Result<Box<dyn Compiler>, MissingCompiler> {
        match Cuda::find(choice) {
            Ok(Cuda::Nvrtc(nvrtc)) => Ok(Box::new(nvrtc)),
            Ok(Cuda::Clang(clang)) => Ok(Box::new(clang)),
            Err(missing) => {
                let fetch = missing.can_be_fetched().map(|choice| -> fn() -> bool {
                    match choice {
                        Choice::Nvrtc => || fetch("NVIDIA's compiler, NVRTC", "nvrtc"),
                        Choice::Clang => || fetch("a compiler for CUDA C++", "clang"),
                    }
                });
                Err(MissingCompiler { reason: missing.to_string(), fetch })
            }
        }
    }
}

impl Compiler for Clang {
    fn load(&self, device: &Device, source: &SourceText) -> (Result<LoadedModule, Error>, Option<String>) {
        let ptx = self.ptx(&source.name, source.text, architecture(device, source));
        let ptx = ptx.map_err(|error| does_not_compile(source, &self.describe(), &error));
        (ptx.and_then(|ptx| LoadedModule::compiled(device, source, self.describe(), &ptx)), None)
    }
}

impl Compiler for Nvrtc {
    /// If the driver is older than the compiler and refuses its PTX, tries machine code, and then the prebuilt PTX of an
    /// unchanged file.
    fn load(&self, device: &Device, source: &SourceText) -> (Result<LoadedModule, Error>, Option<String>) {
        let code = self.describe();
        let ptx = match compile(self, device, source, Product::Ptx) {
            Ok(ptx) => String::from_utf8_lossy(&ptx).trim_end_matches('\0').to_owned(),
            Err(error) => return (Err(error), None),
        };
        let loaded = |code: String, module| LoadedModule::new(device, source.short_name.clone(), code, module);
        let module = device.context.load_module(Ptx::from_src(&ptx));
        if !matches!(module, Err(DriverError(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION))) {
            return (loaded(code, module).map(|module| module.compiled_to(&ptx, device)), None);
        }
        let refused = format!("the driver {} is older than {code} and refuses its PTX", device.driver);
        if let Ok(cubin) = compile(self, device, source, Product::Cubin) {
            let module = loaded(format!("{code}, cubin"), device.context.load_module(Ptx::from_binary(cubin)));
            if module.is_ok() {
                return (module, Some(format!("{refused}; machine code for this GPU is loaded instead.")));
            }
        }
        if let Some(ptx) = source.prebuilt {
            let module = loaded(PREBUILT.into(), device.context.load_module(Ptx::from_src(ptx)));
            return (module, Some(format!("{refused}; the prebuilt PTX is used instead.")));
        }
        (loaded(code, module), Some(format!("{refused}; use an older NVRTC, or update the driver.")))
    }
}

fn compile(nvrtc: &Nvrtc, device: &Device, source: &SourceText, product: Product) -> Result<Vec<u8>, Error> {
    let target = (architecture(device, source), is_specific(source.text));
    let compiled = nvrtc.compile(&source.name, source.text, target, product);
    compiled.map_err(|error| does_not_compile(source, &nvrtc.describe(), &CompileError::from(error)))
}

/// Returns the compute capability to compile for: the GPU's, or that of the prebuilt PTX on the emulator, so that only an
/// edit changes the counts.
fn architecture(device: &Device, source: &SourceText) -> i32 {
    let is_emulated = device.backend == Backend::Emulator;
    let (major, minor) = if is_emulated { source.compute_capability } else { device.compute_capability };
    major * 10 + minor
}
