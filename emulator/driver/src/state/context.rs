//! Contexts. A context owns allocations, orders work, and remembers the fault that ended it.

use super::handle::Object;
use super::lock;
use super::peers::Peers;
use super::pool::Pool;
use crate::result::{CUresult, Error, Outcome, invalid, require};
use emulator::Memory;
use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize};
use std::sync::{Arc, Mutex, TryLockError};

/// The initial stack limit of a thread in bytes, the same as on hardware.
const DEFAULT_STACK_BYTES: usize = 1024;

/// The health of a context, which ends with the fault of a kernel.
enum Health {
    Well,
    /// A kernel faulted, and no call that waits has reported it. Further work is dropped, as on hardware.
    Faulted(Error),
    /// The fault has been reported. Every call fails with it.
    Lost(Error),
}

/// A context.
pub struct Context {
    /// The ordinal of its device.
    pub(crate) device: u32,
    /// The memory of its device. Printed text and the heap of kernels are its own.
    pub(crate) memory: Arc<Memory>,
    /// The other contexts whose memory its kernels can reach.
    pub(crate) peers: Peers,
    /// The addresses of its allocations, with the pool from which each comes.
    allocations: Mutex<HashMap<u64, Option<Arc<Pool>>>>,
    /// Held while work of any stream runs: streams are synchronous and take turns.
    turn: Mutex<()>,
    health: Mutex<Health>,
    pub(crate) flags: AtomicU32,
    pub(crate) cache_config: AtomicI32,
    pub(crate) stack_bytes: AtomicUsize,
    /// The number of streams created in it.
    pub(crate) streams: AtomicU32,
}

impl Object for Context {
    const NOUN: &str = "context";
    const UNKNOWN: CUresult = CUresult::INVALID_CONTEXT;
}

impl Context {
    /// Creates a context of the device with this ordinal and memory.
    pub fn new(device: u32, memory: &Arc<Memory>, flags: u32) -> Self {
        let memory = Arc::new(memory.for_device(device));
        Self {
            device,
            peers: Peers::none(&memory),
            memory,
            allocations: Mutex::default(),
            turn: Mutex::default(),
            health: Mutex::new(Health::Well),
            flags: flags.into(),
            cache_config: 0.into(),
            stack_bytes: DEFAULT_STACK_BYTES.into(),
            streams: 0.into(),
        }
    }

    /// Fails once a fault has been reported.
    pub fn check(&self) -> Outcome {
        match &*lock(&self.health) {
            Health::Lost(error) => Err(error.clone()),
            Health::Well | Health::Faulted(_) => Ok(()),
        }
    }

    /// Runs `work` after all earlier work. After a fault the work is dropped and the call succeeds.
    pub fn run(&self, work: impl FnOnce() -> Outcome) -> Outcome {
        self.check()?;
        let _turn = lock(&self.turn);
        let well = matches!(*lock(&self.health), Health::Well);
        if well { work() } else { Ok(()) }
    }

    /// Writes the text that kernels have printed to standard output, and what is lost to standard error, as NVIDIA's drivers do:
    /// at calls that wait for the device, and before the next launch.
    pub(crate) fn write_printed(&self) {
        let printed = self.memory.take_printed();
        if let Some(loss) = printed.loss() {
            eprintln!("{loss}");
        }
        if !printed.text.is_empty() {
            let mut stdout = std::io::stdout().lock();
            // A program may have closed its output.
            let _closed = stdout.write_all(printed.text.as_bytes()).and_then(|()| stdout.flush());
        }
    }

    /// Waits for all work, writes out the text that kernels have printed, and fails if a kernel has faulted.
    pub fn synchronize(&self) -> Outcome {
        let _turn = lock(&self.turn);
        self.write_printed();
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

    /// Returns whether a kernel has faulted, reported or not.
    pub fn is_faulted(&self) -> bool {
        self.status() != CUresult::SUCCESS
    }

    /// Returns the status passed to host callbacks: success, or the fault of a kernel.
    pub(crate) fn status(&self) -> CUresult {
        match &*lock(&self.health) {
            Health::Well => CUresult::SUCCESS,
            Health::Faulted(error) | Health::Lost(error) => error.code,
        }
    }

    /// Returns whether work of this context is running.
    pub fn is_busy(&self) -> bool {
        matches!(self.turn.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Records the fault of a kernel.
    pub fn fault(&self, error: Error) {
        *lock(&self.health) = Health::Faulted(error);
    }

    /// Allocates device memory, which lives until it is freed or the context is destroyed.
    pub fn allocate(&self, bytes: usize) -> Outcome<u64> {
        require_bytes(bytes)?;
        let address = self.memory.allocate(bytes as u64)?;
        lock(&self.allocations).insert(address, None);
        Ok(address)
    }

    /// Allocates device memory from a pool of its device.
    pub(crate) fn allocate_from(&self, pool: &Arc<Pool>, bytes: usize) -> Outcome<u64> {
        require_bytes(bytes)?;
        pool.take(bytes as u64)?;
        let address = self.memory.allocate(bytes as u64).inspect_err(|_| pool.give_back(bytes as u64))?;
        lock(&self.allocations).insert(address, Some(Arc::clone(pool)));
        Ok(address)
    }

    /// Allocates device memory at the addresses that were set aside for a graph.
    pub(crate) fn allocate_for_graph(&self, pool: &Arc<Pool>, address: u64, bytes: usize) -> Outcome {
        self.memory.allocate_at(address, bytes as u64)?;
        pool.take(bytes as u64)?;
        lock(&self.allocations).insert(address, Some(Arc::clone(pool)));
        Ok(())
    }

    /// Allocates managed memory, which the host accesses, too.
    pub(crate) fn allocate_managed(&self, bytes: usize) -> Outcome<u64> {
        require_bytes(bytes)?;
        let address = self.memory.allocate_host(bytes as u64)?;
        lock(&self.allocations).insert(address, None);
        Ok(address)
    }

    /// Returns whether `address` is the start of an allocation of this context.
    pub(crate) fn owns(&self, address: u64) -> bool {
        lock(&self.allocations).contains_key(&address)
    }

    /// Frees an allocation. Fails for any address that [`Self::allocate`] did not return.
    pub fn free(&self, address: u64) -> Outcome {
        let unknown = || {
            let detail = format!("{address:#x} is not an allocation of the current context, or has been freed already");
            invalid(detail)
        };
        let pool = lock(&self.allocations).remove(&address).ok_or_else(unknown)?;
        self.release(address, pool.as_deref())
    }

    fn release(&self, address: u64, pool: Option<&Pool>) -> Outcome {
        let bytes = self.memory.allocation_of(address).map_or(0, |(_, bytes)| bytes);
        self.memory.free(address)?;
        pool.into_iter().for_each(|pool| pool.give_back(bytes));
        Ok(())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.write_printed();
        for (address, pool) in std::mem::take(&mut *lock(&self.allocations)) {
            // Cannot fail: only `free` frees allocations, and it removes them from the list first.
            let _freed = self.release(address, pool.as_deref());
        }
    }
}

/// Fails for an allocation of nothing.
fn require_bytes(bytes: usize) -> Outcome {
    require(bytes != 0, "an allocation of 0 bytes")
}
