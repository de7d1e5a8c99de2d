//! The names of status codes, and the profiler's switches.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, invalid};
use crate::state::current::current;
use std::ffi::{CStr, c_char};

fn set_text(target: Out<*const c_char>, text: Option<&'static CStr>) -> Result<(), crate::result::Error> {
    target.set(text.map_or(std::ptr::null(), CStr::as_ptr))?;
    text.map(drop).ok_or_else(|| invalid("the number is not a status code"))
}

api! {
    /// Writes the C name of a status code, null for an unknown number.
    fn cuGetErrorName(error: CUresult, name: Out<*const c_char>) {
        set_text(name, error.name())
    }

    /// Writes a description of a status code, null for an unknown number. The cause of a failure is available from
    /// [`coalesced_last_error`](super::extensions::coalesced_last_error).
    fn cuGetErrorString(error: CUresult, description: Out<*const c_char>) {
        set_text(description, error.description())
    }

    /// Does nothing, because there is no profiler. Counters are available from
    /// [`coalesced_last_counters`](super::extensions::coalesced_last_counters).
    fn cuProfilerStart() | cuProfilerStop {
        current().map(drop)
    }
}
