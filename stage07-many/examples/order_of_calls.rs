//! Exercise: in addition to the forces, rank 0 needs the number of ranks that take part. Why does no rank continue?
//!
//! `cargo run -p stage07-many --example order_of_calls`

use common::Error;
use cudarc::driver::CudaSlice;
use cudarc::nccl::ReduceOp;
use stage07_many::forces::{Exchange, Forces, Problem};
use stage07_many::ranks::rank::Rank;
use stage07_many::ranks::tape::{Bytes, Tape};
use std::process::ExitCode;

static STRATEGY: Forces<Gather> = Forces::new();

#[derive(Debug)]
struct Gather {
    all: CudaSlice<f32>,
    /// 1 on each rank, and below it the sum of these.
    present: CudaSlice<f32>,
    count: CudaSlice<f32>,
}

impl Exchange for Gather {
    const NAME: &'static str = "order_of_calls";
    const IDEA: &'static str = "as all_gather, with a count of the ranks";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        let all = rank.zeros(problem.floats_of_all())?;
        Ok(Self { all, present: rank.upload(&[1.0])?, count: rank.zeros(1)? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { all, present, count } = self;
        let world = &tape.rank.world;
        let stream = &tape.rank.transfers;
        problem.clear(tape, stream)?;
        // rank 0 counts first, since it is the one that needs the result
        if world.rank() == 0 {
            tape.exchange("count", stream, Bytes::default(), || world.all_reduce(present, count, &ReduceOp::Sum))?;
        }
        tape.exchange("all_gather", stream, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        if world.rank() != 0 {
            tape.exchange("count", stream, Bytes::default(), || world.all_reduce(present, count, &ReduceOp::Sum))?;
        }
        problem.add(tape, stream, "all bodies", &all.as_view())
    }
}

fn main() -> ExitCode {
    stage07_many::run_exercise(&STRATEGY)
}
