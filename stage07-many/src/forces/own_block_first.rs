//! Overlap: as all_gather, but while the bodies of the others are transferred, a rank sums over its own, which need no
//! transfer, on a second stream.

use super::{Exchange, Problem};
use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::tape::Tape;
use common::Error;
use cudarc::driver::CudaSlice;

/// All bodies, on every rank.
#[derive(Debug)]
pub struct OwnBlockFirst {
    all: CudaSlice<f32>,
}

impl Exchange for OwnBlockFirst {
    const NAME: &'static str = "own_block_first";
    const IDEA: &'static str = "own bodies on a second stream, overlapped with the gather";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        Ok(Self { all: rank.zeros(problem.floats_of_all())? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { all } = self;
        let world = &tape.rank.world;
        let transfers = &tape.rank.transfers;
        let compute = &tape.rank.compute;
        problem.clear(tape, transfers)?;
        tape.wait(compute, transfers)?;
        // Enqueued before the kernel: priority applies to the next free multiprocessor, and resident blocks run to
        // their end.
        tape.exchange("all_gather", transfers, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        problem.add_own(tape, compute, "own bodies")?;
        // after the gather, and concurrently with the own bodies: both kernels add atomically
        for others in problem.others_in_all() {
            problem.add(tape, transfers, "other bodies", &all.slice(others))?;
        }
        tape.wait(transfers, compute)
    }

    fn predict(model: &Model) -> Option<f64> {
        Some(model.own_block_first())
    }
}
