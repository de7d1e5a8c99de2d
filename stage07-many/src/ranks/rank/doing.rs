//! Error messages for calls of the driver and of NCCL.

use common::Error;
use cudarc::driver::DriverError;
use cudarc::nccl::result::NcclError;

/// Adds to a failed call of the driver or of NCCL what was being done.
pub trait Doing<T> {
    /// Converts the error, with `what` was being done.
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

/// An error that has a message keeps it.
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
