//! Errors of the driver and of NCCL in words.

use common::Error;
use cudarc::driver::DriverError;
use cudarc::nccl::result::NcclError;

/// Says what was being done when a call of the driver or of NCCL failed.
pub trait Doing<T> {
    /// The result, with an error in words.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn doing(self, what: &str) -> Result<T, Error>;
}

impl<T> Doing<T> for Result<T, NcclError> {
    fn doing(self, what: &str) -> Result<T, Error> {
        self.map_err(|error| Error::Driver { doing: what.into(), reason: format!("{:?}", error.0) })
    }
}

/// What has words already keeps them.
impl<T> Doing<T> for Result<T, Error> {
    fn doing(self, _: &str) -> Result<T, Error> {
        self
    }
}

impl<T> Doing<T> for Result<T, DriverError> {
    fn doing(self, what: &str) -> Result<T, Error> {
        self.map_err(|error| Error::Driver { doing: what.into(), reason: common::device::driver_text(error) })
    }
}
