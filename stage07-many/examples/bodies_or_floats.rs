//! Exercise: every rank gathers all bodies, and the program stops with an error. What does a count count?
//!
//! `cargo run -p stage07-many --example bodies_or_floats`; the strategy all_gather is correct.

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
    const NAME: &'static str = "bodies_or_floats";
    const IDEA: &'static str = "as all_gather, with too little room";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        // one element for each body of each rank
        Ok(Self { all: rank.zeros(problem.share.room * rank.place.world)? })
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
