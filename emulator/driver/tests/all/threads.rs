//! Concurrent threads.

use crate::support::{FAULTS, KERNELS, context, function, on_hardware, shape, status, store};
use cudarc::driver::{DevicePtr, PushKernelArg};

#[test]
fn threads_share_a_context_and_its_functions() {
    let context = context();
    let scale = function(&context, KERNELS, "scale");
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let context = &context;
            let scale = &scale;
            scope.spawn(move || {
                let stream = context.new_stream().unwrap();
                for round in 0..20_u32 {
                    let input = stream.clone_htod(&[(thread * 100 + round) as f32; 300]).unwrap();
                    let mut output = stream.alloc_zeros::<f32>(300).unwrap();
                    let mut launch = stream.launch_builder(scale);
                    launch.arg(&mut output).arg(&input).arg(&2.0_f32).arg(&300_u32);
                    // SAFETY: the kernel reads and writes the elements of both slices.
                    unsafe { launch.launch(shape(3, 128, 0)) }.unwrap();
                    let expected = [(2 * (thread * 100 + round)) as f32; 300];
                    assert_eq!(stream.clone_dtoh(&output).unwrap(), expected);
                }
            });
        }
    });
}

/// Eight threads create contexts that fault and are destroyed, each independently of the others.
#[test]
fn concurrent_contexts_fault_independently() {
    if on_hardware() {
        return; // A fault disables a real driver for the process.
    }
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let context = context();
                    let stream = context.new_stream().unwrap();
                    let kernel = function(&context, FAULTS, "store");
                    let device = stream.clone_htod(&[0_u32; 8]).unwrap();
                    store(&stream, &kernel, device.device_ptr(&stream).0 + 4).unwrap();
                    assert_eq!(stream.clone_dtoh(&device).unwrap()[..3], [0, 1, 0]);
                    store(&stream, &kernel, 0).unwrap();
                    let code = status(stream.synchronize());
                    assert_eq!(code, cudarc::driver::sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
                }
            });
        }
    });
}
