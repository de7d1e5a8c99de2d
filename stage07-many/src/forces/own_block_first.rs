//! As all_gather, but a rank begins with its own bodies, which need not travel, while the others' come on a second stream.

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
    const IDEA: &'static str = "the gather on a second, urgent stream; own bodies meanwhile";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        Ok(Self { all: rank.zeros(problem.floats_of_all())? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { all } = self;
        let (world, transfers, compute) = (&tape.rank.world, &tape.rank.transfers, &tape.rank.compute);
        tape.wait(compute, transfers)?;
        // before the kernel, whose blocks would take every multiprocessor
        tape.exchange("all_gather", transfers, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        problem.clear(tape, compute)?;
        problem.add_own(tape, compute, "own bodies")?;
        // the others' bodies are there once the gather has ended
        tape.wait(compute, transfers)?;
        for others in problem.others_in_all() {
            problem.add(tape, compute, "other bodies", &all.slice(others))?;
        }
        tape.wait(transfers, compute)
    }

    fn predict(model: &Model) -> Option<f64> {
        Some(model.own_block_first())
    }
}
