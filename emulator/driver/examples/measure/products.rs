//! Multiplies random matrices on the first GPU and prints the results.

use crate::fragments::{FRAGMENTS, PRODUCTS, Recording, module};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

/// Prints the sums of all products as JSON. `about` contains device, driver and date.
pub fn record(about: &str) -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let loaded = context.load_module(Ptx::from_src(module()))?;
    let mut products = Vec::new();
    for product in &PRODUCTS {
        let operands = stream.clone_htod(&product.operands())?;
        let mut sums = stream.alloc_zeros::<u32>(32 * product.c * FRAGMENTS)?;
        let function = loaded.load_function(&product.kernel())?;
        let shape = LaunchConfig { grid_dim: (FRAGMENTS as u32, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&function);
        launch.arg(&operands).arg(&mut sums);
        // SAFETY: these are the kernel's parameters. Each block reads the operands of 32 lanes and writes their sums, and the
        // buffers contain those of all blocks.
        unsafe { launch.launch(shape) }?;
        let words = stream.clone_dtoh(&sums)?;
        let line = |fragment: &[u32]| -> String {
            let words: Vec<String> = fragment.iter().map(|word| format!("{word:08x}")).collect();
            words.join(" ")
        };
        products.push((product.kernel(), words.chunks_exact(32 * product.c).map(line).collect()));
    }
    println!("{}", serde_json::to_string_pretty(&Recording { recorded: about.to_owned(), products })?);
    Ok(())
}
