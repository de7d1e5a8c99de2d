//! Square matrices on the device whose rows are padded, so that each begins with a cache line.

use super::{Setup, as_i32};
use crate::error::Error;
use cudarc::driver::CudaSlice;
use reference::padding::{cropped, padded};

/// The words of a cache line of 128 bytes.
const LINE: usize = 32;

/// A matrix of n rows and columns, row by row, of which each has `pitch` words.
#[derive(Debug)]
pub struct Pitched {
    /// The words.
    pub words: CudaSlice<f32>,
    /// The number of rows and of columns.
    pub n: i32,
    /// The words from one row to the next.
    pub pitch: i32,
}

impl Pitched {
    /// Copies a matrix to the device, with zeros as padding.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn new(setup: &Setup, words: &[f32], n: usize) -> Result<Self, Error> {
        let pitch = n.next_multiple_of(LINE);
        let words = setup.upload(&padded(words, n, [n, pitch], 0.0))?;
        Ok(Self { words, n: as_i32(n), pitch: as_i32(pitch) })
    }

    /// Allocates room for another matrix of this size.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn room(&self, setup: &Setup) -> Result<Self, Error> {
        Ok(Self { words: setup.room(self.words.len())?, ..*self })
    }

    /// Copies the matrix back, without the padding.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        let words = setup.download_results(&self.words)?;
        Ok(cropped(words, self.pitch as usize, [self.n as usize; 2]))
    }
}
