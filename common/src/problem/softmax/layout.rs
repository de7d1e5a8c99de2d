//! The layouts of the rows on the device.

use crate::error::Error;
use crate::problem::{Layout, Setup, as_i32};
use cudarc::driver::CudaSlice;
use reference::padding::{cropped, padded};
use reference::softmax::Rows;

/// Row by row, without gaps.
#[derive(Debug)]
pub struct Buffers {
    /// The rows.
    pub input: CudaSlice<f32>,
    /// Output: their softmax.
    pub output: CudaSlice<f32>,
    /// The number of rows.
    pub n: i32,
    /// The number of columns.
    pub columns: i32,
}

impl Buffers {
    fn new(setup: &Setup, elements: &[f32], n: usize, columns: usize) -> Result<Self, Error> {
        Ok(Self {
            input: setup.upload(elements)?,
            output: setup.room(elements.len())?,
            n: as_i32(n),
            columns: as_i32(columns),
        })
    }
}

impl Layout for Buffers {
    type Inputs = Rows;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, rows: &Rows) -> Result<Self, Error> {
        Self::new(setup, &rows.elements, rows.n, rows.columns)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.output)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download_results(&self.output)
    }
}

/// The elements of 16 bytes.
const GROUP: usize = 4;

/// Row by row, each padded with −∞ to whole groups of 16 bytes: e^−∞ adds nothing to a sum.
#[derive(Debug)]
pub struct Padded {
    /// The rows; [`Buffers::columns`] includes the padding.
    pub buffers: Buffers,
    /// The number of columns without the padding.
    columns: usize,
}

impl Layout for Padded {
    type Inputs = Rows;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, rows: &Rows) -> Result<Self, Error> {
        let columns = rows.columns;
        let wide = columns.next_multiple_of(GROUP);
        let elements = padded(&rows.elements, columns, [rows.n, wide], f32::NEG_INFINITY);
        Ok(Self { buffers: Buffers::new(setup, &elements, rows.n, wide)?, columns })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        let Buffers { n, columns, .. } = self.buffers;
        Ok(cropped(self.buffers.results(setup)?, columns as usize, [n as usize, self.columns]))
    }
}
