//! Problem C in the layouts of this stage, and the launches of its kernels.

use common::Error;
use common::problem::reduction::{Partials, Values};
use common::problem::{Launch, LaunchResult, Layout, Setup, as_u32};
use cudarc::driver::{CudaSlice, PushKernelArg};

/// Elements per thread in the kernel with several loads in flight: four loads of four.
pub const ELEMENTS_EACH: u32 = 16;

/// Blocks of the kernels with a grid-stride loop: two of 1024 threads per multiprocessor of an H200, which has 132; as
/// many as can be resident.
pub const RESIDENT_BLOCKS: u32 = 264;

/// The values, and their sum in one word.
#[derive(Debug)]
pub struct OnePass {
    data: CudaSlice<i32>,
    n: u32,
    partials: CudaSlice<i32>,
    /// The number of blocks that have stored their partial sum.
    arrived: CudaSlice<u32>,
    total: CudaSlice<i32>,
    pristine: CudaSlice<i32>,
}

impl Layout for OnePass {
    type Inputs = Values;
    type Results = Partials;

    fn prepare(setup: &Setup, values: &Values) -> Result<Self, Error> {
        let blocks = setup.config.grid_dim.0 as usize;
        Ok(Self {
            data: setup.upload(&values.data)?,
            n: as_u32(values.data.len()),
            partials: setup.room(blocks)?,
            arrived: setup.upload(&[0])?,
            total: setup.room(1)?,
            pristine: setup.upload(&values.data)?,
        })
    }

    /// Copies the values although the kernel does not change them: so as much of them is in L2 as for the kernels that this
    /// one is compared with.
    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine, &mut self.data)?;
        setup.poison(&mut self.total)
    }

    fn results(&self, setup: &Setup) -> Result<Partials, Error> {
        Ok(Partials { sums: setup.download(&self.total)?, values_each: None })
    }
}

/// Launches a kernel with the parameters `(data, partials, n, arrived, total)`.
pub fn one_pass(launch: &Launch, data: &mut OnePass) -> LaunchResult {
    let mut arguments = launch.stream.launch_builder(launch.kernel);
    arguments.arg(&data.data).arg(&mut data.partials).arg(&data.n).arg(&mut data.arrived).arg(&mut data.total);
    // SAFETY: the kernels have these parameters; there are n values, a partial sum for each block, and one counter and one
    // total; no thread goes past any.
    unsafe { arguments.launch(launch.config) }.map(drop)
}
