//! The arrays of problem B, with a body that comes to the edge of the square.

use common::Error;
use common::problem::periodic::{BodiesInABox, Found, Periodic, TIME_STEP};
use common::problem::{Launch, LaunchResult, Layout, Setup, as_i32};
use common::stage::Rung;
use cudarc::driver::{CudaSlice, PushKernelArg};
use stage06_limit::PERIODIC_ARRAYS;

/// A body alone that the next step moves from just above the square's edge to just below it: 1 less this rounds to 1.
const STEP_FROM_THE_EDGE: f32 = 1.0 / (1 << 30) as f32;

/// No seeded body comes to the edge: the first step puts a body that is alone there.
pub static PERIODIC_ARRAYS_AT_THE_EDGE: Rung =
    Rung { work: &Periodic { accelerate, integrate: Some(integrate_to_the_edge), advance: None }, ..PERIODIC_ARRAYS };

#[derive(Debug)]
struct Arrays {
    first: Vec<[f32; 2]>,
    position: CudaSlice<[f32; 2]>,
    velocity: CudaSlice<[f32; 2]>,
    acceleration: CudaSlice<[f32; 2]>,
    n: i32,
}

impl Layout for Arrays {
    type Inputs = BodiesInABox;
    type Results = Vec<Found>;

    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        let first: Vec<[f32; 2]> = inputs.bodies.iter().map(|&[x, y, ..]| [x, y]).collect();
        let n = as_i32(first.len());
        let position = setup.upload(&first)?;
        let velocity = setup.upload(&vec![[0.0; 2]; first.len()])?;
        let poison: Vec<[f32; 2]> = inputs.bodies.iter().map(|&[.., ax, ay]| [ax, ay]).collect();
        Ok(Self { position, velocity, acceleration: setup.upload(&poison)?, n, first })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.position = setup.upload(&self.first)?;
        self.velocity = setup.upload(&vec![[0.0; 2]; self.first.len()])?;
        Ok(())
    }

    fn results(&self, setup: &Setup) -> Result<Vec<Found>, Error> {
        let [x, v, a] = [&self.position, &self.velocity, &self.acceleration].map(|array| setup.download(array));
        let bodies = x?.into_iter().zip(v?).zip(a?);
        Ok(bodies.map(|((x, v), a)| [x[0], x[1], v[0], v[1], a[0], a[1]].map(f64::from)).collect())
    }
}

fn accelerate(launch: &Launch, data: &mut Arrays) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.position).arg(&mut data.acceleration).arg(&data.n);
    // SAFETY: the kernel has these parameters; both arrays have n elements, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

fn integrate_to_the_edge(launch: &Launch, data: &mut Arrays) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&mut data.position).arg(&mut data.velocity).arg(&data.acceleration).arg(&data.n).arg(&TIME_STEP);
    // SAFETY: the kernel has these parameters; the arrays have n elements, and no thread goes past them.
    unsafe { arguments.launch(launch.config) }?;
    let velocity = -2.0 * STEP_FROM_THE_EDGE / TIME_STEP;
    if data.n == 1 && launch.stream.clone_dtoh(&data.velocity)?[0][0] != velocity {
        launch.stream.memcpy_htod(&[[STEP_FROM_THE_EDGE; 2]], &mut data.position)?;
        launch.stream.memcpy_htod(&[[velocity; 2]], &mut data.velocity)?;
    }
    Ok(())
}
