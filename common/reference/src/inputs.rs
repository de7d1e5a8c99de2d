//! The inputs of the problems, made once and shared by the kernels that use the same.

use crate::cpu::CpuTimes;
use crate::size::Size;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// The inputs of a problem in their canonical form, with their reference: everything that follows from a size.
pub trait Inputs: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the inputs of a size, from a seeded generator.
    fn new(size: &Size) -> Self;

    /// Computes the reference, if only a comparison needs it and it takes long: a CPU has time for that while a GPU runs the kernel.
    fn expect(&self) {}

    /// Times the tutorial's own loop on this CPU in single precision, one step of it, on one thread and on all.
    fn time_on_cpu(&self) -> CpuTimes;
}

/// The last inputs of each problem.
#[derive(Default)]
pub struct InputCache(HashMap<TypeId, (Size, Arc<dyn Any + Send + Sync>)>);

impl InputCache {
    /// Returns the inputs of a size. Those of one step serve any number of steps.
    pub fn get<I: Inputs>(&mut self, size: &Size) -> Arc<I> {
        let key = Size { steps: None, ..size.clone() };
        let kept = self.0.get(&TypeId::of::<I>()).filter(|(size, _)| *size == key);
        if let Some(Ok(inputs)) = kept.map(|(_, inputs)| inputs.clone().downcast()) {
            return inputs;
        }
        let inputs = Arc::new(I::new(size));
        self.0.insert(TypeId::of::<I>(), (key, inputs.clone()));
        inputs
    }
}

impl std::fmt::Debug for InputCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.values().map(|(size, _)| size)).finish()
    }
}
