//! Groups of calls.

use crate::boundary::api;
use crate::group;

api! {
    /// Opens a group: calls of this thread wait for its end.
    fn ncclGroupStart() {
        group::start()
    }

    /// Closes a group; the outermost one does what was called in it.
    fn ncclGroupEnd() {
        group::end()
    }
}
