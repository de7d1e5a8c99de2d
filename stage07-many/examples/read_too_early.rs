//! Exercise: own bodies first, concurrently with the gather, then the bodies of the others. The results are correct, on
//! this machine. What could make them wrong on another?
//!
//! `cargo run -p stage07-many --example read_too_early`; the strategy own_block_first is correct.

use common::Error;
use cudarc::driver::CudaSlice;
use stage07_many::forces::{Exchange, Forces, Problem};
use stage07_many::ranks::model::Model;
use stage07_many::ranks::rank::Rank;
use stage07_many::ranks::tape::Tape;
use std::process::ExitCode;

static STRATEGY: Forces<OwnBlockFirst> = Forces::new();

#[derive(Debug)]
struct OwnBlockFirst {
    all: CudaSlice<f32>,
}

impl Exchange for OwnBlockFirst {
    const NAME: &'static str = "read_too_early";
    const IDEA: &'static str = "as own_block_first, with all kernels on one stream";

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
        tape.exchange("all_gather", transfers, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        problem.add_own(tape, compute, "own bodies")?;
        for others in problem.others_in_all() {
            problem.add(tape, compute, "other bodies", &all.slice(others))?;
        }
        tape.wait(transfers, compute)
    }

    fn predict(model: &Model) -> Option<f64> {
        Some(model.own_block_first())
    }
}

fn main() -> ExitCode {
    stage07_many::run_exercise(&STRATEGY)
}
