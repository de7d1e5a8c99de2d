//! The way in and out: every C function of the driver API is defined by [`api!`] and runs inside [`entry`].

use crate::result::{CUresult, Outcome};
use crate::state::{report, settings};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of the driver call `name`. A panic becomes `CUDA_ERROR_UNKNOWN`; what an error has to tell is kept for
/// [`coalesced_last_error`](crate::api::extensions::coalesced_last_error).
pub(crate) fn entry(name: &str, body: impl FnOnce() -> Outcome) -> CUresult {
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
    format!("the emulator failed, which is a defect of its own and not of the kernel: {text}")
}

/// Defines C functions of the driver API: exported under their own names, run by [`entry`], and listed in `symbol` of
/// the module for `cuGetProcAddress`. A body is an [`Outcome`] over the arguments.
macro_rules! api {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$attribute])*
            ///
            /// # Safety
            /// The arguments are as the CUDA driver API documents them; see [`arguments`](crate::arguments).
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $kind),*) -> $crate::result::CUresult {
                $crate::boundary::entry(stringify!($name), || $body)
            }
        )*

        /// Returns the address of the function of this module that is called `name`.
        pub(crate) fn symbol(name: &str) -> Option<*mut std::ffi::c_void> {
            $(
                if name == stringify!($name) {
                    return Some($name as *const () as *mut std::ffi::c_void);
                }
            )*
            None
        }
    };
}
pub(crate) use api;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_unknown_and_its_text_is_kept() {
        assert_eq!(entry("cuTest", || panic!("stack {}", 3)), CUresult::UNKNOWN);
        assert!(report::last_error().ends_with("not of the kernel: stack 3"));
    }

    #[test]
    fn an_error_without_detail_leaves_no_older_text() {
        assert_eq!(entry("cuTest", || Err(CUresult::NOT_FOUND.because("k"))), CUresult::NOT_FOUND);
        assert_eq!(entry("cuTest", || Ok(())), CUresult::SUCCESS);
        assert_eq!(&*report::last_error(), "k");
        assert_eq!(entry("cuTest", || Err(CUresult::NOT_FOUND.into())), CUresult::NOT_FOUND);
        assert_eq!(&*report::last_error(), "");
    }
}
