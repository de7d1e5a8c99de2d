//! Stage 5's addition to the host program: a variable of the module that the host fills, a grid in two dimensions, and several
//! launches because 64 KB hold no more: `cargo run -p stage05-coulomb --example constant_memory`.

use common::device::{DeviceChoice, choose};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

const ATOMS: usize = 5000;
const CHUNK: usize = 4096; // atoms of 16 bytes in 64 KB
const WIDTH: usize = 100;
const HEIGHT: usize = 60;
const BLOCK: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    choose(DeviceChoice::Auto)?; // without a GPU: the emulator
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(Ptx::from_src(include_str!("../ptx/03_constant.ptx")))?;
    let kernel = module.load_function("coulombConstant")?;

    // x, y, the square of z, and the charge
    let place = |step: f32, i: usize| 10.0 * (step * i as f32).fract();
    let atoms: Vec<[f32; 4]> = (0..ATOMS).map(|i| [place(0.618, i), place(0.414, i), 0.25, 1.0]).collect();
    let mut potential = stream.alloc_zeros::<f32>(WIDTH * HEIGHT)?; // the kernel adds to what is there

    let launch = LaunchConfig {
        grid_dim: ((WIDTH as u32).div_ceil(BLOCK), (HEIGHT as u32).div_ceil(BLOCK), 1),
        block_dim: (BLOCK, BLOCK, 1),
        shared_mem_bytes: 0,
    };
    let (width, height, spacing) = (WIDTH as i32, HEIGHT as i32, 0.1_f32);
    for chunk in atoms.chunks(CHUNK) {
        // The kernel's `__constant__ float4 atom_chunk[4096]`, as bytes; the last chunk fills less of it. The stream keeps
        // the order: the copy waits for the launch that still reads the chunk before.
        let bytes: Vec<u8> = chunk.as_flattened().iter().flat_map(|value| value.to_ne_bytes()).collect();
        let mut constant = module.get_global("atom_chunk", &stream)?;
        stream.memcpy_htod(&bytes, &mut constant)?;

        let count = chunk.len() as i32; // atoms, not bytes
        let mut arguments = stream.launch_builder(&kernel);
        arguments.arg(&count).arg(&mut potential).arg(&width).arg(&height).arg(&spacing);
        // SAFETY: these are the kernel's parameters, in order and type; `atom_chunk` holds `count` atoms, and `potential`
        // has width * height elements.
        unsafe { arguments.launch(launch) }?;
    }

    let potential = stream.clone_dtoh(&potential)?;
    for (column, row) in [(0, 0), (WIDTH / 2, HEIGHT / 2), (WIDTH - 1, HEIGHT - 1)] {
        let [x, y] = [column, row].map(|index| f64::from(spacing * index as f32));
        let term = |[ax, ay, z_squared, charge]: &[f32; 4]| {
            let [dx, dy] = [x - f64::from(*ax), y - f64::from(*ay)];
            f64::from(*charge) / (dx * dx + dy * dy + f64::from(*z_squared)).sqrt()
        };
        let expected: f64 = atoms.iter().map(term).sum();
        let difference = (f64::from(potential[row * WIDTH + column]) - expected).abs() / expected;
        println!("potential at column {column}, row {row}: {expected:.3}, within {difference:.1e}");
        assert!(difference < 1e-4, "the kernel is wrong");
    }
    Ok(())
}
