//! The validation of launches.

use crate::ground::dimensions::Launch;
use crate::ground::refusal::LaunchError;
use crate::module::kernel::Kernel;

/// The largest amount of shared memory of a block in bytes, static and dynamic together, as on compute capability 9.0.
pub const MAX_SHARED_BYTES: u32 = 227 << 10;

/// The largest amount of local memory of a block in bytes. Each worker thread allocates it, and clears it for each block. A
/// GPU with hundreds of such resident blocks does not have more memory, either.
const MAX_LOCAL_BYTES: u64 = 128 << 20;

/// Checks the shape and the parameters of a launch, as [`crate::launch`] does first.
///
/// # Errors
/// [`LaunchError::Invalid`] with the violated rule.
pub fn validate(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), LaunchError> {
    check_shape(kernel, launch).map_err(|reason| LaunchError::Invalid { kernel: kernel.name().to_owned(), reason })
}

/// Checks a launch. The error contains the violated rule and the values.
pub(crate) fn check_shape(kernel: &Kernel, launch: &Launch<'_>) -> Result<(), String> {
    let Launch { grid, block, dynamic_shared_bytes, parameters, .. } = launch;
    if grid.volume() == 0 || grid.x > i32::MAX as u32 || grid.y > 65535 || grid.z > 65535 {
        return Err(format!("a grid of {grid} blocks; each axis takes 1 to (2147483647, 65535, 65535)"));
    }
    if block.volume() == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 {
        return Err(format!("a block of {block} threads; each axis takes 1 to (1024, 1024, 64)"));
    }
    let most = u64::from(kernel.max_threads_per_block());
    if block.volume() > most {
        return Err(format!("a block of {} threads; this kernel takes at most {most}", block.volume()));
    }
    let shared = u64::from(kernel.static_shared_bytes()) + u64::from(*dynamic_shared_bytes);
    if shared > u64::from(MAX_SHARED_BYTES) {
        return Err(format!("{shared} bytes of shared memory; a block has at most {MAX_SHARED_BYTES}"));
    }
    let local = block.volume() * u64::from(kernel.program().local_bytes);
    if local > MAX_LOCAL_BYTES {
        return Err(format!("{local} bytes of local memory; the threads of a block have at most {MAX_LOCAL_BYTES}"));
    }
    if parameters.len() != kernel.parameter_bytes() {
        let given = parameters.len();
        let taken = kernel.parameter_bytes();
        return Err(format!("{given} bytes of parameters; this kernel takes {taken}"));
    }
    Ok(())
}
