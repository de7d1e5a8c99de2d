//! Launches the cases, one after the other.

use crate::cases;
use crate::measured::{MEMORY_BYTES, module};
use cudarc::driver::{CudaContext, DeviceRepr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

/// The table as a kernel parameter.
#[repr(C)]
struct Parameter([u32; 32]);

// SAFETY: the type consists of numbers in the layout that the kernels declare, `.align 4 .b8 [128]`.
unsafe impl DeviceRepr for Parameter {}

/// Launches the cases of a group, or of some of its kernels, on the first device.
pub fn all(group: &str, kernels: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut cases = cases::of(group)?;
    cases.retain(|case| kernels.is_empty() || kernels.contains(&case.kernel.as_str()));
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = context.load_module(Ptx::from_src(module()))?;
    let mut memory = stream.alloc_zeros::<u32>(MEMORY_BYTES / 4)?;
    for case in &cases {
        let table = case.table.lanes();
        stream.memcpy_htod(&table, &mut memory.slice_mut(..32))?;
        let function = module.load_function(&case.kernel)?;
        let parameter = Parameter(table);
        let shape =
            LaunchConfig { grid_dim: (case.blocks, 1, 1), block_dim: (case.threads, 1, 1), shared_mem_bytes: 0 };
        let mut launch = stream.launch_builder(&function);
        launch.arg(&parameter).arg(&mut memory).arg(&case.mask).arg(&case.warp_bytes);
        // SAFETY: these are the parameters in `frame.ptx`, and the cases only access the allocated memory: the emulator's
        // tests run all of them, and the emulator checks every access.
        unsafe { launch.launch(shape) }.map_err(|error| format!("{}: {error}", case.kernel))?;
    }
    stream.synchronize()?;
    println!("{} launches", cases.len());
    Ok(())
}
