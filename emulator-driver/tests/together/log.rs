//! Programs that do not ask for reasons get them on standard error, if the environment says so.

use cudarc::driver::sys::{self, CUresult};
use std::process::Command;
use std::ptr::null_mut;

/// Runs the test that fails in a process of its own and returns what that wrote to standard error.
fn errors(log: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "together::log::a_call_that_fails", "--nocapture"]).env_remove("COALESCED_EMULATOR_LOG");
    command.envs(log.map(|value| ("COALESCED_EMULATOR_LOG", value)));
    let output = command.output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_call_that_fails() {
    let _context = crate::support::context();
    let mut module = null_mut();
    // SAFETY: the output is valid for a write, and the text ends with NUL.
    let code = unsafe { sys::cuModuleLoadData(&mut module, c"no PTX".as_ptr().cast()) };
    assert_eq!(code, CUresult::CUDA_ERROR_INVALID_IMAGE);
}

#[test]
fn failed_calls_are_told_where_the_environment_asks_for_it() {
    if crate::support::on_hardware() {
        return;
    }
    let line = "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE: the image is no PTX text: it lacks .version\n";
    assert!(errors(Some("1")).contains(line));
    assert!(!errors(Some("")).contains("cuModuleLoadData"));
    assert!(!errors(None).contains("cuModuleLoadData"));
}
