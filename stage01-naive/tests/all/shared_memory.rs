//! Dynamic shared memory beyond the 48 KB that every block has.

use common::device::DeviceChoice;
use common::problem::Size;
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use common::verify::Report;
use stage_tests::turn;
use stage01_naive::COMPUTE_FORCES;

/// A kernel that leaves its dynamic shared memory alone, with this much of it for blocks of 1024.
fn verify(bytes_per_thread: u32) -> Result<Report, common::Error> {
    let rung = Rung { shared_bytes_per_thread: bytes_per_thread, ..COMPUTE_FORCES };
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Auto, None)?;
    session.verify(&Plan::new(&rung, Size::new(100), Shape::block(1024))?)
}

#[test]
fn up_to_48_kb_and_64_kb_are_given() {
    for bytes_per_thread in [48, 64] {
        let report = verify(bytes_per_thread).unwrap();
        assert!(report.passed(), "{bytes_per_thread}: {report:?}");
    }
}

#[test]
fn what_no_block_can_have_is_an_error_that_names_kernel_and_bytes() {
    let error = verify(1024).unwrap_err().to_string();
    assert!(error.contains("computeForces") && error.contains("1048576 bytes"), "{error}");
}
