//! How values and sums lie on the device.

use super::values::Values;
use crate::error::Error;
use crate::problem::Setup;
use crate::verify::poison_i32;
use cudarc::driver::CudaSlice;

/// A rung's way to store values and sums.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// Copies values to the device, in whatever form. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`], when the device has no room or refuses a copy.
    fn prepare(setup: &Setup, values: &Values) -> Result<Self, Error>;

    /// Puts back the values that a kernel may have destroyed, and poison into the sums. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// The sum of each block, or however many sums add up to that of all values.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn partials(&self, setup: &Setup) -> Result<Vec<i32>, Error>;

    /// How many values that follow each other each of [`Layout::partials`] is the sum of; `None` where that is open, so
    /// that only the sum of all is compared.
    fn values_per_partial(&self, setup: &Setup) -> Option<usize> {
        setup.elements_per_block
    }
}

/// The tutorial's layout.
#[derive(Debug)]
pub struct Buffers {
    /// The values; a kernel may destroy them.
    pub data: CudaSlice<i32>,
    /// Output: one sum a block.
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
