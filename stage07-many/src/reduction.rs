//! Problem C: the sum of integers that are distributed over many GPUs. Each rank adds its own, and all_reduce adds the
//! sums: one word per rank, whose cost is a latency, independent of n.

use crate::ranks::rank::{Rank, Share};
use crate::ranks::strategy::{Facts, Strategy, Work};
use crate::ranks::tape::{Bytes, Tape};
use common::Error;
use common::device::Backend;
use common::format::thousands;
use common::kernel::KernelSource;
use common::problem::reduction::Values;
use common::problem::{Inputs, Size};
use common::verify::{Report, poison_i32};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nccl::ReduceOp;
use rayon::prelude::*;
use stage06_limit::REDUCE_STREAMING;
use stage06_limit::reduction::RESIDENT_BLOCKS;
use std::ops::Range;
use std::sync::Arc;

/// The strategy: local sums, then all_reduce.
pub static ALL_REDUCE: AllReduce = AllReduce;

/// The sum over all ranks.
#[derive(Debug)]
pub struct AllReduce;

const BLOCK: u32 = 1024;

/// The alignment of shares in elements: a 16-byte load.
const UNIT: usize = 4;

/// The data of a rank: all values, and its share of them.
struct Run<'a> {
    rank: &'a Rank,
    kernel: CudaFunction,
    values: CudaSlice<i32>,
    share: Range<usize>,
    scratch: Scratch,
    /// The rank's own sum, which becomes the sum over all ranks.
    total: CudaSlice<i32>,
    alone: CudaSlice<i32>,
    expected: i32,
}

/// Scratch space of the kernel.
struct Scratch {
    partials: CudaSlice<i32>,
    arrived: CudaSlice<u32>,
}

impl Run<'_> {
    /// Launches stage 6's reduction over a part of the values.
    fn sum(
        kernel: &CudaFunction,
        stream: &Arc<CudaStream>,
        values: &CudaSlice<i32>,
        part: Range<usize>,
        scratch: &mut Scratch,
        total: &mut CudaSlice<i32>,
    ) -> Result<(), DriverError> {
        let count = u32::try_from(part.len()).expect("every accepted n fits 32 bits");
        if count == 0 {
            return stream.memset_zeros(total);
        }
        let part = values.slice(part);
        let config = LaunchConfig { grid_dim: (RESIDENT_BLOCKS, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        let mut arguments = stream.launch_builder(kernel);
        arguments.arg(&part).arg(&mut scratch.partials).arg(&count).arg(&mut scratch.arrived).arg(total);
        // SAFETY: the kernel has these parameters; there are `count` values, which begin at a multiple of 16 bytes, one
        // partial sum per block, one counter and one total; no thread accesses elements beyond these.
        unsafe { arguments.launch(config) }.map(drop)
    }
}

impl Work for Run<'_> {
    fn step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, kernel, values, share, scratch, total, .. } = self;
        let world = &rank.world;
        let stream = &rank.transfers;
        let work = share.len() as f64;
        tape.compute("own sum", stream, work, || Self::sum(kernel, stream, values, share.clone(), scratch, total))?;
        let bytes = Bytes { received: 4 * (world.world_size() - 1), from_machines: 0 };
        tape.exchange("all_reduce", stream, bytes, || world.all_reduce_in_place(total, &ReduceOp::Sum))
    }

    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, kernel, values, scratch, alone, .. } = self;
        let stream = &rank.transfers;
        let n = values.len();
        tape.compute("the sum alone", stream, n as f64, || Self::sum(kernel, stream, values, 0..n, scratch, alone))
    }

    fn verify(&mut self) -> Result<Report, Error> {
        let mut report = Report::default();
        report.compare_integers("sum", &self.rank.download(&self.total)?, &[self.expected]);
        report.compare_integers("sum on one GPU", &self.rank.download(&self.alone)?, &[self.expected]);
        Ok(report)
    }
}

impl Strategy for AllReduce {
    fn facts(&self) -> Facts {
        Facts {
            letter: "C",
            name: "all_reduce",
            idea: "each rank sums its own integers, all_reduce adds one word of each",
            default_n: 1 << 30,
            emulated_n: 100_000,
            largest_n: 1 << 30,
            growth: 1,
            scaling: &[1 << 24, 1 << 30],
        }
    }

    fn describe(&self, n: usize, _: Backend) -> String {
        format!("sum reduction, {} integers", thousands(n as u64))
    }

    fn sources(&self) -> Vec<KernelSource> {
        vec![REDUCE_STREAMING.source]
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: &Size) -> Result<Box<dyn Work + 'a>, Error> {
        let values = Values::new(size).data;
        let sum: i64 = values.par_iter().map(|&value| i64::from(value)).sum();
        Ok(Box::new(Run {
            rank,
            kernel: rank.kernel(&REDUCE_STREAMING.source, &REDUCE_STREAMING.entry.name(BLOCK))?,
            values: rank.upload(&values)?,
            share: Share::new(size.n, rank.place.rank, rank.place.world, UNIT).own,
            scratch: Scratch { partials: rank.zeros(RESIDENT_BLOCKS as usize)?, arrived: rank.zeros(1)? },
            total: rank.upload(&[poison_i32()])?,
            alone: rank.upload(&[poison_i32()])?,
            // modulo 2³², as the hardware adds
            expected: sum as i32,
        }))
    }
}
