//! As all_gather, but while the others' bodies come, a rank sums over its own, which need not travel, on a second stream.

use super::{Exchange, Problem};
use crate::model::Model;
use crate::rank::Rank;
use crate::tape::Tape;
use common::Error;
use cudarc::driver::CudaSlice;

/// All bodies, on every rank.
#[derive(Debug)]
pub struct OwnBlockFirst {
    all: CudaSlice<f32>,
}

impl Exchange for OwnBlockFirst {
    const NAME: &'static str = "own_block_first";
    const IDEA: &'static str = "own bodies on a second stream while the gather brings the others'";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        Ok(Self { all: rank.zeros(problem.floats_of_all())? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { all } = self;
        let (world, transfers, compute) = (&tape.rank.world, &tape.rank.transfers, &tape.rank.compute);
        problem.clear(tape, transfers)?;
        tape.wait(compute, transfers)?;
        // Before the kernel: priority is for the next free place, and blocks that have all places keep them to their end.
        tape.exchange("all_gather", transfers, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        problem.add_own(tape, compute, "own bodies")?;
        // behind the gather, and beside the own bodies: both kernels add atomically
        for others in problem.others_in_all() {
            problem.add(tape, transfers, "other bodies", &all.slice(others))?;
        }
        tape.wait(transfers, compute)
    }

    fn predict(model: &Model) -> Option<f64> {
        Some(model.own_block_first())
    }
}
