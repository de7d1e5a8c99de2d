//! Cooperative launches: all blocks are resident at the same time and can wait for each other.

use crate::support::process::own_process;
use crate::support::{context, function, last_error, on_hardware, set, shape, status, take_estimates};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaStream, DevicePtr, DevicePtrMut, DriverError, LaunchConfig, PushKernelArg,
};
use predict::Prediction;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// Kernels of three steps with a grid barrier after each, which the emulator's tests describe.
const BARRIERS: &str = include_str!("../../../machine/tests/turns/ptx/barriers.ptx");

/// Runs a kernel of [`BARRIERS`] on ones by one of the two launch calls, and returns the results.
fn run(
    stream: &Arc<CudaStream>,
    config: LaunchConfig,
    launch: impl FnOnce([u64; 3]) -> Result<(), DriverError>,
) -> Result<Vec<i32>, DriverError> {
    let count = (config.grid_dim.0 * config.block_dim.0) as usize;
    let a = stream.clone_htod(&vec![1_i32; count])?;
    let b = stream.alloc_zeros::<i32>(count)?;
    let arrived = stream.alloc_zeros::<i32>(1)?;
    launch([a.device_ptr(stream).0, b.device_ptr(stream).0, arrived.device_ptr(stream).0])?;
    stream.clone_dtoh(&b)
}

fn cooperative(stream: &Arc<CudaStream>, kernel: &CudaFunction, config: LaunchConfig) -> Result<Vec<i32>, DriverError> {
    run(stream, config, |[a, b, arrived]| {
        let mut launch = stream.launch_builder(kernel);
        launch.arg(&a).arg(&b).arg(&arrived);
        // SAFETY: the buffers have an element per thread, and a word for the barrier.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    })
}

/// Launches with `cuLaunchKernelEx` and the attribute.
fn with_attribute(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    config: LaunchConfig,
) -> Result<Vec<i32>, DriverError> {
    let value = sys::CUlaunchAttributeValue { cooperative: 1 };
    let attribute = (sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
    run(stream, config, |addresses| launch_with(stream, kernel, config, addresses, attribute))
}

/// Launches a kernel of three pointers with `cuLaunchKernelEx` and an attribute.
fn launch_with(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    config: LaunchConfig,
    mut addresses: [u64; 3],
    (id, value): (sys::CUlaunchAttributeID, sys::CUlaunchAttributeValue),
) -> Result<(), DriverError> {
    let mut values: Vec<*mut c_void> = addresses.iter_mut().map(|address| (&raw mut *address).cast()).collect();
    let mut attribute = sys::CUlaunchAttribute { id, pad: [0; 4], value };
    let request = sys::CUlaunchConfig {
        gridDimX: config.grid_dim.0,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: config.block_dim.0,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: config.shared_mem_bytes,
        hStream: stream.cu_stream(),
        attrs: &mut attribute,
        numAttrs: 1,
    };
    // SAFETY: the caller passes valid addresses for the kernel's parameters; the configuration has one attribute.
    unsafe { sys::cuLaunchKernelEx(&request, kernel.cu_function(), values.as_mut_ptr(), null_mut()) }.result()
}

/// A block writes its rank in its cluster plus 10 times the number of blocks of the cluster.
const RANKS: &str = ".version 8.1
.target sm_90
.address_size 64
.visible .entry ranks(.param .u64 output, .param .u64 unused, .param .u64 neither)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<4>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, %cluster_nctarank;
    mad.lo.u32 %r1, %r2, 10, %r1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ld.param.u64 %d0, [output];
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d0, %d0, %d1;
    st.global.u32 [%d0], %r1;
    ret;
}
";

/// Runs the kernel of [`RANKS`] in clusters of so many blocks, and returns what the blocks wrote.
fn ranks(context: &Arc<CudaContext>, blocks: u32, cluster: u32) -> Result<Vec<i32>, DriverError> {
    let stream = context.new_stream()?;
    let kernel = function(context, RANKS, "ranks");
    let mut output = stream.alloc_zeros::<i32>(blocks as usize)?;
    let dim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: cluster, y: 1, z: 1 };
    let value = sys::CUlaunchAttributeValue { clusterDim: dim };
    let attribute = (sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value);
    let addresses = [output.device_ptr_mut(&stream).0, 0, 0];
    launch_with(&stream, &kernel, shape(blocks, 1, 0), addresses, attribute)?;
    stream.clone_dtoh(&output)
}

#[test]
fn a_launch_can_ask_for_clusters_that_divide_its_grid() {
    let context = context();
    assert_eq!(ranks(&context, 6, 3).unwrap(), [30, 31, 32, 30, 31, 32]);
    assert_eq!(ranks(&context, 2, 1).unwrap(), [10, 10]);
    for (blocks, cluster) in [(6, 4), (9, 9), (2, 0)] {
        let code = status(ranks(&context, blocks, cluster));
        assert_eq!(code, CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE, "{cluster} of {blocks}");
    }
}

#[test]
fn a_launch_in_clusters_has_no_estimate() {
    own_process!();
    set("coalesced_set_estimates", 1_u32);
    assert_eq!(ranks(&context(), 6, 3).unwrap(), [30, 31, 32, 30, 31, 32]);
    let estimates: Vec<Prediction> = serde_json::from_str(&take_estimates()).unwrap();
    assert!(
        matches!(&estimates[..], [Prediction::Refused(reason)] if reason == "its blocks wait for each other"),
        "{estimates:?}"
    );
}

#[test]
fn blocks_of_a_cooperative_launch_wait_for_each_other() {
    let context = context();
    assert_eq!(context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH).unwrap(), 1);
    let stream = context.new_stream().unwrap();
    for name in ["rightBarrier", "workspaceBarrier"] {
        let kernel = function(&context, BARRIERS, name);
        assert_eq!(cooperative(&stream, &kernel, shape(40, 96, 0)).unwrap(), vec![8; 3840], "{name}");
        assert_eq!(with_attribute(&stream, &kernel, shape(40, 96, 0)).unwrap(), vec![8; 3840], "{name}");
    }
}

