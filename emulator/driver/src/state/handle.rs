//! Handles, and the tables in which they are looked up.

use super::lock;
use crate::result::{CUresult, Outcome};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// The handle of an object, a pointer to the C caller. No number is used twice, whatever the kind of object.
#[repr(transparent)]
pub struct Handle<Kind>(usize, PhantomData<fn() -> Kind>);

impl<Kind> Handle<Kind> {
    /// The null handle.
    pub(crate) const NULL: Self = Self::from_number(0);

    pub(crate) const fn from_number(number: usize) -> Self {
        Self(number, PhantomData)
    }

    pub(crate) fn number(self) -> usize {
        self.0
    }

    /// Returns an unused number above the handles that CUDA predefines, such as the legacy default stream.
    fn fresh() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0x1000);
        Self::from_number(NEXT.fetch_add(0x10, Relaxed))
    }
}

impl<Kind> Clone for Handle<Kind> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Kind> Copy for Handle<Kind> {}

impl<Kind> PartialEq for Handle<Kind> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<Kind> Eq for Handle<Kind> {}

impl<Kind> fmt::Debug for Handle<Kind> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:#x}", self.0)
    }
}

/// A kind of object that has handles.
pub(crate) trait Object {
    /// The noun for this kind in error messages.
    const NOUN: &str;
    /// The status for an unknown handle.
    const UNKNOWN: CUresult = CUresult::INVALID_HANDLE;
}

/// The live objects of one kind.
pub(crate) struct Table<Kind>(Mutex<HashMap<usize, Arc<Kind>>>);

impl<Kind> Default for Table<Kind> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Kind: Object> Table<Kind> {
    /// Inserts an object and returns its handle.
    pub(crate) fn insert(&self, object: Kind) -> Handle<Kind> {
        let handle = Handle::fresh();
        lock(&self.0).insert(handle.number(), Arc::new(object));
        handle
    }

    /// Returns the object, `None` if the handle is unknown.
    pub(crate) fn find(&self, handle: Handle<Kind>) -> Option<Arc<Kind>> {
        lock(&self.0).get(&handle.number()).cloned()
    }

    /// Returns an object for which `matches` holds, `None` if there is none.
    pub(crate) fn find_first(&self, matches: impl Fn(&Kind) -> bool) -> Option<Arc<Kind>> {
        lock(&self.0).values().find(|object| matches(object)).cloned()
    }

    /// Returns the object. Fails if the handle is unknown.
    pub(crate) fn get(&self, handle: Handle<Kind>) -> Outcome<Arc<Kind>> {
        self.find(handle).ok_or_else(|| unknown(handle))
    }

    /// Removes the object and returns it. Fails if the handle is unknown.
    pub(crate) fn remove(&self, handle: Handle<Kind>) -> Outcome<Arc<Kind>> {
        lock(&self.0).remove(&handle.number()).ok_or_else(|| unknown(handle))
    }

    /// Returns the handle of an object for which `matches` holds, `None` if there is none.
    pub(crate) fn position(&self, matches: impl Fn(&Kind) -> bool) -> Option<Handle<Kind>> {
        let objects = lock(&self.0);
        objects.iter().find(|(_, object)| matches(object)).map(|(&number, _)| Handle::from_number(number))
    }

    /// Calls `act` for every object.
    pub(crate) fn for_each(&self, act: impl FnMut(&Arc<Kind>)) {
        lock(&self.0).values().for_each(act);
    }

    /// Removes every object for which `matches` holds.
    pub(crate) fn remove_all(&self, matches: impl Fn(&Kind) -> bool) {
        lock(&self.0).retain(|_, object| !matches(object));
    }
}

fn unknown<Kind: Object>(handle: Handle<Kind>) -> crate::result::Error {
    let noun = Kind::NOUN;
    Kind::UNKNOWN.because(format!("{handle:?} is not the handle of a live {noun}: it was destroyed or never created"))
}
