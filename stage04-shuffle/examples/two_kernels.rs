//! Stage 4's addition to the host program: kernels of two files in one time step, the second of which needs all of the first:
//! `cargo run -p stage04-shuffle --example two_kernels`.

use common::device::{DeviceChoice, choose};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

const N: usize = 1000;
const STEPS: u32 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    choose(DeviceChoice::Auto)?; // without a GPU: the emulator
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let load = |ptx: &str, name: &str| context.load_module(Ptx::from_src(ptx))?.load_function(name);
    let accelerate = load(include_str!("../ptx/04_periodic_shuffle.ptx"), "periodicShuffle")?;
    let integrate = load(include_str!("../../stage01-naive/ptx/04_periodic_integrate.ptx"), "periodicIntegrate")?;

    // x, y, vx, vy, ax, ay: a body is a record of six floats
    let place = |step: f32, i: usize| (step * i as f32).fract();
    let state: Vec<[f32; 6]> = (0..N).map(|i| [place(0.618_034, i), place(0.414_214, i), 0.0, 0.0, 0.0, 0.0]).collect();
    let mut bodies = stream.clone_htod(&state)?;

    let launch = LaunchConfig::for_num_elems(N as u32); // blocks of 1024 threads, as many as cover N
    let (n, dt) = (N as i32, 1e-9_f32);
    for _ in 0..STEPS {
        let mut arguments = stream.launch_builder(&accelerate);
        arguments.arg(&mut bodies).arg(&n);
        // SAFETY: these are the kernel's parameters; there are n records, and a block is whole warps.
        unsafe { arguments.launch(launch) }?;
        // The end of a launch is the only barrier for the whole grid: no body moves while another still sums its pull.
        let mut arguments = stream.launch_builder(&integrate);
        arguments.arg(&mut bodies).arg(&n).arg(&dt);
        // SAFETY: these are the kernel's parameters; there are n records.
        unsafe { arguments.launch(launch) }?;
    }

    let state = stream.clone_dtoh(&bodies)?;
    let inside = state.iter().filter(|[x, y, ..]| (0.0..1.0).contains(x) && (0.0..1.0).contains(y)).count();
    let moving = state.iter().filter(|[_, _, vx, vy, ..]| vx.is_finite() && vy.is_finite() && *vx != 0.0).count();
    println!("{N} bodies, {STEPS} steps of two launches: {inside} inside of the box, {moving} moving");
    assert_eq!((inside, moving), (N, N), "a kernel is wrong");
    Ok(())
}
