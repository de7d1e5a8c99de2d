//! The C boundary: panics, and the messages of errors.
//!
//! Some tests call the crate that is linked into this program, because no argument makes a driver call panic.

use crate::support::{context, last_error, on_hardware};
use cudarc::driver::sys::{self, CUresult};
use emulator_driver::boundary::entry;
use emulator_driver::result::CUresult as Status;
use std::ffi::{CStr, c_char};
use std::ptr::null;

unsafe extern "C" {
    fn cuGetErrorName(error: u32, name: *mut *const c_char) -> u32;
    fn cuGetErrorString(error: u32, description: *mut *const c_char) -> u32;
    fn coalesced_last_error(buffer: *mut c_char, capacity: usize) -> usize;
}

#[test]
fn a_panic_becomes_unknown_and_its_text_is_kept() {
    assert_eq!(entry("cuTest", || panic!("stack {}", 3)), Status::UNKNOWN);
    let mut text = [0 as c_char; 200];
    // SAFETY: the array has the length that is passed, and the text is NUL-terminated.
    let text = unsafe {
        coalesced_last_error(text.as_mut_ptr(), text.len());
        CStr::from_ptr(text.as_ptr()).to_str().unwrap()
    };
    assert!(text.ends_with("not in the kernel: stack 3"), "{text}");
}

#[test]
fn an_error_without_a_message_clears_the_last_one() {
    let _context = context();
    if on_hardware() {
        return;
    }
    let mut host = [0_u8; 16];
    let address = host.as_mut_ptr().cast();
    let mut device = 0;
    // SAFETY: registration does not access the memory, and the output is valid for a write.
    unsafe {
        assert_eq!(sys::cuDeviceGet(&mut device, 99), CUresult::CUDA_ERROR_INVALID_DEVICE);
        assert!(last_error().contains("there is no device 99"), "{}", last_error());
        sys::cuMemHostRegister_v2(address, 16, 0).result().unwrap();
        assert!(last_error().contains("there is no device 99"), "a call that succeeds keeps the message");
        let again = sys::cuMemHostRegister_v2(address, 16, 0);
        assert_eq!(again, CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
        assert_eq!(last_error(), "");
        sys::cuMemHostUnregister(address).result().unwrap();
    }
}

#[test]
fn a_status_has_a_name_and_a_description() {
    type Query = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;
    let query = |function: Query, code: u32| {
        let mut text = null();
        // SAFETY: the output is valid for a write, and the text lives as long as the program.
        unsafe {
            let status = function(code, &mut text);
            assert_eq!(text.is_null(), status != 0);
            if text.is_null() { Err(status) } else { Ok(CStr::from_ptr(text).to_str().unwrap()) }
        }
    };
    assert_eq!(query(cuGetErrorName, 700), Ok("CUDA_ERROR_ILLEGAL_ADDRESS"));
    assert_eq!(query(cuGetErrorString, 0), Ok("no error"));
    assert_eq!(query(cuGetErrorName, 12345), Err(1));
    assert_eq!(query(cuGetErrorString, 12345), Err(1));
}
