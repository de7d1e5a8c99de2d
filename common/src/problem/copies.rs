//! Copies to and from the device, and the words of their errors.

use super::definition::Setup;
use crate::error::Error;
use cudarc::driver::{CudaSlice, DeviceRepr};

impl Setup<'_> {
    /// Copies values to the device.
    ///
    /// # Errors
    /// [`Error::Driver`], also if there is no room.
    pub fn upload<T: DeviceRepr>(&self, values: &[T]) -> Result<CudaSlice<T>, Error> {
        self.device.stream.clone_htod(values).map_err(|error| self.device.explain(&copying(values.len(), "to"), error))
    }

    /// Allocates room for values, which are zero.
    ///
    /// # Errors
    /// [`Error::Driver`], if there is no room.
    pub fn room(&self, values: usize) -> Result<CudaSlice<f32>, Error> {
        let room = self.device.stream.alloc_zeros(values);
        room.map_err(|error| self.device.explain(&format!("cannot allocate {values} values on the device"), error))
    }

    /// Copies values back.
    ///
    /// # Errors
    /// [`Error::Driver`], with the fault of a kernel that ran before.
    pub fn download<T: DeviceRepr>(&self, values: &CudaSlice<T>) -> Result<Vec<T>, Error> {
        let copied = self.device.stream.clone_dtoh(values);
        copied.map_err(|error| self.device.explain(&copying(values.len(), "from"), error))
    }

    /// Copies the first values back.
    ///
    /// # Errors
    /// As [`Setup::download`].
    pub fn download_part<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut [T]) -> Result<(), Error> {
        let copied = self.device.stream.memcpy_dtoh(&from.slice(..to.len()), to);
        copied.map_err(|error| self.device.explain(&copying(to.len(), "from"), error))
    }

    /// Copies from one array on the device to another.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn copy<T: DeviceRepr>(&self, from: &CudaSlice<T>, to: &mut CudaSlice<T>) -> Result<(), Error> {
        let copied = self.device.stream.memcpy_dtod(from, to);
        copied.map_err(|error| self.device.explain(&copying(from.len(), "on"), error))
    }

    /// Returns `cannot run computeForces<<<128, 128>>>`, as CUDA C++ writes a launch.
    pub(super) fn doing(&self, verb: &str) -> String {
        let grid = extent(self.config.grid_dim);
        let block = extent(self.config.block_dim);
        let language = if self.in_rust { " in Rust" } else { "" };
        match self.config.shared_mem_bytes {
            0 => format!("cannot {verb} {}<<<{grid}, {block}>>>{language}", self.name),
            shared => format!("cannot {verb} {}<<<{grid}, {block}, {shared}>>>{language}", self.name),
        }
    }
}

/// Returns `128`, or `(32, 8)` in two dimensions, or `(32, 8, 4)` in three.
fn extent(dimensions: (u32, u32, u32)) -> String {
    match dimensions {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("({x}, {y})"),
        (x, y, z) => format!("({x}, {y}, {z})"),
    }
}

fn copying(values: usize, preposition: &str) -> String {
    format!("cannot copy {values} values {preposition} the device")
}
