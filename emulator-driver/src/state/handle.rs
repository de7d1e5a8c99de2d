//! Handles and the tables that they are looked up in.

use super::lock;
use crate::result::{CUresult, Outcome};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Names an object to the C caller, who sees it as a pointer: a number that is never used twice, whatever its kind.
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

    /// Above the handles that CUDA defines itself, such as the legacy stream.
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
    /// What an error message calls it.
    const NOUN: &str;
    /// The status for a handle that names none.
    const UNKNOWN: CUresult = CUresult::INVALID_HANDLE;
}

/// The living objects of one kind.
pub(crate) struct Table<Kind>(Mutex<HashMap<usize, Arc<Kind>>>);

impl<Kind> Default for Table<Kind> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Kind: Object> Table<Kind> {
    /// Takes in an object and returns its handle.
    pub(crate) fn insert(&self, object: Kind) -> Handle<Kind> {
        let handle = Handle::fresh();
        lock(&self.0).insert(handle.number(), Arc::new(object));
        handle
    }

    /// Returns the object, `None` if the handle names none.
    pub(crate) fn find(&self, handle: Handle<Kind>) -> Option<Arc<Kind>> {
        lock(&self.0).get(&handle.number()).cloned()
    }

    /// Returns an object that fits.
    pub(crate) fn find_first(&self, fits: impl Fn(&Kind) -> bool) -> Option<Arc<Kind>> {
        lock(&self.0).values().find(|object| fits(object)).cloned()
    }

    /// Returns the object; fails if the handle names none.
    pub(crate) fn get(&self, handle: Handle<Kind>) -> Outcome<Arc<Kind>> {
        self.find(handle).ok_or_else(|| unknown(handle))
    }

    /// Takes the object out, so that its handle names nothing any more; fails if it names nothing already.
    pub(crate) fn remove(&self, handle: Handle<Kind>) -> Outcome<Arc<Kind>> {
        lock(&self.0).remove(&handle.number()).ok_or_else(|| unknown(handle))
    }

    /// Returns the handle of an object that fits, `None` if none does.
    pub(crate) fn position(&self, fits: impl Fn(&Kind) -> bool) -> Option<Handle<Kind>> {
        let objects = lock(&self.0);
        objects.iter().find(|(_, object)| fits(object)).map(|(&number, _)| Handle::from_number(number))
    }

    /// Calls `act` with every object.
    pub(crate) fn for_each(&self, act: impl FnMut(&Arc<Kind>)) {
        lock(&self.0).values().for_each(act);
    }

    /// Takes out every object that fits.
    pub(crate) fn remove_all(&self, fits: impl Fn(&Kind) -> bool) {
        lock(&self.0).retain(|_, object| !fits(object));
    }
}

fn unknown<Kind: Object>(handle: Handle<Kind>) -> crate::result::Error {
    let noun = Kind::NOUN;
    Kind::UNKNOWN.because(format!("{handle:?} is no {noun}: it was destroyed or is no handle of a {noun}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Cup;

    impl Object for Cup {
        const NOUN: &str = "cup";
    }

    #[test]
    fn a_removed_handle_names_nothing_and_is_not_used_again() {
        let table = Table::default();
        let first = table.insert(Cup);
        assert!(table.remove(first).is_ok());
        assert_eq!(table.remove(first).unwrap_err().code, CUresult::INVALID_HANDLE);
        assert_ne!(table.insert(Cup), first);
        assert!(table.find(first).is_none());
    }
}
