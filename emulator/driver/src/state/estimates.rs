//! The estimates of each thread's launches.

use super::settings;
use emulator::{Kernel, Launch, Memory, MemoryError, Scene};
use predict::{MachineCode, Prediction, predict};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// The kernel and the shape of a launch. A later launch with the same takes about the same time.
type Kind = (String, [u32; 3], [u32; 3], u32);

thread_local! {
    static ESTIMATES: RefCell<Vec<(Kind, Prediction)>> = const { RefCell::new(Vec::new()) };
}

// A thread that is ending may still make calls. Their estimates are dropped, because nothing can query them any more.

/// The machine code of the kernels that are launched next.
static MACHINE_CODE: Mutex<Option<Arc<MachineCode>>> = Mutex::new(None);

/// Sets the machine code of later launches of all threads, by its compact listing; none if the text is empty or wrong.
pub(crate) fn set_machine_code(listing: &str) {
    let code = if listing.is_empty() { None } else { MachineCode::parse(listing).ok() };
    *MACHINE_CODE.lock().unwrap_or_else(PoisonError::into_inner) = code.map(Arc::new);
}

fn machine_code() -> Option<Arc<MachineCode>> {
    MACHINE_CODE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A launch to be estimated.
pub(crate) struct Estimated {
    kind: Kind,
    before: Before,
}

/// The basis of the estimate.
enum Before {
    /// One of the same kind, made since the last call of [`forget`].
    Known(Prediction),
    /// The launch with the memory before it.
    Launch(Box<Scene>),
}

/// Keeps what the estimate of a launch needs, before the launch changes the memory.
///
/// # Errors
/// [`MemoryError`] if another thread frees memory at the same time.
pub(crate) fn before(kernel: &Kernel, memory: &Memory, launch: &Launch<'_>) -> Result<Estimated, MemoryError> {
    let grid = launch.grid;
    let block = launch.block;
    let kind =
        (kernel.name().to_owned(), [grid.x, grid.y, grid.z], [block.x, block.y, block.z], launch.dynamic_shared_bytes);
    let known = |all: &RefCell<Vec<(Kind, Prediction)>>| {
        all.borrow().iter().find(|(other, _)| *other == kind).map(|(_, prediction)| prediction.clone())
    };
    let before = match ESTIMATES.try_with(known).ok().flatten() {
        Some(prediction) => Before::Known(prediction),
        None => Before::Launch(Box::new(Scene::before(kernel, memory, launch)?)),
    };
    Ok(Estimated { kind, before })
}

impl Estimated {
    /// Adds the estimate. The launch should have ended without a fault: an endless one has no estimate that ends.
    pub(crate) fn add(self) {
        let prediction = match self.before {
            Before::Known(prediction) => prediction,
            Before::Launch(scene) => predict(settings::estimated_gpu(), &scene, machine_code().as_deref()).into(),
        };
        let _ended = ESTIMATES.try_with(|all| all.borrow_mut().push((self.kind, prediction)));
    }
}

/// Returns the estimates since the last call of [`forget`], as a JSON array.
pub(crate) fn text() -> Option<String> {
    let list = |all: &RefCell<Vec<(Kind, Prediction)>>| {
        let all = all.borrow();
        let predictions: Vec<&Prediction> = all.iter().map(|(_, prediction)| prediction).collect();
        serde_json::to_string(&predictions).ok()
    };
    ESTIMATES.try_with(list).ok().flatten()
}

/// Removes all estimates.
pub(crate) fn forget() {
    let _ended = ESTIMATES.try_with(|all| all.borrow_mut().clear());
}
