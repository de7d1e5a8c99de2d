//! Problem D in the layouts of this stage, and the launches of its kernels.

use crate::forces::{TILE, warps_of_pairs};
use common::Error;
use common::problem::galaxy::{Buffers, Disc, Float4, State, Stepping};
use common::problem::{Launch, LaunchResult, Layout, Rougher, Setup, Size, as_u32};
use cudarc::driver::{CudaSlice, PushKernelArg};

/// The tutorial's arrays, padded to whole tiles with massless bodies, and the accelerations that warps add to.
#[derive(Debug)]
pub struct Tiles {
    buffers: Buffers,
    /// Zero between launches.
    acceleration: CudaSlice<Float4>,
    /// The number of finished pairs of each tile; zero between launches.
    arrived: CudaSlice<u32>,
}

impl Layout for Tiles {
    type Inputs = Disc;
    type Results = State;

    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error> {
        let buffers = Buffers::new(setup, &disc.state, TILE as usize)?;
        let padded = buffers.position.len();
        Ok(Self {
            buffers,
            acceleration: setup.upload(&vec![[0.0; 4]; padded])?,
            arrived: setup.upload(&vec![0; padded / TILE as usize])?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<State, Error> {
        self.buffers.results(setup)
    }
}

impl Stepping for Tiles {
    fn buffers(&mut self) -> &mut Buffers {
        &mut self.buffers
    }
}

/// Launches a kernel that takes a whole step, with the parameters `(position, velocity, new_position, new_velocity,
/// acceleration, arrived, n, dt, epsilon_squared)`.
pub fn step(launch: &Launch, Tiles { buffers, acceleration, arrived }: &mut Tiles) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments
        .arg(&buffers.position)
        .arg(&buffers.velocity)
        .arg(&mut buffers.new_position)
        .arg(&mut buffers.new_velocity);
    arguments.arg(acceleration).arg(arrived).arg(&buffers.n).arg(&buffers.dt).arg(&buffers.epsilon_squared);
    // SAFETY: the kernel has these parameters; the arrays have n elements, and one counter for each tile, and no thread goes
    // past them.
    unsafe { arguments.launch(launch.config) }.map(drop)
}

/// [`Tiles`], for a kernel that computes some of its roots by logarithms.
///
/// As for problem A. Masses lie in (2⁻⁴³, 1], for up to 2²⁰ bodies, and |r⃗|² + ε² in [0.0025, 8]: the exponent is within
/// 2 · 4 · 43 + 86 for the masses, 1.5 · 4 · 9 for the distance and 99 for the last rounding, the power within 4, and
/// the division by the mass within 2: ln 2 · 583 + 6 at most.
pub type MixedRoots = Rougher<Tiles, 411>;

/// Launches as [`step`] does.
pub fn step_of_mixed_roots(launch: &Launch, data: &mut MixedRoots) -> LaunchResult {
    step(launch, &mut data.0)
}

/// Returns the blocks with one warp per unordered pair of tiles, including pairs of a tile with itself.
#[must_use]
pub fn pairs_of_tiles(size: &Size, block: u32) -> [u32; 3] {
    warps_of_pairs(as_u32(size.n).div_ceil(TILE), block)
}
