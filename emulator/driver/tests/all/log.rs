//! The log of failed calls on standard error, for programs that do not query the reasons.

use cudarc::driver::sys::{self, CUresult};
use std::process::Command;
use std::ptr::null_mut;

/// Runs the test with the failing call in a new process and returns its standard error.
fn errors(log: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "log::a_call_that_fails", "--nocapture"]).env_remove("COALESCED_EMULATOR_LOG");
    command.envs(log.map(|value| ("COALESCED_EMULATOR_LOG", value)));
    let output = command.output().unwrap();
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_call_that_fails() {
    let _context = crate::support::context();
    let mut module = null_mut();
    // SAFETY: the output is valid for a write, and the text is NUL-terminated.
    let code = unsafe { sys::cuModuleLoadData(&mut module, c"not PTX".as_ptr().cast()) };
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_IMAGE);
}

#[test]
fn failed_calls_are_logged_on_request() {
    if crate::support::on_hardware() {
        return;
    }
    let line = "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE: the image is not PTX: it does not begin with .version\n";
    assert!(errors(Some("1")).contains(line));
    assert!(!errors(Some("")).contains("cuModuleLoadData"));
    assert!(!errors(None).contains("cuModuleLoadData"));
}
