//! A compiler that is missing at first, and is fetched.

use super::*;
use crate::device::Device;
use crate::kernel::{Compiler, KernelSource, Language, LoadedModule, MissingCompiler, SourceText};
use crate::problem::forces::{Buffers, Forces};
use crate::report::samples::{RUNG, STAGE};
use crate::stage::Rung;
use cuda_cpp::Choice;
use cudarc::nvrtc::Ptx;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// The entry point of the samples' rung, with the SHA-256 of its empty text.
const PTX: &str = "// kernels/first.cu\n// SHA-256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n\
    .version 8.1\n.target sm_75\n.address_size 64\n.visible .entry x()\n{\n    ret;\n}\n";

/// A language whose compiler is there once it has been fetched.
#[derive(Debug)]
struct Fetched;

static IS_FETCHED: AtomicBool = AtomicBool::new(false);
static FETCHES: AtomicUsize = AtomicUsize::new(0);
static FIRST_LAUNCHES: AtomicUsize = AtomicUsize::new(0);
static SECOND_LAUNCHES: AtomicUsize = AtomicUsize::new(0);

impl Language for Fetched {
    fn extension(&self) -> &'static str {
        "cu"
    }

    fn compiler(&self, _: Option<Choice>) -> Result<Box<dyn Compiler>, MissingCompiler> {
        let fetch = || {
            FETCHES.fetch_add(1, SeqCst);
            IS_FETCHED.store(true, SeqCst);
            true
        };
        match IS_FETCHED.load(SeqCst) {
            true => Ok(Box::new(Self)),
            false => Err(MissingCompiler { reason: "it is not there".into(), fetch: Some(fetch) }),
        }
    }
}

impl Compiler for Fetched {
    fn load(&self, device: &Device, source: &SourceText) -> (Result<LoadedModule, Error>, Option<String>) {
        let module = device.context.load_module(Ptx::from_src(PTX));
        (LoadedModule::new(device, source.short_name.clone(), "compiled".into(), module), None)
    }
}

static FIRST: Rung = Rung {
    kernel: "first",
    source: KernelSource { file: "first", ptx: || PTX, ..RUNG.source },
    work: &Forces::<Buffers> {
        launch: |_, _| {
            FIRST_LAUNCHES.fetch_add(1, SeqCst);
            Ok(())
        },
    },
    ..RUNG
};

static SECOND: Rung = Rung {
    kernel: "second",
    source: KernelSource { file: "second", text: "edited", language: &Fetched, ..RUNG.source },
    work: &Forces::<Buffers> {
        launch: |_, _| {
            SECOND_LAUNCHES.fetch_add(1, SeqCst);
            Ok(())
        },
    },
    ..RUNG
};

/// Nothing is launched here, so the results are wrong; what counts is how often.
#[test]
fn after_a_compiler_is_fetched_only_the_kernel_that_lacked_it_runs_again() {
    static BOTH: Stage = Stage { rungs: &[&FIRST, &SECOND], ..STAGE };
    let arguments = ["stage", "--device", "emulator", "--n", "32", "--all-blocks"].map(Into::into);
    let status = run_with(&BOTH, arguments);
    assert_eq!(format!("{status:?}"), format!("{:?}", ExitCode::FAILURE));
    let counts = [&FETCHES, &FIRST_LAUNCHES, &SECOND_LAUNCHES].map(|count| count.load(SeqCst));
    assert_eq!(counts, [1, 1, 1], "fetches, launches of the first and of the second kernel");
}
