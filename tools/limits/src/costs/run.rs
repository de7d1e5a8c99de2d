//! Runs a measurement.

use super::code::{code, load_straight_line};
use super::constants::{constant_chain, constant_stream};
use super::memory::{atomics, bulk_copies, cache, copies, loads, scatter, sparse_stores, stores};
use super::starts::{ends, starts};
use super::{Body, Cost, Measured, Point};
use common::ceilings::bench::{Bench, prebuilt_version};
use common::error::Error;
use common::kernel::LoadedKernel;

/// Runs one measurement. A wrong result is recorded, not an error.
///
/// # Errors
/// [`Error::Kernel`] or [`Error::Driver`].
pub fn measure(bench: &mut Bench<'_>, point: &Point) -> Result<Measured, Error> {
    let (kernel, version) = load(bench, point)?;
    let ran = match point.cost {
        Cost::Start { body: body @ (Body::Storing | Body::Copying), threads } => {
            ends(bench, &kernel, body == Body::Copying, threads)?
        }
        Cost::Start { body, threads } => starts(bench, &kernel, body, threads)?,
        Cost::ConstantChain { bytes, words } => constant_chain(bench, &kernel, bytes, words)?,
        Cost::ConstantStream { bytes, warps } => constant_stream(bench, &kernel, bytes, warps)?,
        Cost::Atomic { addresses, is_common } => atomics(bench, &kernel, point.kernel, addresses, is_common)?,
        Cost::Store { stride, bytes } => stores(bench, &kernel, stride, bytes)?,
        Cost::Load { stride, bytes } => loads(bench, &kernel, stride, bytes)?,
        Cost::SparseStore { stride } => sparse_stores(bench, &kernel, stride)?,
        Cost::Copy { reads } => copies(bench, &kernel, reads)?,
        Cost::Scatter { cells } => scatter(bench, &kernel, point.kernel, cells)?,
        Cost::L2 { bytes, sharing } => cache(bench, &kernel, bytes, sharing)?,
        Cost::BulkCopy { chunk, sharing, bytes } => bulk_copies(bench, &kernel, chunk, sharing, bytes)?,
        Cost::Code { instructions, warps, is_once } => code(bench, &kernel, instructions, warps, is_once)?,
    };
    Ok(Measured {
        cost: point.cost,
        kernel: point.kernel.into(),
        amount: ran.amount,
        unit: point.cost.unit().into(),
        time_ms: ran.time,
        rate: ran.rate(),
        nominal_clock_hz: bench.nominal_clock_hz(),
        multiprocessors: bench.device.attributes.multiprocessors,
        made: bench.provenance(&kernel, version),
        verified: ran.verified,
    })
}

/// Returns the kernel and its version.
fn load(bench: &mut Bench<'_>, point: &Point) -> Result<(LoadedKernel, Option<String>), Error> {
    match (&point.source, point.cost) {
        (None, Cost::Code { instructions, .. }) => {
            load_straight_line(bench, instructions).map(|(kernel, version)| (kernel, Some(version)))
        }
        (Some(source), _) => {
            let kernel = bench.load(source, point.kernel)?;
            let version = prebuilt_version(&kernel, source);
            Ok((kernel, version))
        }
        (None, _) => Err(Error::Kernel(format!("{} has no file", point.kernel))),
    }
}
