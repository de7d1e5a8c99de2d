//! The last failure of each thread, and the counters, findings and scenes of its launches.

use super::{printed_findings, settings};
use emulator::{Counters, Diagnosis, Sample, Scene};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

thread_local! {
    static LAST_ERROR: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
    static FINDINGS: RefCell<Vec<Diagnosis>> = const { RefCell::new(Vec::new()) };
    static SCENES: RefCell<Vec<Scene>> = const { RefCell::new(Vec::new()) };
    static SAMPLES: RefCell<Vec<(String, Option<Sample>)>> = const { RefCell::new(Vec::new()) };
    static LAST_COUNTERS: Cell<Option<Counters>> = const { Cell::new(None) };
}

// A thread that is ending may still make calls. Their reports are dropped, because nothing can query them any more.

/// Stores the detail of a failed call. `None` clears an older one, which would be mistaken for it.
pub(crate) fn set_last_error(detail: Option<Arc<str>>) {
    let _ended = LAST_ERROR.try_with(|last| *last.borrow_mut() = detail);
}

/// Returns the detail of the last failed call, empty if it has none.
pub(crate) fn last_error() -> Arc<str> {
    LAST_ERROR.try_with(|last| last.borrow().clone()).ok().flatten().unwrap_or_default()
}

/// Stores the counters of a launch, `None` if they were off.
pub(crate) fn set_last_counters(counters: Option<Counters>) {
    let _ended = LAST_COUNTERS.try_with(|last| last.set(counters));
}

/// Returns the counters of the last launch.
pub(crate) fn last_counters() -> Option<Counters> {
    LAST_COUNTERS.try_with(Cell::get).ok().flatten()
}

/// Adds the part of a kernel's launch that ran, `None` if it did not run.
pub(crate) fn add_sample(kernel: &str, sample: Option<Sample>) {
    let _ended = SAMPLES.try_with(|all| all.borrow_mut().push((kernel.to_owned(), sample)));
}

/// Returns the samples since the last call of [`forget_samples`].
pub(crate) fn samples() -> Vec<(String, Option<Sample>)> {
    SAMPLES.try_with(|all| all.borrow().clone()).unwrap_or_default()
}

/// Removes all samples.
pub(crate) fn forget_samples() {
    let _ended = SAMPLES.try_with(|all| all.borrow_mut().clear());
}

/// Adds the findings of a checked launch.
pub(crate) fn add_findings(findings: Vec<Diagnosis>) {
    if settings::prints_findings() {
        findings.iter().for_each(printed_findings::print);
    }
    let _ended = FINDINGS.try_with(|all| all.borrow_mut().extend(findings));
}

/// Returns the findings since the last call of [`forget_findings`].
pub(crate) fn findings() -> Vec<Diagnosis> {
    FINDINGS.try_with(|all| all.borrow().clone()).unwrap_or_default()
}

/// Removes all findings. Later ones are reported even if they have been before.
pub(crate) fn forget_findings() {
    if let Ok(driver) = super::driver() {
        driver.order.forget_reported();
    }
    let _ended = FINDINGS.try_with(|all| all.borrow_mut().clear());
}

/// Adds a recorded launch.
pub(crate) fn add_scene(scene: Scene) {
    let _ended = SCENES.try_with(|all| all.borrow_mut().push(scene));
}

/// Returns the recorded launches since the last call of [`forget_scenes`], as a JSON array.
pub(crate) fn scenes() -> Option<String> {
    SCENES.try_with(|all| Scene::all_to_json(&all.borrow()).ok()).ok().flatten()
}

/// Removes all recorded launches.
pub(crate) fn forget_scenes() {
    let _ended = SCENES.try_with(|all| all.borrow_mut().clear());
}
