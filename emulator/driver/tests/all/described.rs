//! Devices that the environment describes.

use crate::support::process::own_process;
use crate::support::{FAULTS, KERNELS, install, last_error, module, on_hardware, shape, status};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::process::Command;
use std::sync::Arc;

fn device(ordinal: usize) -> Arc<CudaContext> {
    install();
    CudaContext::new(ordinal).unwrap_or_else(|error| panic!("{error}: {}", last_error()))
}

/// Returns the status of loading PTX of this version and target.
fn load(context: &Arc<CudaContext>, version: &str, target: &str) -> CUresult {
    let ptx = format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n");
    status(context.load_module(Ptx::from_src(ptx)))
}

#[test]
fn two_devices_differ_as_described() {
    own_process!(
        "COALESCED_DEVICE_PROPERTIES" = "capability=7.5,memory=4096,multiprocessors=14; capability=8.6,memory=64"
    );
    if on_hardware() {
        return;
    }
    let [first, second] = [0, 1].map(device);
    assert_eq!(CudaContext::device_count(), Ok(2));
    let of = |attribute| [&first, &second].map(|device| device.attribute(attribute).unwrap());
    assert_eq!([&first, &second].map(|device| device.compute_capability().unwrap()), [(7, 5), (8, 6)]);
    assert_eq!(of(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), [14, 132]);
    assert_eq!(of(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), [1024, 1536]);
    assert_eq!(of(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), [64 << 10, 99 << 10]);
    assert_eq!(of(Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT), [0, 0]);
    assert_eq!([&first, &second].map(|device| device.total_mem().unwrap()), [4 << 30, 64 << 20]);
    // in MiB, of which the second device has 64
    for (device, mebibytes, expected) in [
        (&first, 65, CUresult::CUDA_SUCCESS),
        (&second, 64, CUresult::CUDA_SUCCESS),
        (&second, 65, CUresult::CUDA_ERROR_OUT_OF_MEMORY),
    ] {
        // SAFETY: the memory is not read.
        assert_eq!(status(unsafe { device.default_stream().alloc::<u8>(mebibytes << 20) }), expected);
    }
}

#[test]
fn a_device_loads_what_it_and_its_driver_are_new_enough_for() {
    own_process!("COALESCED_DEVICE_PROPERTIES" = "capability=7.5,driver=12.1;capability=9.0;capability=12.0");
    if on_hardware() {
        return;
    }
    let [turing, hopper, blackwell] = [0, 1, 2].map(device);
    let mut version = 0;
    // SAFETY: the output is valid for a write.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().unwrap();
    assert_eq!(version, 12010);
    let refused = CUresult::CUDA_ERROR_INVALID_PTX;
    assert_eq!(load(&turing, "8.1", "sm_75"), CUresult::CUDA_SUCCESS);
    assert_eq!(load(&turing, "8.2", "sm_75"), CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_eq!(load(&turing, "8.1", "sm_80"), refused);
    assert!(last_error().contains("the PTX is for sm_80; the emulated device is sm_75"), "{}", last_error());
    assert_eq!(load(&hopper, "8.1", "sm_90a"), CUresult::CUDA_SUCCESS);
    assert_eq!(load(&blackwell, "8.1", "sm_90"), CUresult::CUDA_SUCCESS);
    assert_eq!(load(&blackwell, "8.1", "sm_90a"), refused);
    assert!(last_error().contains("for sm_90a alone; the emulated device is sm_120"), "{}", last_error());
}

#[test]
fn resident_blocks_are_those_of_the_chip() {
    own_process!("COALESCED_DEVICE_PROPERTIES" = "capability=7.5,multiprocessors=2");
    if on_hardware() {
        return;
    }
    let context = device(0);
    let kernel = module(&context, KERNELS).load_function("scale").unwrap();
    // 1024 threads, 16 blocks and 64 KiB for each multiprocessor
    let blocks = |threads, bytes| kernel.occupancy_max_active_blocks_per_multiprocessor(threads, bytes, None).unwrap();
    assert_eq!([blocks(256, 0), blocks(32, 0), blocks(32, 16 << 10)], [4, 16, 4]);
    let address = 0_u64;
    let launch = |blocks| {
        let stream = context.default_stream();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&address).arg(&address).arg(&2.0_f32).arg(&0_u32);
        // SAFETY: no thread has an element to access.
        status(unsafe { launch.launch_cooperative(shape(blocks, 256, 0)) })
    };
    assert_eq!(launch(8), CUresult::CUDA_SUCCESS);
    assert_eq!(launch(9), CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

#[test]
fn a_display_ends_a_long_launch() {
    own_process!("COALESCED_DEVICE_PROPERTIES" = "time-limit=10000");
    if on_hardware() {
        return;
    }
    let context = device(0);
    assert_eq!(context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT), Ok(1));
    let kernel = module(&context, FAULTS).load_function("never_end").unwrap();
    let stream = context.default_stream();
    // SAFETY: the kernel accesses no memory.
    unsafe { stream.launch_builder(&kernel).launch(LaunchConfig::for_num_elems(1)) }.map(drop).unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_LAUNCH_TIMEOUT);
}

/// The part of the next test that runs in a process for each description.
#[test]
fn cu_init_in_a_new_process() {
    if std::env::var_os("COALESCED_TEST_CHILD").is_some() {
        install();
        println!("{:?}: {}", status(cudarc::driver::result::init()), last_error());
    }
}

#[test]
fn a_wrong_description_is_an_error_that_explains_the_variable() {
    let init = |description: &str| {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", "described::cu_init_in_a_new_process", "--nocapture"]);
        program.env("COALESCED_TEST_CHILD", "1").env("COALESCED_DEVICE_PROPERTIES", description);
        String::from_utf8(program.env("COALESCED_DEVICES", "2").output().unwrap().stdout).unwrap()
    };
    for (wrong, reason) in [
        ("capability=7.4", "capability must be one of 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 12.0"),
        ("memory=0", "memory must be a number from 1 to 1048576"),
        ("memory", "`memory` has no value"),
        ("colour=red", "there is no property `colour`"),
        ("driver=11.8", "driver must be a CUDA version from 12.0 to 13.9"),
        (";driver=12.1", "all devices have one driver"),
        (";;", "3 devices, and COALESCED_DEVICES is 2"),
    ] {
        let printed = init(wrong);
        let expected = format!("CUDA_ERROR_INVALID_VALUE: COALESCED_DEVICE_PROPERTIES is `{wrong}`: {reason}; write");
        assert!(on_hardware() || printed.contains(&expected), "{printed}");
    }
    for right in ["", "capability=8.9", "memory=4096, time-limit=5;"] {
        assert!(init(right).contains("CUDA_SUCCESS"), "{}", init(right));
    }
}
