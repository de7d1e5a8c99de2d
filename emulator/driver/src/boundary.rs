//! The C boundary: `api!` defines every C function, and [`entry`] runs its body.

use crate::result::{CUresult, Outcome};
use crate::state::{report, settings};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of the driver call `name`. A panic becomes `CUDA_ERROR_UNKNOWN`. The detail of an error is stored for
/// [`coalesced_last_error`](crate::api::extensions::coalesced_last_error).
pub fn entry(name: &str, body: impl FnOnce() -> Outcome) -> CUresult {
    let panicked = |payload: Box<dyn Any + Send>| Err(CUresult::UNKNOWN.because(panic_text(payload.as_ref())));
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(panicked) {
        Ok(()) => CUresult::SUCCESS,
        Err(error) => {
            settings::log_failure(name, &error);
            report::set_last_error(error.detail);
            error.code
        }
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    format!("the emulator panicked, which is a bug in it and not in the kernel: {text}")
}

/// Defines C functions of the driver API: exported under their own names, run by [`entry`], and listed in the module's
/// `symbol` function for `cuGetProcAddress`. A body is an [`Outcome`] over the arguments. Names after `|` are of functions with
/// the same arguments and body.
macro_rules! api {
    ($($(#[$attribute:meta])* fn $name:ident $arguments:tt $(| $other:ident)* $body:block)*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// The arguments are as the CUDA driver API documents them; see [`arguments`](crate::arguments).
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name $arguments -> $crate::result::CUresult {
                $crate::boundary::entry(stringify!($name), || $body)
            }

            $(
                #[doc = concat!("The same as [`", stringify!($name), "`].")]
                ///
                /// # Safety
                /// As for that function.
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn $other $arguments -> $crate::result::CUresult {
                    $crate::boundary::entry(stringify!($other), || $body)
                }
            )*
        )*

        /// Returns the address of this module's function `name`.
        pub(crate) fn symbol(name: &str) -> Option<*mut std::ffi::c_void> {
            $(
                if name == stringify!($name) {
                    return Some($name as *const () as *mut std::ffi::c_void);
                }
                $(
                    if name == stringify!($other) {
                        return Some($other as *const () as *mut std::ffi::c_void);
                    }
                )*
            )*
            None
        }
    };
}
pub(crate) use api;
