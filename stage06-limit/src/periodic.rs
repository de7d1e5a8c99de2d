//! Problem B in the layouts of this stage, and the launches of its kernels.

use common::Error;
use common::problem::periodic::{BodiesInABox, Found, TIME_STEP};
use common::problem::{Launch, LaunchResult, Layout, Setup, Size, as_i32, as_u32};
use cudarc::driver::sys::{CUdevice_attribute, CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaSlice, DeviceRepr, DriverError, LaunchConfig, PushKernelArg};
use std::fmt;

/// Bodies per block in the kernels that take a whole step.
pub const OWN: u32 = 32;

/// Velocities and accelerations in one array each.
#[derive(Debug)]
struct Motion {
    velocity: CudaSlice<[f32; 2]>,
    acceleration: CudaSlice<[f32; 2]>,
    at_rest: CudaSlice<[f32; 2]>,
}

impl Motion {
    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        let velocity: Vec<[f32; 2]> = inputs.bodies.iter().map(|&[_, _, vx, vy, ..]| [vx, vy]).collect();
        Ok(Self {
            velocity: setup.upload(&velocity)?,
            acceleration: setup.room(velocity.len())?,
            at_rest: setup.upload(&velocity)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.at_rest, &mut self.velocity)?;
        setup.poison(&mut self.acceleration)
    }

    /// Returns whole bodies, given their positions.
    fn bodies(&self, setup: &Setup, places: impl Iterator<Item = [f64; 2]>) -> Result<Vec<Found>, Error> {
        let velocity = setup.download(&self.velocity)?;
        let acceleration = setup.download(&self.acceleration)?;
        let motion = velocity.iter().zip(&acceleration);
        let body = |([x, y], (v, a)): ([f64; 2], (&[f32; 2], &[f32; 2]))| {
            [x, y, v[0].into(), v[1].into(), a[0].into(), a[1].into()]
        };
        Ok(places.zip(motion).map(body).collect())
    }
}

/// A coordinate of a position on the device.
pub trait Coordinate: DeviceRepr + std::fmt::Debug + 'static {
    /// Converts a coordinate of the inputs, of 24 bits, without loss.
    fn from_f32(x: f32) -> Self;

    /// Returns the coordinate in the unit square.
    fn to_f64(&self) -> f64;
}

impl Coordinate for f32 {
    fn from_f32(x: f32) -> Self {
        x
    }

    fn to_f64(&self) -> f64 {
        (*self).into()
    }
}

/// The number of fractions per side.
const UNITS: f64 = (1_u64 << 32) as f64;

/// A 32-bit fraction of the side of the square.
impl Coordinate for u32 {
    fn from_f32(x: f32) -> Self {
        (f64::from(x) * UNITS) as Self
    }

    fn to_f64(&self) -> f64 {
        f64::from(*self) / UNITS
    }
}

/// Positions, velocities and accelerations in one array each.
#[derive(Debug)]
pub struct Arrays<C> {
    /// The positions, and the buffer of those of the next step.
    position: [CudaSlice<[C; 2]>; 2],
    /// The index of the array with the current positions.
    now: usize,
    motion: Motion,
    /// The number of arrivals of blocks at the grid-wide barrier.
    arrived: CudaSlice<u32>,
    first: CudaSlice<[C; 2]>,
    n: i32,
}

/// Positions as 32-bit fractions.
pub type Fractions = Arrays<u32>;

