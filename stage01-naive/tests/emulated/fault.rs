//! A kernel that faults, on the emulator: an error with the place, and no results.

use common::device::DeviceChoice;
use common::problem::Size;
use common::session::Session;
use common::stage::{Plan, Shape};
use stage_tests::turn;
use stage01_naive::COMPUTE_FORCES;

/// The prebuilt PTX with its first store moved a gigabyte away, beyond every array.
fn storing_elsewhere() -> String {
    let ptx = COMPUTE_FORCES.source.ptx();
    let store = ptx.find("st.global.f32").expect("the kernel stores floats");
    let bracket = store + ptx[store..].find(']').expect("a store has an address");
    format!("{}+1073741824{}", &ptx[..bracket], &ptx[bracket..])
}

#[test]
fn a_store_out_of_bounds_is_an_error_that_names_kernel_launch_and_place() {
    let plan = Plan::new(&COMPUTE_FORCES, Size::new(100), Shape::block(128)).unwrap();
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    session.replace_ptx(&COMPUTE_FORCES.source, storing_elsewhere());
    let error = session.verify(&plan).unwrap_err().to_string();
    for part in
        ["computeForces<<<1, 128>>>", "CUDA_ERROR_ILLEGAL_ADDRESS", "kernels/01_compute_forces.cu:", "st.global.f32"]
    {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
}
