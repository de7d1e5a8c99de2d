//! Exercise: every byte of this step is exposed: no kernel can run while it is transferred. Hide all of them.
//!
//! `cargo run -p stage07-many --example hide_the_gather`; the strategy own_block_first does.

use common::Error;
use cudarc::driver::CudaSlice;
use stage07_many::forces::{Exchange, Forces, Problem};
use stage07_many::ranks::rank::Rank;
use stage07_many::ranks::tape::Tape;
use std::process::ExitCode;

static STRATEGY: Forces<Gather> = Forces::new();

#[derive(Debug)]
struct Gather {
    all: CudaSlice<f32>,
}

impl Exchange for Gather {
    const NAME: &'static str = "hide_the_gather";
    const IDEA: &'static str = "as all_gather; which bodies need not travel?";

    /// The number of bytes that may be exposed.
    const MAX_EXPOSED_BYTES: Option<f64> = Some(0.0);

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

fn main() -> ExitCode {
    stage07_many::run_exercise(&STRATEGY)
}
