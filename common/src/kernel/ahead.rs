//! Modules that a thread loads before their turn.
//!
//! When PTX is loaded for the first time on a machine, the driver compiles it, which takes tenths of a second for a large kernel. It
//! compiles one module at a time, whatever the number of threads. So one thread loads the modules of a run in their order, while the
//! main thread makes inputs and compares results on the CPU.
//!
//! Such a load takes a core and locks of the driver, so it would lengthen whatever is measured meanwhile. Therefore no load begins
//! during a measurement ([`Ahead::quietly`]), and no measurement during a load. A mutex that each load and each measurement takes would
//! not do: nothing keeps a thread from taking it again at once, and the main thread could wait for all loads. Here it says that it
//! waits, and waits for one load at most.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// The thread, and the modules that it loaded. When this is dropped, the thread ends after the load in progress.
#[derive(Debug)]
pub struct Ahead<K, M> {
    shared: Arc<Shared<K, M>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared<K, M> {
    state: Mutex<State<K, M>>,
    /// Notified when a load has ended, and when the thread may go on or end.
    changed: Condvar,
}

#[derive(Debug)]
struct State<K, M> {
    /// Kernels that are not loaded yet, in the order of their turns.
    waiting: VecDeque<K>,
    /// Kernels that are loaded and not taken yet.
    loaded: Vec<(K, M)>,
    is_loading: bool,
    /// Whether the main thread measures or loads, or waits to do so.
    is_quiet: bool,
    has_ended: bool,
}

impl<K: PartialEq + Send + 'static, M: Send + 'static> Ahead<K, M> {
    /// Starts a thread that calls `load` with each key. What it cannot load is left to the main thread, which then reports why.
    pub fn start(keys: impl IntoIterator<Item = K>, load: impl Fn(&K) -> Option<M> + Send + 'static) -> Self {
        let waiting = keys.into_iter().collect();
        let state = State { waiting, loaded: Vec::new(), is_loading: false, is_quiet: false, has_ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let of_thread = shared.clone();
        // Without a thread, the main thread loads all.
        let thread = thread::Builder::new().name("load ahead".into()).spawn(move || of_thread.load_all(load)).ok();
        Self { shared, thread }
    }

    /// Returns what `act` returns. Waits for a load in progress, and none begins until then. Calls are not nested.
    pub fn quietly<T>(&self, act: impl FnOnce() -> T) -> T {
        self.shared.lock().is_quiet = true;
        drop(self.shared.wait_while(|state| state.is_loading));
        let result = act();
        self.shared.lock().is_quiet = false;
        self.shared.changed.notify_all();
        result
    }

    /// Returns the module of a key. If the thread has not loaded it, and does not load it now, returns what `load` returns.
    ///
    /// # Errors
    /// The same as `load`.
    pub fn take_or<E>(&self, key: &K, load: impl FnOnce() -> Result<M, E>) -> Result<M, E> {
        if let Some(module) = self.shared.take(key) {
            return Ok(module);
        }
        self.quietly(|| self.shared.take(key).map_or_else(load, Ok))
    }
}

impl<K: PartialEq, M> Shared<K, M> {
    fn lock(&self) -> MutexGuard<'_, State<K, M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, is_waiting: impl Fn(&State<K, M>) -> bool) -> MutexGuard<'_, State<K, M>> {
        self.changed.wait_while(self.lock(), |state| is_waiting(state)).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the module of a key if it is loaded. Else the thread will not begin to load it.
    fn take(&self, key: &K) -> Option<M> {
        let mut state = self.lock();
        state.waiting.retain(|waiting| waiting != key);
        let place = state.loaded.iter().position(|(loaded, _)| loaded == key)?;
        Some(state.loaded.swap_remove(place).1)
    }

    fn load_all(&self, load: impl Fn(&K) -> Option<M>) {
        loop {
            let mut state = self.wait_while(|state| state.is_quiet && !state.has_ended);
            let next = if state.has_ended { None } else { state.waiting.pop_front() };
            let Some(key) = next else { return };
            state.is_loading = true;
            drop(state);
            // cudarc panics if the driver lacks a function. The main thread would wait forever for the end of this load.
            let module = catch_unwind(AssertUnwindSafe(|| load(&key))).ok().flatten();
            let mut state = self.lock();
            state.is_loading = false;
            state.loaded.extend(module.map(|module| (key, module)));
            self.changed.notify_all();
        }
    }
}

impl<K, M> Drop for Ahead<K, M> {
    /// Waits for the load in progress: a driver whose process ends meanwhile may crash.
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It cannot panic, and nothing would be lost but modules.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
