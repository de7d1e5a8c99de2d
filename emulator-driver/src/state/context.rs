//! A context: it owns allocations, orders work, and remembers the fault that ended it.

use super::handle::Object;
use super::lock;
use super::peers::Peers;
use crate::result::{CUresult, Error, Outcome};
use emulator::Memory;
use std::collections::HashSet;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize};
use std::sync::{Arc, Mutex, TryLockError};

/// Stack bytes of a thread that `cuCtxGetLimit` answers at first, as hardware does.
const DEFAULT_STACK_BYTES: usize = 1024;

/// Whether kernels of a context have faulted.
enum Health {
    Well,
    /// A kernel faulted and no call that waits has told so; work is dropped, as on hardware.
    Faulted(Error),
    /// The fault has been told; every call tells it.
    Lost(Error),
}

/// A context. See [`crate::state`].
pub struct Context {
    /// The ordinal of its device.
    pub(crate) device: u32,
    pub(crate) memory: Arc<Memory>,
    /// Other contexts whose memory its kernels reach.
    pub(crate) peers: Peers,
    allocations: Mutex<HashSet<u64>>,
    /// Held while work of any stream runs: streams are synchronous and take turns.
    turn: Mutex<()>,
    health: Mutex<Health>,
    pub(crate) flags: AtomicU32,
    pub(crate) cache_config: AtomicI32,
    pub(crate) stack_bytes: AtomicUsize,
    /// Streams that were created in it.
    pub(crate) streams: AtomicU32,
}

impl Object for Context {
    const NOUN: &str = "context";
    const UNKNOWN: CUresult = CUresult::INVALID_CONTEXT;
}

impl Context {
    pub(crate) fn new(device: u32, memory: &Arc<Memory>, flags: u32) -> Self {
        Self {
            device,
            memory: Arc::clone(memory),
            peers: Peers::of(memory),
            allocations: Mutex::default(),
            turn: Mutex::default(),
            health: Mutex::new(Health::Well),
            flags: flags.into(),
            cache_config: 0.into(),
            stack_bytes: DEFAULT_STACK_BYTES.into(),
            streams: 0.into(),
        }
    }

    /// Fails once a fault has been told.
    pub(crate) fn check(&self) -> Outcome {
        match &*lock(&self.health) {
            Health::Lost(error) => Err(error.clone()),
            Health::Well | Health::Faulted(_) => Ok(()),
        }
    }

    /// Runs `work` after all work before it. After a fault it does not run, and that is no failure of the call.
    pub(crate) fn submit(&self, work: impl FnOnce() -> Outcome) -> Outcome {
        self.check()?;
        let _turn = lock(&self.turn);
        let well = matches!(*lock(&self.health), Health::Well);
        if well { work() } else { Ok(()) }
    }

    /// Waits for all work and tells of a fault.
    pub(crate) fn synchronize(&self) -> Outcome {
        let _turn = lock(&self.turn);
        let mut health = lock(&self.health);
        match &*health {
            Health::Well => Ok(()),
            Health::Faulted(error) | Health::Lost(error) => {
                let error = error.clone();
                *health = Health::Lost(error.clone());
                Err(error)
            }
        }
    }

    /// Returns whether a kernel has faulted, told or not.
    pub(crate) fn is_faulted(&self) -> bool {
        self.status() != CUresult::SUCCESS
    }

    /// Returns the status that functions of the host are called with: that of the fault, if a kernel has faulted.
    pub(crate) fn status(&self) -> CUresult {
        match &*lock(&self.health) {
            Health::Well => CUresult::SUCCESS,
            Health::Faulted(error) | Health::Lost(error) => error.code,
        }
    }

    /// Returns whether work of this context is running.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self.turn.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Records the fault of a kernel.
    pub(crate) fn fault(&self, error: Error) {
        *lock(&self.health) = Health::Faulted(error);
    }

    /// Allocates device memory, which lives until it is freed or the context ends.
    pub(crate) fn allocate(&self, bytes: usize) -> Outcome<u64> {
        if bytes == 0 {
            return Err(CUresult::INVALID_VALUE.because("an allocation of 0 bytes"));
        }
        let address = self.memory.allocate(bytes as u64)?;
        lock(&self.allocations).insert(address);
        Ok(address)
    }

    /// Whether `address` is an allocation of this context.
    pub(crate) fn owns(&self, address: u64) -> bool {
        lock(&self.allocations).contains(&address)
    }

    /// Frees what [`Self::allocate`] returned; fails for every other address.
    pub(crate) fn free(&self, address: u64) -> Outcome {
        if !lock(&self.allocations).remove(&address) {
            let detail = format!("{address:#x} is no allocation of the current context, or is freed already");
            return Err(CUresult::INVALID_VALUE.because(detail));
        }
        Ok(self.memory.free(address)?)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        for address in lock(&self.allocations).drain() {
            // Only `free` takes allocations away, and it forgets them here first.
            let _freed = self.memory.free(address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> (Context, Arc<Memory>) {
        let memory = Arc::new(Memory::new(1 << 20));
        (Context::new(0, &memory, 0), memory)
    }

    #[test]
    fn a_fault_is_told_by_the_next_call_that_waits_and_by_all_after_it() {
        let (context, _) = context();
        context.fault(CUresult::ILLEGAL_ADDRESS.because("kernel k"));
        assert!(context.check().is_ok() && context.is_faulted());
        assert!(context.submit(|| panic!("work after a fault")).is_ok());
        assert_eq!(context.synchronize().unwrap_err().code, CUresult::ILLEGAL_ADDRESS);
        let error = context.submit(|| Ok(())).unwrap_err();
        assert_eq!((error.code, error.detail.as_deref()), (CUresult::ILLEGAL_ADDRESS, Some("kernel k")));
        assert_eq!(context.check().unwrap_err().code, CUresult::ILLEGAL_ADDRESS);
    }

    #[test]
    fn a_context_is_busy_while_its_work_runs() {
        let (context, _) = context();
        assert!(!context.is_busy() && !context.is_faulted());
        assert!(context.submit(|| if context.is_busy() { Ok(()) } else { Err(CUresult::UNKNOWN.into()) }).is_ok());
        assert!(!context.is_busy());
    }

    #[test]
    fn allocations_end_with_their_context() {
        let (context, memory) = context();
        let kept = context.allocate(1000).unwrap();
        let freed = context.allocate(24).unwrap();
        assert_eq!(memory.available_bytes(), (1 << 20) - 1024);
        assert!(context.free(freed).is_ok());
        assert_eq!(context.free(freed).unwrap_err().code, CUresult::INVALID_VALUE);
        assert_eq!(context.free(kept + 1).unwrap_err().code, CUresult::INVALID_VALUE);
        drop(context);
        assert_eq!(memory.available_bytes(), 1 << 20);
    }
}
