//! Problem D in the layouts of this stage, and the launches of its kernels.

use crate::forces::{TILE, warps_of_pairs};
use common::Error;
use common::problem::galaxy::{Disc, EPSILON_SQUARED, Float4, Layout, State, TIME_STEP};
use common::problem::{Launch, LaunchResult, Setup, Size, as_i32, as_u32};
use common::verify::poison_f32;
use cudarc::driver::{CudaSlice, PushKernelArg};

/// The tutorial's arrays, padded to whole tiles with massless bodies, and the accelerations that warps add to.
#[derive(Debug)]
pub struct Tiles {
    position: CudaSlice<Float4>,
    velocity: CudaSlice<Float4>,
    new_position: CudaSlice<Float4>,
    new_velocity: CudaSlice<Float4>,
    /// Zero between launches.
    acceleration: CudaSlice<Float4>,
    /// The number of finished pairs of each tile; zero between launches.
    arrived: CudaSlice<u32>,
    padded: i32,
    n: usize,
    pristine: [CudaSlice<Float4>; 2],
    poison: CudaSlice<Float4>,
}

impl Layout for Tiles {
    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error> {
        let State { position, velocity } = &disc.state;
        let n = position.len();
        let padded = position.len().next_multiple_of(TILE as usize);
        let filled = |values: &[Float4]| -> Vec<Float4> {
            values.iter().copied().chain(std::iter::repeat([0.0; 4])).take(padded).collect()
        };
        let position = filled(position);
        let velocity = filled(velocity);
        let poison = vec![[poison_f32(); 4]; padded];
        Ok(Self {
            position: setup.upload(&position)?,
            velocity: setup.upload(&velocity)?,
            new_position: setup.upload(&poison)?,
            new_velocity: setup.upload(&poison)?,
            acceleration: setup.upload(&vec![[0.0; 4]; padded])?,
            arrived: setup.upload(&vec![0; padded / TILE as usize])?,
            padded: as_i32(padded),
            n,
            pristine: [setup.upload(&position)?, setup.upload(&velocity)?],
            poison: setup.upload(&poison)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine[0], &mut self.position)?;
        setup.copy(&self.pristine[1], &mut self.velocity)?;
        self.poison(setup)
    }

    fn poison(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.poison, &mut self.new_position)?;
        setup.copy(&self.poison, &mut self.new_velocity)
    }

    fn swap(&mut self) {
        std::mem::swap(&mut self.position, &mut self.new_position);
        std::mem::swap(&mut self.velocity, &mut self.new_velocity);
    }

    fn before(&self, setup: &Setup) -> Result<State, Error> {
        self.state(setup, [&self.position, &self.velocity])
    }

    fn after(&self, setup: &Setup) -> Result<State, Error> {
        self.state(setup, [&self.new_position, &self.new_velocity])
    }
}

impl Tiles {
    fn state(&self, setup: &Setup, [position, velocity]: [&CudaSlice<Float4>; 2]) -> Result<State, Error> {
        let mut position = setup.download(position)?;
        let mut velocity = setup.download(velocity)?;
        position.truncate(self.n);
        velocity.truncate(self.n);
        Ok(State { position, velocity })
    }
}

/// Launches a kernel that takes a whole step, with the parameters `(position, velocity, new_position, new_velocity,
/// acceleration, arrived, n, dt, epsilon_squared)`.
pub fn step(launch: &Launch, data: &mut Tiles) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.position).arg(&data.velocity).arg(&mut data.new_position).arg(&mut data.new_velocity);
    arguments
        .arg(&mut data.acceleration)
        .arg(&mut data.arrived)
        .arg(&data.padded)
        .arg(&TIME_STEP)
        .arg(&EPSILON_SQUARED);
    // SAFETY: the kernel has these parameters; the arrays have `padded` elements, and one counter for each tile, and no
    // thread goes past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// [`Tiles`], for a kernel that computes some of its roots by logarithms.
#[derive(Debug)]
pub struct MixedRoots(Tiles);

impl Layout for MixedRoots {
    /// As for problem A. Masses lie in (2⁻⁴³, 1], for up to 2²⁰ bodies, and |r⃗|² + ε² in [0.0025, 8]: the exponent is within
    /// 2 · 4 · 43 + 86 for the masses, 1.5 · 4 · 9 for the distance and 99 for the last rounding, the power within 4, and
    /// the division by the mass within 2: ln 2 · 583 + 6 at most.
    const MORE_ROUNDINGS: f64 = 411.0;

    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error> {
        Tiles::prepare(setup, disc).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn poison(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.poison(setup)
    }

    fn swap(&mut self) {
        self.0.swap();
    }

    fn before(&self, setup: &Setup) -> Result<State, Error> {
        self.0.before(setup)
    }

    fn after(&self, setup: &Setup) -> Result<State, Error> {
        self.0.after(setup)
    }
}

/// Launches as [`step`] does.
pub fn step_of_mixed_roots(launch: &Launch, data: &mut MixedRoots) -> LaunchResult {
    step(launch, &mut data.0)
}

/// Returns the blocks with one warp per unordered pair of tiles, including pairs of a tile with itself.
#[must_use]
pub fn pairs_of_tiles(size: &Size, block: u32) -> [u32; 3] {
    warps_of_pairs(as_u32(size.n).div_ceil(TILE), block)
}
