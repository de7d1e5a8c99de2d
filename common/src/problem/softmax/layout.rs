//! The layouts of the rows on the device.

use crate::error::Error;
use crate::problem::{Layout, Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::CudaSlice;
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
    poison: CudaSlice<f32>,
}

impl Buffers {
    fn new(setup: &Setup, elements: &[f32], n: usize, columns: usize) -> Result<Self, Error> {
        let poison = vec![poison_f32(); elements.len()];
        Ok(Self {
            input: setup.upload(elements)?,
            output: setup.upload(&poison)?,
            n: as_i32(n),
            columns: as_i32(columns),
            poison: setup.upload(&poison)?,
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
        setup.copy(&self.poison, &mut self.output)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.output)
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
        let buffers = if wide == columns {
            Buffers::prepare(setup, rows)?
        } else {
            Buffers::new(setup, &pad(&rows.elements, columns, wide), rows.n, wide)?
        };
        Ok(Self { buffers, columns })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.buffers.restore(setup)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        let padded = self.buffers.results(setup)?;
        let rows = padded.chunks_exact(self.buffers.columns as usize);
        Ok(rows.flat_map(|row| &row[..self.columns]).copied().collect())
    }
}

/// Returns rows of `columns` elements with −∞ up to `wide` elements.
fn pad(elements: &[f32], columns: usize, wide: usize) -> Vec<f32> {
    let mut all = vec![f32::NEG_INFINITY; elements.len() / columns * wide];
    for (to, from) in all.chunks_exact_mut(wide).zip(elements.chunks_exact(columns)) {
        to[..columns].copy_from_slice(from);
    }
    all
}
