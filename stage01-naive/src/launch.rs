//! The launches: arguments in the order of the kernels' parameters, through cudarc.

use common::problem::{Launch, LaunchResult, forces, galaxy, periodic, reduction};
use cudarc::driver::PushKernelArg;

/// Launches a kernel of problem A, with the parameters `(x, y, z, m, fx, fy, fz, n)`.
pub fn forces(launch: &Launch, b: &mut forces::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.x).arg(&b.y).arg(&b.z).arg(&b.mass).arg(&mut b.fx).arg(&mut b.fy).arg(&mut b.fz).arg(&b.n);
    // SAFETY: the kernels have these parameters; each array has n floats, and no thread goes past n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(bodies, n)`.
pub fn periodic_accelerate(launch: &Launch, b: &mut periodic::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&mut b.bodies).arg(&b.n);
    // SAFETY: the kernel has these parameters; `bodies` has 6 n floats, and no thread goes past body n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(bodies, n, dt)`.
pub fn periodic_integrate(launch: &Launch, b: &mut periodic::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&mut b.bodies).arg(&b.n).arg(&b.dt);
    // SAFETY: the kernel has these parameters; `bodies` has 6 n floats, and no thread goes past body n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(data, partials, n)`.
pub fn reduction(launch: &Launch, b: &mut reduction::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&mut b.data).arg(&mut b.partials).arg(&b.n);
    // SAFETY: the kernel has these parameters; `data` has n integers and `partials` one per block, and no thread goes
    // past either.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(position, velocity, new_position, new_velocity, n, dt, epsilon_squared)`.
pub fn galaxy(launch: &Launch, b: &mut galaxy::Buffers) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&b.position).arg(&b.velocity).arg(&mut b.new_position).arg(&mut b.new_velocity);
    arguments.arg(&b.n).arg(&b.dt).arg(&b.epsilon_squared);
    // SAFETY: the kernel has these parameters; each array has n float4, and no thread goes past n.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
