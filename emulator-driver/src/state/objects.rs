//! What is made in a context: streams, events, modules and their functions.

use super::capture::Mark;
use super::context::Context;
use super::handle::{Handle, Object};
use super::instances::Instances;
use super::order::Clock;
use crate::limits;
use crate::result::{CUresult, Outcome};
use emulator::{Kernel, Resources};
use std::ffi::CString;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// A stream. Work on it has run when the call that asked for it returns; `state::order` keeps what it comes after.
pub struct Stream {
    pub(crate) context: Handle<Context>,
    pub(crate) flags: u32,
    /// Its number among those of its context, from 1.
    pub(crate) number: u32,
}

impl Stream {
    /// `CU_STREAM_NON_BLOCKING`: it neither waits for the legacy stream nor is waited for by it.
    pub(crate) const NON_BLOCKING: u32 = 1;

    pub(crate) fn is_non_blocking(&self) -> bool {
        self.flags & Self::NON_BLOCKING != 0
    }
}

impl Object for Stream {
    const NOUN: &str = "stream";
}

impl Handle<Stream> {
    /// `CU_STREAM_PER_THREAD`.
    pub(crate) const PER_THREAD: Self = Self::from_number(2);

    /// Whether it is the legacy stream.
    pub(crate) fn is_legacy(self) -> bool {
        self.number() <= 1
    }

    /// Whether it is one that CUDA defines: null and 1 are the legacy stream, 2 the one of the thread.
    pub(crate) fn is_predefined(self) -> bool {
        self.number() <= 2
    }
}

/// An event: a point in a stream, and when the CPU came to it.
pub struct Event {
    pub(crate) context: Handle<Context>,
    /// Whether its time may be asked for.
    pub(crate) timing: bool,
    /// `None` until it is recorded.
    pub(crate) recorded: Mutex<Option<Instant>>,
    /// What is over at that point.
    pub(crate) over: Mutex<Clock>,
    /// The point of a captured stream that it marks, if it was recorded in one last.
    pub(crate) captured: Mutex<Option<Mark>>,
}

impl Object for Event {
    const NOUN: &str = "event";
}

/// A module with the handles of its functions, in the order of [`emulator::Module::kernels`].
pub struct LoadedModule {
    pub(crate) context: Handle<Context>,
    pub(crate) module: Arc<Instances>,
    pub(crate) functions: Vec<Handle<Function>>,
}

impl Object for LoadedModule {
    const NOUN: &str = "module";
}

/// A kernel and what the caller has set for it.
pub struct Function {
    pub(crate) context: Handle<Context>,
    pub(crate) kernel: Arc<Kernel>,
    /// Keeps the variables that the kernel uses until its last launch has ended.
    module: Arc<Instances>,
    pub(crate) name: CString,
    max_dynamic_shared_bytes: AtomicU32,
    /// Preferred share of shared memory in percent, −1 for none: a hint without effect.
    pub(crate) shared_carveout: AtomicI32,
}

impl Object for Function {
    const NOUN: &str = "function";
}

impl Function {
    pub(crate) fn new(context: Handle<Context>, kernel: &Arc<Kernel>, module: &Arc<Instances>) -> Self {
        let at_first = limits::SHARED_BYTES_PER_BLOCK.saturating_sub(kernel.static_shared_bytes());
        Self {
            context,
            kernel: Arc::clone(kernel),
            module: Arc::clone(module),
            // A PTX name has no NUL.
            name: CString::new(kernel.name()).unwrap_or_default(),
            max_dynamic_shared_bytes: at_first.into(),
            shared_carveout: (-1).into(),
        }
    }

    /// Returns the kernel for a context: with the variables of its device.
    pub(crate) fn kernel_in(&self, context: &Context) -> Outcome<Arc<Kernel>> {
        self.module.kernel(&self.kernel, context)
    }

    /// Returns what a block takes.
    pub(crate) fn resources(&self) -> Resources {
        Resources {
            registers: self.kernel.registers(),
            static_shared_bytes: self.kernel.static_shared_bytes(),
            max_threads: self.kernel.max_threads_per_block(),
            max_dynamic_shared_bytes: self.max_dynamic_shared_bytes(),
        }
    }

    /// Returns the dynamic shared memory in bytes that a launch may ask for.
    pub(crate) fn max_dynamic_shared_bytes(&self) -> u32 {
        self.max_dynamic_shared_bytes.load(Relaxed)
    }

    /// Allows launches with up to `bytes` of dynamic shared memory; fails if the device does not have them.
    pub(crate) fn allow_dynamic_shared_bytes(&self, bytes: i32) -> Outcome {
        let most = limits::SHARED_BYTES_PER_BLOCK_OPT_IN.saturating_sub(self.kernel.static_shared_bytes());
        match u32::try_from(bytes) {
            Ok(bytes) if bytes <= most => self.max_dynamic_shared_bytes.store(bytes, Relaxed),
            _ => {
                let detail = format!("{bytes} bytes of dynamic shared memory for {}: 0 to {most}", self.kernel.name());
                return Err(CUresult::INVALID_VALUE.because(detail));
            }
        }
        Ok(())
    }
}
