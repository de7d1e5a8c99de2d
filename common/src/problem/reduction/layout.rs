//! The layout of values and sums on the device.

use crate::error::Error;
use crate::problem::Setup;
use crate::verify::poison_i32;
use cudarc::driver::CudaSlice;
use reference::reduction::Values;

/// The way a rung stores values and sums on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// Copies values to the device. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, values: &Values) -> Result<Self, Error>;

    /// Restores the values, which a kernel may have overwritten, and poisons the sums. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the partial sum of each block, or any number of partial sums that add up to the sum of all values.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn partials(&self, setup: &Setup) -> Result<Vec<i32>, Error>;

    /// Returns the number of consecutive values per partial sum; `None` if that is unknown, so only the sum of all is
    /// compared.
    fn values_per_partial(&self, setup: &Setup) -> Option<usize> {
        setup.elements_per_block
    }
}

/// The tutorial's layout.
#[derive(Debug)]
pub struct Buffers {
    /// The values; a kernel may overwrite them.
    pub data: CudaSlice<i32>,
    /// Output: one partial sum per block.
    pub partials: CudaSlice<i32>,
    /// Number of values.
    pub n: u32,
    pristine: CudaSlice<i32>,
    poison: CudaSlice<i32>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, values: &Values) -> Result<Self, Error> {
        let poison = vec![poison_i32(); setup.config.grid_dim.0 as usize];
        Ok(Self {
            data: setup.upload(&values.data)?,
            partials: setup.upload(&poison)?,
            n: u32::try_from(values.data.len()).expect("every accepted n fits 32 bits"),
            pristine: setup.upload(&values.data)?,
            poison: setup.upload(&poison)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.pristine, &mut self.data)?;
        setup.copy(&self.poison, &mut self.partials)
    }

    fn partials(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        setup.download(&self.partials)
    }
}