impl<C: Coordinate> Layout for Arrays<C>
where
    [C; 2]: DeviceRepr,
{
    type Inputs = BodiesInABox;
    type Results = Vec<Found>;

    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        let position: Vec<[C; 2]> = inputs.bodies.iter().map(|&[x, y, ..]| [x, y].map(C::from_f32)).collect();
        Ok(Self {
            position: [setup.upload(&position)?, setup.upload(&position)?],
            now: 0,
            motion: Motion::prepare(setup, inputs)?,
            arrived: setup.upload(&[0])?,
            first: setup.upload(&position)?,
            n: as_i32(position.len()),
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.now = 0;
        setup.copy(&self.first, &mut self.position[0])?;
        self.motion.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<Found>, Error> {
        let position = setup.download(&self.position[self.now])?;
        self.motion.bodies(setup, position.iter().map(|place| [place[0].to_f64(), place[1].to_f64()]))
    }
}

/// Launches a kernel with the parameters `(position, acceleration, n)`.
pub fn accelerate<C>(launch: &Launch, data: &mut Arrays<C>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.position[data.now]).arg(&mut data.motion.acceleration).arg(&data.n);
    // SAFETY: the kernels have these parameters; both arrays have n elements, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel with the parameters `(position, velocity, acceleration, n, dt)`.
pub fn integrate<C>(launch: &Launch, data: &mut Arrays<C>) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&mut data.position[data.now]).arg(&mut data.motion.velocity).arg(&data.motion.acceleration);
    arguments.arg(&data.n).arg(&TIME_STEP);
    // SAFETY: the kernels have these parameters; the arrays have n elements, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// Launches a kernel that takes a whole step, with the parameters `(position, new_position, velocity, acceleration, n, dt)`.
pub fn fused(launch: &Launch, data: &mut Fractions) -> LaunchResult {
    let [even, odd] = &mut data.position;
    let (now, next) = if data.now == 0 { (&*even, odd) } else { (&*odd, even) };
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(now).arg(next).arg(&mut data.motion.velocity).arg(&mut data.motion.acceleration);
    arguments.arg(&data.n).arg(&TIME_STEP);
    // SAFETY: the kernel has these parameters; the arrays have n elements, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }?;
    data.now = 1 - data.now;
    Ok(())
}

/// Takes `steps` steps in one cooperative launch of a kernel with the parameters `(even, odd, velocity, acceleration,
/// arrived, n, dt, steps)`.
pub fn persistent(launch: &Launch, data: &mut Fractions, steps: u32) -> LaunchResult {
    launch.stream.memset_zeros(&mut data.arrived)?;
    let [even, odd] = &mut data.position;
    let (now, next) = if data.now == 0 { (even, odd) } else { (odd, even) };
    let steps_i32 = as_i32(steps as usize);
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(now).arg(next).arg(&mut data.motion.velocity).arg(&mut data.motion.acceleration);
    arguments.arg(&mut data.arrived).arg(&data.n).arg(&TIME_STEP).arg(&steps_i32);
    // SAFETY: the kernel has these parameters; the arrays have n elements, and no thread goes past them.
    unsafe { arguments.launch_cooperative(resident(launch)?) }?;
    data.now = (data.now + steps as usize) % 2;
    Ok(())
}

/// Takes one step as [`persistent`] does.
pub fn persistent_step(launch: &Launch, data: &mut Fractions) -> LaunchResult {
    persistent(launch, data, 1)
}

/// Returns the launch with at most as many blocks as can be resident at once. With fewer, each takes the bodies of several.
fn resident(launch: &Launch) -> Result<LaunchConfig, DriverError> {
    let LaunchConfig { grid_dim: (blocks, ..), block_dim: (block, ..), shared_mem_bytes } = launch.config;
    let each = launch.kernel.occupancy_max_active_blocks_per_multiprocessor(block, shared_mem_bytes as usize, None)?;
    let count = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    let multiprocessors = launch.stream.context().attribute(count)?;
    let most = each * u32::try_from(multiprocessors).unwrap_or(1);
    Ok(LaunchConfig { grid_dim: (blocks.min(most), 1, 1), ..launch.config })
}

/// [`Fractions`], with graphs of whole runs.
#[derive(Debug)]
pub struct Graphs {
    data: Fractions,
    /// Graphs, each with its number of steps and the array that its first step reads.
    captured: Vec<(u32, usize, Captured)>,
}

/// cudarc's graph, which does not implement `Debug`.
struct Captured(CudaGraph);

impl fmt::Debug for Captured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a graph")
    }
}

impl Layout for Graphs {
    type Inputs = BodiesInABox;
    type Results = Vec<Found>;

    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        Ok(Self { data: Fractions::prepare(setup, inputs)?, captured: Vec::new() })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.data.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<Found>, Error> {
        self.data.results(setup)
    }
}

/// Launches as [`fused`] does.
pub fn fused_step(launch: &Launch, graphs: &mut Graphs) -> LaunchResult {
    fused(launch, &mut graphs.data)
}

/// Takes `steps` steps as one graph, which is captured on its first use: in a warm-up run.
pub fn graph(launch: &Launch, graphs: &mut Graphs, steps: u32) -> LaunchResult {
    let first = graphs.data.now;
    let known = graphs.captured.iter().position(|&(of, reads, _)| (of, reads) == (steps, first));
    let place = match known {
        Some(place) => place,
        None => {
            graphs.captured.push((steps, first, capture(launch, &mut graphs.data, steps)?));
            graphs.captured.len() - 1
        }
    };
    graphs.captured[place].2.0.launch()?;
    graphs.data.now = (first + steps as usize) % 2;
    Ok(())
}

/// Records the launches of steps without running them. The default stream cannot be captured; the per-thread stream can,
/// and each waits for the other.
fn capture(launch: &Launch, data: &mut Fractions, steps: u32) -> Result<Captured, DriverError> {
    let stream = &launch.stream.context().per_thread_stream();
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let captured = Launch { stream, ..*launch };
    let recorded = (0..steps).try_for_each(|_| fused(&captured, data));
    // A capture must end even if it failed.
    let graph = stream.end_capture(CUgraphInstantiate_flags(0));
    recorded?;
    graph?.map(Captured).ok_or(DriverError(CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED))
}

/// Returns one block per [`OWN`] bodies.
#[must_use]
pub fn blocks_of_own(size: &Size, _: u32) -> [u32; 3] {
    [as_u32(size.n).div_ceil(OWN), 1, 1]
}
