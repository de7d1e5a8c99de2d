//! The launches: arguments in the order of the kernels' parameters, through cudarc.

use common::problem::{Launch, LaunchResult, coulomb};
use cudarc::driver::PushKernelArg;

/// Launches a kernel with the parameters `(atoms, atom_count, potential, width, height, spacing)`.
pub fn from_global(launch: &Launch, b: &mut coulomb::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.atoms).arg(&b.n).arg(&mut b.potential).arg(&b.width).arg(&b.height).arg(&b.spacing);
    // SAFETY: the kernels have these parameters; there are n atoms and width * height points, and no thread goes past
    // either.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(atom_count, potential, width, height, spacing)` once for each chunk of atoms,
/// which it copies to `atom_chunk` first. The stream keeps the order, so no copy overtakes the launch that reads the
/// previous chunk.
pub fn from_constant(launch: &Launch, b: &mut coulomb::Buffers) -> LaunchResult {
    let atoms = b.n as usize;
    for first in (0..atoms).step_by(coulomb::CHUNK) {
        let count = coulomb::CHUNK.min(atoms - first);
        copy_to_constant(launch, b, first, count)?;
        let count = count as i32;
        let mut arguments = launch.stream.launch_builder(launch.kernel);
        arguments.arg(&count).arg(&mut b.potential).arg(&b.width).arg(&b.height).arg(&b.spacing);
        // SAFETY: the kernels have these parameters; `atom_chunk` holds `count` atoms and `potential` width * height
        // points, and no thread goes past either.
        unsafe { arguments.launch(launch.config) }.map(drop)?;
    }
    Ok(())
}

/// Copies `count` atoms on the device to the start of the kernel's constant memory.
fn copy_to_constant(launch: &Launch, b: &coulomb::Buffers, first: usize, count: usize) -> LaunchResult {
    let mut constant = launch.module.get_global("atom_chunk", launch.stream)?;
    let chunk = b.atoms.slice(first..first + count);
    let bytes = count * size_of::<coulomb::Atom>();
    // SAFETY: any float4 is a sequence of bytes, and the view is as long as the chunk.
    let chunk = unsafe { chunk.transmute::<u8>(bytes) }.expect("the chunk has this many bytes");
    launch.stream.memcpy_dtod(&chunk, &mut constant)
}
