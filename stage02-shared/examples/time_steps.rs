//! Stage 2's addition to the host program of stage 1, `whole_program`: several time steps, each reading what the one before has
//! written, and dynamic shared memory: `cargo run -p stage02-shared --example time_steps`.

use common::device::{DeviceChoice, choose};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

const N: usize = 1000;
const BLOCK: u32 = 128;
const STEPS: u32 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    choose(DeviceChoice::Auto)?; // without a GPU: the emulator
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(Ptx::from_src(include_str!("../ptx/06_nbody_sim.ptx")))?;
    let kernel = module.load_function("nbody_sim")?;

    // x, y, z and the mass; an array of four floats has the layout of CUDA's float4, and `alloc` aligns more than it asks
    let bodies: Vec<[f32; 4]> =
        (0..N).map(|i| [0.1, 0.3, 0.7].map(|step| (step * i as f32).sin())).map(|[x, y, z]| [x, y, z, 1e-3]).collect();
    let mut position = stream.clone_htod(&bodies)?;
    let mut velocity = stream.alloc_zeros::<[f32; 4]>(N)?;
    // a step reads the old state and writes a new one: no thread may see a neighbor that has already moved
    let mut new_position = stream.alloc_zeros::<[f32; 4]>(N)?;
    let mut new_velocity = stream.alloc_zeros::<[f32; 4]>(N)?;

    let launch = LaunchConfig {
        grid_dim: ((N as u32).div_ceil(BLOCK), 1, 1),
        block_dim: (BLOCK, 1, 1),
        // the kernel's `extern __shared__`: a tile of x, y, z and mass for each thread. In bytes, not in elements.
        shared_mem_bytes: BLOCK * size_of::<[f32; 4]>() as u32,
    };
    let (n, dt, epsilon_squared) = (N as i32, 1e-2_f32, 1e-2_f32);
    for _ in 0..STEPS {
        let mut arguments = stream.launch_builder(&kernel);
        arguments.arg(&position).arg(&velocity).arg(&mut new_position).arg(&mut new_velocity);
        arguments.arg(&n).arg(&dt).arg(&epsilon_squared);
        // SAFETY: these are the kernel's parameters, in order and type; each array has n elements, and a block has the
        // shared memory that the kernel expects.
        unsafe { arguments.launch(launch) }?;
        // Nothing waits here: launches of one stream run one after the other, and only the names change places.
        std::mem::swap(&mut position, &mut new_position);
        std::mem::swap(&mut velocity, &mut new_velocity);
    }

    // Each pull has a counterpart, so the sum of all momenta stays what it was, zero.
    let velocities = stream.clone_dtoh(&velocity)?;
    let momentum: f64 = velocities.iter().map(|[vx, ..]| f64::from(*vx) * 1e-3).sum();
    let size: f64 = velocities.iter().map(|[vx, ..]| f64::from(vx.abs()) * 1e-3).sum();
    println!("{N} bodies, {STEPS} steps: momentum along x {momentum:.1e}, of {size:.1e} in either direction");
    assert!(size > 0.0 && momentum.abs() < 1e-5 * size, "momentum is not conserved");
    Ok(())
}
