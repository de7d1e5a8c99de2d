//! Modules and their functions.

use super::context::Context;
use super::handle::{Handle, Object};
use super::instances::Instances;
use crate::device_properties::{Chip, SHARED_BYTES_PER_BLOCK};
use crate::result::{Outcome, invalid};
use emulator::{Kernel, Resources};
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

/// A module with the handles of its functions, in the order of [`emulator::Module::kernels`].
pub struct LoadedModule {
    /// The context that the module belongs to, null for a library.
    pub(crate) context: Handle<Context>,
    pub(crate) module: Arc<Instances>,
    pub(crate) functions: Vec<Handle<Function>>,
}

impl Object for LoadedModule {
    const NOUN: &str = "module";
}

/// A kernel and the attributes that the caller has set for it.
pub struct Function {
    pub(crate) context: Handle<Context>,
    pub(crate) kernel: Arc<Kernel>,
    /// Keeps the variables that the kernel uses alive until its last launch has ended.
    module: Arc<Instances>,
    pub(crate) name: CString,
    max_dynamic_shared_bytes: AtomicU32,
    /// The preferred share of shared memory in percent, −1 for the default. A hint without effect.
    pub(crate) shared_carveout: AtomicI32,
}

impl Object for Function {
    const NOUN: &str = "function";
}

impl Function {
    pub(crate) fn new(context: Handle<Context>, kernel: &Arc<Kernel>, module: &Arc<Instances>) -> Self {
        let default = SHARED_BYTES_PER_BLOCK.saturating_sub(kernel.static_shared_bytes());
        Self {
            context,
            kernel: Arc::clone(kernel),
            module: Arc::clone(module),
            // A PTX name contains no NUL.
            name: CString::new(kernel.name()).unwrap_or_default(),
            max_dynamic_shared_bytes: default.into(),
            shared_carveout: (-1).into(),
        }
    }

    /// Returns the kernel with the variables of the context's device.
    pub(crate) fn kernel_in(&self, context: &Context) -> Outcome<Arc<Kernel>> {
        self.module.kernel(&self.kernel, context)
    }

    /// Returns whether the kernel, or a function that it may call, has the instruction `griddepcontrol.wait`.
    pub(crate) fn waits_for_earlier_kernels(&self) -> bool {
        const WAIT: &str = "griddepcontrol.wait";
        let text = self.module.text();
        let name = self.kernel.name();
        let is_entry =
            |rest: &&str| rest.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('('));
        let Some(kernel) = text.split(".entry").skip(1).find(is_entry) else { return text.contains(WAIT) };
        // The next kernel or function ends the text of this one.
        let body = kernel.split(".func").next().unwrap_or(kernel);
        body.contains(WAIT) || body.contains("call") && text.contains(WAIT)
    }

    /// Returns the resources that limit occupancy.
    pub(crate) fn resources(&self) -> Resources {
        Resources {
            registers: self.kernel.registers(),
            static_shared_bytes: self.kernel.static_shared_bytes(),
            max_threads: self.kernel.max_threads_per_block(),
            max_dynamic_shared_bytes: self.max_dynamic_shared_bytes(),
        }
    }

    /// Returns the maximum dynamic shared memory of a launch, in bytes.
    pub(crate) fn max_dynamic_shared_bytes(&self) -> u32 {
        self.max_dynamic_shared_bytes.load(Relaxed)
    }

    /// Allows launches with up to `bytes` of dynamic shared memory. Fails if the chip has less.
    pub(crate) fn allow_dynamic_shared_bytes(&self, bytes: i32, chip: &Chip) -> Outcome {
        let most = chip.shared_bytes_per_block().saturating_sub(self.kernel.static_shared_bytes());
        match u32::try_from(bytes) {
            Ok(bytes) if bytes <= most => self.max_dynamic_shared_bytes.store(bytes, Relaxed),
            _ => {
                let name = self.kernel.name();
                let detail = format!("{bytes} bytes of dynamic shared memory for {name}: must be from 0 to {most}");
                return Err(invalid(detail));
            }
        }
        Ok(())
    }
}
