//! The instances of a module, one per device: each has its variables in that device's memory.

use super::context::Context;
use super::lock;
use crate::result::{CUresult, Outcome};
use emulator::{Kernel, Module};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A module loaded on one device. A library, which belongs to no context, is loaded on other devices when it is first used
/// there.
pub(crate) struct Instances {
    text: String,
    home: u32,
    pub(crate) first: Arc<Module>,
    others: Mutex<BTreeMap<u32, Arc<Module>>>,
}

impl Instances {
    /// Wraps `module`, which was loaded from `text` into the memory of device `home`.
    pub(crate) fn new(text: String, home: u32, module: Module) -> Self {
        Self { text, home, first: Arc::new(module), others: Mutex::default() }
    }

    /// Returns the PTX text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the instance on the device of a context.
    pub(crate) fn on(&self, context: &Context) -> Outcome<Arc<Module>> {
        let device = context.device;
        let memory = &context.memory;
        if device == self.home {
            return Ok(Arc::clone(&self.first));
        }
        let mut others = lock(&self.others);
        if let Some(module) = others.get(&device) {
            return Ok(Arc::clone(module));
        }
        // The text has been loaded before, so only memory can be lacking.
        let module = Module::load(&self.text, memory).map_err(|error| CUresult::OUT_OF_MEMORY.because(error))?;
        Ok(Arc::clone(others.entry(device).or_insert(Arc::new(module))))
    }

    /// Returns the kernel in the instance on the device of a context.
    pub(crate) fn kernel(&self, kernel: &Arc<Kernel>, context: &Context) -> Outcome<Arc<Kernel>> {
        if context.device == self.home {
            return Ok(Arc::clone(kernel));
        }
        let module = self.on(context)?;
        let unknown = || CUresult::NOT_FOUND.because(kernel.name());
        module.kernel(kernel.name()).cloned().ok_or_else(unknown)
    }
}
