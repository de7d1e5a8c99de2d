//! Runs a measurement.

use super::{Body, Cost, Measured, Point};
use crate::Bench;
use crate::bench::prebuilt_version;
use common::error::Error;
use common::kernel::LoadedKernel;

impl Bench {
    /// Runs one measurement. A wrong result is recorded, not an error.
    ///
    /// # Errors
    /// [`Error::Kernel`] or [`Error::Driver`].
    pub fn cost(&mut self, point: &Point) -> Result<Measured, Error> {
        let (kernel, version) = self.load(point)?;
        let ran = match point.cost {
            Cost::Start { body: body @ (Body::Storing | Body::Copying), threads } => {
                self.ends(&kernel, body == Body::Copying, threads)?
            }
            Cost::Start { body, threads } => self.starts(&kernel, body, threads)?,
            Cost::ConstantChain { bytes, words } => self.constant_chain(&kernel, bytes, words)?,
            Cost::ConstantStream { bytes, warps } => self.constant_stream(&kernel, bytes, warps)?,
            Cost::Atomic { addresses, is_common } => self.atomics(&kernel, point.kernel, addresses, is_common)?,
            Cost::Store { stride, bytes } => self.stores(&kernel, stride, bytes)?,
            Cost::Load { stride, bytes } => self.loads(&kernel, stride, bytes)?,
            Cost::SparseStore { stride } => self.sparse_stores(&kernel, stride)?,
            Cost::Copy { reads } => self.copies(&kernel, reads)?,
            Cost::Scatter { cells } => self.scatter(&kernel, point.kernel, cells)?,
            Cost::L2 { bytes, sharing } => self.cache(&kernel, bytes, sharing)?,
            Cost::BulkCopy { chunk, sharing, bytes } => self.bulk_copies(&kernel, chunk, sharing, bytes)?,
            Cost::Code { instructions, warps, is_once } => self.code(&kernel, instructions, warps, is_once)?,
        };
        Ok(Measured {
            cost: point.cost,
            kernel: point.kernel.into(),
            amount: ran.amount,
            unit: point.cost.unit().into(),
            time_ms: ran.time,
            rate: ran.rate(),
            nominal_clock_hz: self.nominal_clock_hz(),
            multiprocessors: self.device.attributes.multiprocessors,
            made: self.provenance(&kernel, version),
            verified: ran.verified,
        })
    }

    /// Returns the kernel and its version.
    fn load(&mut self, point: &Point) -> Result<(LoadedKernel, Option<String>), Error> {
        match (&point.source, point.cost) {
            (None, Cost::Code { instructions, .. }) => {
                self.load_straight_line(instructions).map(|(kernel, version)| (kernel, Some(version)))
            }
            (Some(source), _) => {
                let kernel = self.loader.load(&self.device, source, point.kernel)?;
                let version = prebuilt_version(&kernel, source);
                Ok((kernel, version))
            }
            (None, _) => Err(Error::Kernel(format!("{} has no file", point.kernel))),
        }
    }
}
