//! Stage 1's first kernel with nothing around it but cudarc: `cargo run -p stage01-naive --example whole_program`.

use common::device::{DeviceChoice, Driver, choose};
use cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

const N: usize = 1000;
const BLOCK: u32 = 128;

fn main() -> Result<(), Box<dyn Error>> {
    // Without a GPU, this loads the emulator, which then answers as the driver. With one, a program needs no such line.
    let driver = choose(DeviceChoice::Auto)?;

    let context = CudaContext::new(0)?; // of device 0
    let stream = context.default_stream();
    let module = context.load_module(Ptx::from_src(include_str!("../ptx/01_compute_forces.ptx")))?;
    let kernel = module.load_function("computeForces")?;

    let [x, y, z, m] =
        [0.1, 0.3, 0.7, 1.9].map(|step| (0..N).map(|i| (step * i as f32).sin() + 2.0).collect::<Vec<_>>());
    let (x_device, y_device) = (stream.clone_htod(&x)?, stream.clone_htod(&y)?);
    let (z_device, m_device) = (stream.clone_htod(&z)?, stream.clone_htod(&m)?);
    let mut fx_device = stream.alloc_zeros::<f32>(N)?;
    let mut fy_device = stream.alloc_zeros::<f32>(N)?;
    let mut fz_device = stream.alloc_zeros::<f32>(N)?;

    let grid = (N as u32).div_ceil(BLOCK); // the last block has threads past N, which return at once
    let launch = LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    let n = N as i32;
    let before = stream.record_event(Some(CU_EVENT_DEFAULT))?;
    let mut arguments = stream.launch_builder(&kernel);
    arguments.arg(&x_device).arg(&y_device).arg(&z_device).arg(&m_device);
    arguments.arg(&mut fx_device).arg(&mut fy_device).arg(&mut fz_device).arg(&n);
    // SAFETY: these are the kernel's parameters, in order and type; each array has n elements, as the kernel expects.
    unsafe { arguments.launch(launch) }?;
    let after = stream.record_event(Some(CU_EVENT_DEFAULT))?;

    let fx = stream.clone_dtoh(&fx_device)?; // waits for the kernel: an error in it is reported here
    let milliseconds = before.elapsed_ms(&after)?;

    for i in [0, N / 2, N - 1] {
        let expected = force_x(i, [&x, &y, &z, &m]);
        let difference = (f64::from(fx[i]) - expected).abs() / expected.abs();
        println!("fx[{i}] = {:e}, on the CPU in f64 {expected:e}: {difference:.1e} apart", fx[i]);
        assert!(difference < 1e-4, "the kernel is wrong");
    }
    match driver {
        Driver::Cuda { .. } => println!("{N} bodies on {}: {milliseconds} ms", context.name()?),
        Driver::Emulator { .. } => println!("{N} bodies on the emulator, whose time says nothing about a GPU"),
    }
    Ok(())
}

/// The x component of the force on body `i`, in double precision.
fn force_x(i: usize, [x, y, z, m]: [&[f32]; 4]) -> f64 {
    let term = |j: usize| {
        let [dx, dy, dz] = [x, y, z].map(|axis| f64::from(axis[j]) - f64::from(axis[i]));
        f64::from(m[j]) * dx / (dx * dx + dy * dy + dz * dz + 1e-9).powf(1.5)
    };
    6.67e-11 * f64::from(m[i]) * (0..N).map(term).sum::<f64>()
}
