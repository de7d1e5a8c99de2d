//! An edited kernel: compiled at run time, with errors in its own lines. Needs NVRTC and a device (or the emulator).

use common::device::DeviceChoice;
use common::kernel::KernelSource;
use common::problem::Size;
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use stage_tests::turn;
use stage01_naive::COMPUTE_FORCES;
use std::path::PathBuf;

/// The rung with its source file replaced by `edit` of it.
fn edited(name: &str, edit: impl Fn(&str) -> String) -> (Rung, PathBuf) {
    let folder = std::env::temp_dir().join(format!("coalesced-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("kernels")).unwrap();
    let source = KernelSource { crate_folder: folder.to_str().unwrap().to_owned().leak(), ..COMPUTE_FORCES.source };
    std::fs::write(source.path(), edit(source.text)).unwrap();
    (Rung { source, ..COMPUTE_FORCES }, folder)
}

fn plan(rung: &Rung) -> Plan<'_> {
    Plan::new(rung, Size::new(1000), Shape::block(128)).unwrap()
}

#[test]
#[ignore = "needs NVRTC"]
fn an_edited_kernel_is_compiled_and_still_right() {
    let (rung, folder) = edited("same", |text| format!("{text}\n// a remark\n"));
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    let outcome = session.run(&plan(&rung), 1).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(outcome.code.starts_with("NVRTC "), "{}", outcome.code);
    assert!(outcome.report.passed(), "{:?}", outcome.report);
}

#[test]
#[ignore = "needs NVRTC"]
fn an_edit_that_leaves_a_source_out_fails_the_check() {
    let (rung, folder) = edited("short", |text| text.replace("j < n", "j < n - 1"));
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    let report = session.verify(&plan(&rung)).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(!report.passed());
}

#[test]
#[ignore = "needs NVRTC"]
fn an_edit_that_does_not_compile_is_reported_with_its_line() {
    let (rung, folder) = edited("wrong", |text| text.replacen("return;", "retrun;", 1));
    let line = 1 + COMPUTE_FORCES.source.text.lines().position(|line| line.contains("return;")).unwrap();
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None).unwrap();
    let error = session.verify(&plan(&rung)).unwrap_err().to_string();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(error.contains(&format!("kernels/01_compute_forces.cu({line})")), "{error}");
    assert!(error.contains("retrun"), "{error}");
}
