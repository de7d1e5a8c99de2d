//! All-gather: every rank gathers all bodies, directly between the devices, and sums over them.

use super::{Exchange, Problem};
use crate::ranks::rank::Rank;
use crate::ranks::tape::Tape;
use common::Error;
use cudarc::driver::CudaSlice;

/// All bodies, on every rank.
#[derive(Debug)]
pub struct AllGather {
    all: CudaSlice<f32>,
}

impl Exchange for AllGather {
    const NAME: &'static str = "all_gather";
    const IDEA: &'static str = "NCCL gathers all bodies on every rank, on the stream of the kernel";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        Ok(Self { all: rank.zeros(problem.floats_of_all())? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { all } = self;
        let world = &tape.rank.world;
        let stream = &tape.rank.transfers;
        problem.clear(tape, stream)?;
        tape.exchange("all_gather", stream, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        problem.add(tape, stream, "all bodies", &all.as_view())
    }
}
