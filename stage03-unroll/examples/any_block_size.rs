//! Stage 3's addition to the host program: the launch decides how much shared memory a block has, so one kernel serves all
//! block sizes: `cargo run -p stage03-unroll --example any_block_size`.

use common::device::{DeviceChoice, choose};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

const N: usize = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    choose(DeviceChoice::Auto)?; // without a GPU: the emulator
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(Ptx::from_src(include_str!("../ptx/05_reduce_smem_unroll_dyn.ptx")))?;
    let kernel = module.load_function("reduceSmemUnrollDyn")?;

    let numbers: Vec<i32> = (0..N as i32).collect();
    let data = stream.clone_htod(&numbers)?;
    let expected: i32 = numbers.iter().fold(0, |sum, &number| sum.wrapping_add(number));

    for block in [64, 128, 256, 512, 1024] {
        let elements_of_block = 4 * block; // a thread adds four
        let grid = (N as u32).div_ceil(elements_of_block);
        let mut partials = stream.alloc_zeros::<i32>(grid as usize)?;
        let launch = LaunchConfig {
            grid_dim: (grid, 1, 1),
            block_dim: (block, 1, 1),
            // an int for each thread. With 0 here, the kernel would write past the end of its memory.
            shared_mem_bytes: block * size_of::<i32>() as u32,
        };
        let n = N as u32;
        let mut arguments = stream.launch_builder(&kernel);
        arguments.arg(&data).arg(&mut partials).arg(&n);
        // SAFETY: these are the kernel's parameters, in order and type; `data` has n elements and `partials` one for each
        // block, and a block has the shared memory that the kernel expects.
        unsafe { arguments.launch(launch) }?;

        // a sum for each block; adding these few is not worth a launch
        let sum = stream.clone_dtoh(&partials)?.iter().fold(0_i32, |sum, &partial| sum.wrapping_add(partial));
        println!("blocks of {block:4}: {grid:4} partial sums, in all {sum}");
        assert_eq!(sum, expected, "the kernel is wrong");
    }
    Ok(())
}