#[test]
fn a_cooperative_launch_has_at_most_as_many_blocks_as_can_be_resident() {
    let context = context();
    let stream = context.new_stream().unwrap();
    let kernel = function(&context, BARRIERS, "rightBarrier");
    let threads = 64;
    let shared = 40 << 10;
    let on_each = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, shared, None).unwrap();
    let multiprocessors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).unwrap() as u32;
    let room = on_each * multiprocessors;
    let shared = shared as u32;
    assert_eq!(on_each, 5);
    let too_large = CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    for launch in [cooperative, with_attribute] {
        assert_eq!(launch(&stream, &kernel, shape(room, threads, shared)).unwrap().len(), (room * threads) as usize);
        assert_eq!(status(launch(&stream, &kernel, shape(room + 1, threads, shared))), too_large);
        let error = last_error();
        assert!(on_hardware() || error.contains("of 661 blocks: ") && error.contains("660 blocks of"), "{error}");
    }
    let plain = run(&stream, shape(room + 1, threads, shared), |[a, b, arrived]| {
        let without = function(&context, BARRIERS, "withoutAnything");
        let mut launch = stream.launch_builder(&without);
        launch.arg(&a).arg(&b).arg(&arrived);
        // SAFETY: the buffers have an element per thread.
        unsafe { launch.launch(shape(room + 1, threads, shared)) }.map(drop)
    });
    assert!(plain.is_ok(), "{}", last_error());
}

#[test]
fn a_wait_for_blocks_that_are_not_resident_ends_with_a_fault() {
    if on_hardware() {
        return; // It hangs on hardware.
    }
    let context = context();
    let stream = context.new_stream().unwrap();
    let kernel = function(&context, BARRIERS, "rightBarrier");
    let config = shape(2000, 1024, 0);
    let hangs = run(&stream, config, |[a, b, arrived]| {
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&a).arg(&b).arg(&arrived);
        // SAFETY: as above.
        unsafe { launch.launch(config) }.map(drop)
    });
    assert_eq!(status(hangs), CUresult::CUDA_ERROR_LAUNCH_TIMEOUT);
    let error = last_error();
    assert!(error.contains("cannot start until one of the 264 resident blocks ends"), "{error}");
}
