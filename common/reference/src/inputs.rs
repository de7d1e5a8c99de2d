//! The inputs of the problems, made once and shared by the kernels that use the same.

use crate::cpu::CpuTimes;
use crate::size::Size;
use std::any::{Any, TypeId};
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

/// The inputs that were asked for last, the last one first.
#[derive(Debug, Default)]
pub struct InputCache(Vec<(TypeId, Size, Arc<dyn Any + Send + Sync>)>);

/// The inputs that are kept: each kernel of a table is checked at one size and estimated at another.
const KEPT: usize = 2;

impl InputCache {
    /// Returns the inputs of a size. Those of one step serve any number of steps.
    pub fn get<I: Inputs>(&mut self, size: &Size) -> Arc<I> {
        let (kind, size) = (TypeId::of::<I>(), Size { steps: None, ..size.clone() });
        match self.0.iter().position(|(other, kept, _)| (*other, kept) == (kind, &size)) {
            Some(place) => self.0[..=place].rotate_right(1),
            None => {
                // The oldest ones make room before the new ones are made.
                self.0.truncate(KEPT - 1);
                self.0.insert(0, (kind, size.clone(), Arc::new(I::new(&size))));
            }
        }
        let (.., inputs) = &self.0[0];
        inputs.clone().downcast().expect("inputs of this kind")
    }
}

#[cfg(test)]
mod tests;
