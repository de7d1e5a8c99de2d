//! The C boundary. These tests call the crate that is linked into this program, because no argument makes a call panic.

use emulator_nccl::boundary::entry;
use emulator_nccl::result::NcclResult;
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    fn ncclGetLastError(communicator: usize) -> *const c_char;
}

#[test]
fn a_panic_becomes_an_internal_error_and_its_text_is_kept() {
    assert_eq!(entry("ncclTest", || panic!("stack {}", 3)), NcclResult::INTERNAL_ERROR);
    // SAFETY: the text is NUL-terminated and never freed.
    let text = unsafe { CStr::from_ptr(ncclGetLastError(0)) }.to_str().unwrap();
    assert!(text.ends_with("which is a bug in it: stack 3"), "{text}");
}
