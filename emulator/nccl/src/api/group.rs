//! Groups of calls.

use crate::boundary::api;
use crate::group;

api! {
    /// Opens a group, which defers the calls of this thread to its end.
    fn ncclGroupStart() {
        group::start()
    }

    /// Closes a group. The outermost one runs its calls.
    fn ncclGroupEnd() {
        group::end()
    }
}
