//! What a thread can ask about its last failure and its last launch.

use super::order::Transferred;
use emulator::{Counters, Diagnosis, Scene};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

thread_local! {
    static LAST_ERROR: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
    static FINDINGS: RefCell<Vec<Diagnosis>> = const { RefCell::new(Vec::new()) };
    static SCENES: RefCell<Vec<Scene>> = const { RefCell::new(Vec::new()) };
    static TRANSFERS: RefCell<Option<String>> = const { RefCell::new(None) };
    static LAST_COUNTERS: Cell<Option<Counters>> = const { Cell::new(None) };
}

// A thread that is ending may still make calls. What they report is lost, and nobody can ask for it.

/// Keeps the text of a call that failed; `None` if it has none, so that older text is not taken for it.
pub(crate) fn set_last_error(detail: Option<Arc<str>>) {
    let _ended = LAST_ERROR.try_with(|last| *last.borrow_mut() = detail);
}

/// Returns the text of the last call that failed, empty if it has none.
pub(crate) fn last_error() -> Arc<str> {
    LAST_ERROR.try_with(|last| last.borrow().clone()).ok().flatten().unwrap_or_default()
}

/// Keeps the counters of a launch; `None` if they were off.
pub(crate) fn set_last_counters(counters: Option<Counters>) {
    let _ended = LAST_COUNTERS.try_with(|last| last.set(counters));
}

/// Returns the counters of the last launch.
pub(crate) fn last_counters() -> Option<Counters> {
    LAST_COUNTERS.try_with(Cell::get).ok().flatten()
}

/// Adds what a checked launch did wrong.
pub(crate) fn add_findings(findings: Vec<Diagnosis>) {
    let _ended = FINDINGS.try_with(|all| all.borrow_mut().extend(findings));
}

/// Returns what was found and not yet forgotten.
pub(crate) fn findings() -> Vec<Diagnosis> {
    FINDINGS.try_with(|all| all.borrow().clone()).unwrap_or_default()
}

/// Forgets what was found.
pub(crate) fn forget_findings() {
    let _ended = FINDINGS.try_with(|all| all.borrow_mut().clear());
}

/// Adds a launch that was kept.
pub(crate) fn add_scene(scene: Scene) {
    let _ended = SCENES.try_with(|all| all.borrow_mut().push(scene));
}

/// Returns the launches that were kept and not yet forgotten, as a JSON array.
pub(crate) fn scenes() -> Option<String> {
    SCENES.try_with(|all| serde_json::to_string(&*all.borrow()).ok()).ok().flatten()
}

/// Forgets the launches that were kept.
pub(crate) fn forget_scenes() {
    let _ended = SCENES.try_with(|all| all.borrow_mut().clear());
}

/// Returns what `take` takes as a JSON array, or what it took before, until that is forgotten.
pub(crate) fn transfers(take: impl FnOnce() -> Vec<Transferred>) -> String {
    let text = || serde_json::to_string(&take()).unwrap_or_default();
    TRANSFERS.try_with(|taken| taken.borrow_mut().get_or_insert_with(text).clone()).unwrap_or_default()
}

/// Forgets it.
pub(crate) fn forget_transfers() {
    let _ended = TRANSFERS.try_with(|taken| taken.borrow_mut().take());
}
