//! The environment variable that turns the checks on for a program that does not know the emulator.

use crate::support::{FAULTS, context, on_hardware, store};
use cudarc::driver::sys;
use std::process::Command;

/// A copy that overwrites what another stream reads, several times, and a kernel that reaches past its buffer.
#[test]
fn a_program_with_mistakes() {
    let context = context();
    // SAFETY: the emulator runs work when it is submitted.
    unsafe { context.disable_event_tracking() };
    let [first, second] = [(); 2].map(|()| context.new_stream().unwrap());
    let source = first.clone_htod(&[1_u32; 64]).unwrap();
    let mut target = first.clone_htod(&[1_u32; 64]).unwrap();
    context.synchronize().unwrap();
    for _ in 0..5 {
        first.memcpy_dtod(&source, &mut target).unwrap();
        second.memset_zeros(&mut target).unwrap();
    }
    let kernel = crate::support::function(&context, FAULTS, "store");
    let mut address = 0;
    // SAFETY: the output is valid for a write.
    unsafe { sys::cuMemAlloc_v2(&mut address, 64) }.result().unwrap();
    store(&first, &kernel, address + 64).unwrap();
    std::mem::forget((source, target));
}

/// Returns the exit status and the standard error of [`a_program_with_mistakes`].
fn run(checks: Option<&str>) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["checked_program::a_program_with_mistakes", "--exact", "--nocapture"]);
    command.env_remove("COALESCED_CHECKS").envs(checks.map(|value| ("COALESCED_CHECKS", value)));
    let output = command.output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_environment_variable_prints_findings_and_leaves_the_exit_status() {
    if on_hardware() {
        return;
    }
    let (success, errors) = run(Some("1"));
    assert!(success, "{errors}");
    assert!(errors.contains("coalesced: checks are on"), "{errors}");
    let race = "coalesced: racecheck: race between streams: memset number 1 on stream 2 writes what copy on the device";
    assert_eq!(errors.matches("race between streams: memset").count(), 1, "{errors}");
    assert!(errors.contains(race), "{errors}");
    assert!(errors.contains("coalesced: memcheck: ") && errors.contains("st.global"), "{errors}");
    for checks in [None, Some("")] {
        let (success, errors) = run(checks);
        assert!(success && !errors.contains("coalesced: "), "{errors}");
    }
}
