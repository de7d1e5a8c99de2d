//! The C boundary: `api!` defines every C function, and [`entry`] runs its body.

use crate::report;
use crate::result::{NcclResult, Outcome};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of the call `name`. A panic becomes `ncclInternalError`. The message of an error is printed, and stored for
/// `ncclGetLastError`.
pub fn entry(name: &str, body: impl FnOnce() -> Outcome) -> NcclResult {
    let panicked = |payload: Box<dyn Any + Send>| Err(NcclResult::INTERNAL_ERROR.because(panic_text(&*payload)));
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(panicked) {
        Ok(()) => NcclResult::SUCCESS,
        Err(error) => {
            report::warn(name, &error);
            error.code
        }
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("the emulated NCCL panicked, which is a bug in it: {text}")
}

/// Defines C functions of the API, exported under their own names and run by [`entry`]. A body is an
/// [`Outcome`](crate::result::Outcome) over the arguments.
macro_rules! api {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// The arguments are as NCCL's API documents them; see [`arguments`](crate::arguments).
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $kind),*) -> $crate::result::NcclResult {
                $crate::boundary::entry(stringify!($name), || $body)
            }
        )*
    };
}
pub(crate) use api;
