//! Exercise: shares travel in a ring, and no rank ever receives one. Why does each rank wait?
//!
//! `cargo run -p stage07-many --example lonely_sends`; the strategy ring is correct.

use common::Error;
use cudarc::driver::CudaSlice;
use stage07_many::forces::{Exchange, Forces, Problem};
use stage07_many::ranks::model::Model;
use stage07_many::ranks::rank::Rank;
use stage07_many::ranks::tape::{Bytes, Tape};
use std::process::ExitCode;

static STRATEGY: Forces<Ring> = Forces::new();

#[derive(Debug)]
struct Ring {
    here: CudaSlice<f32>,
    coming: CudaSlice<f32>,
}

impl Exchange for Ring {
    const NAME: &'static str = "lonely_sends";
    const IDEA: &'static str = "as ring, with nothing that makes a send and a receive one step";

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        Ok(Self { here: rank.zeros(problem.own.len())?, coming: rank.zeros(problem.own.len())? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let world = &tape.rank.world;
        let transfers = &tape.rank.transfers;
        let compute = &tape.rank.compute;
        let rank = world.rank();
        let ranks = world.world_size();
        let next = ((rank + 1) % ranks) as i32;
        let last = ((rank + ranks - 1) % ranks) as i32;
        tape.wait(compute, transfers)?;
        problem.clear(tape, compute)?;
        for step in 0..ranks {
            let Self { here, coming } = self;
            let used = if step == 0 { &problem.own } else { &*here };
            if step + 1 < ranks {
                tape.exchange("send", transfers, Bytes::default(), || world.send(used, next))?;
                tape.exchange("receive", transfers, problem.bytes_of(last as usize), || world.recv(coming, last))?;
            }
            match step {
                0 => problem.add_own(tape, compute, "own bodies")?,
                _ => problem.add(tape, compute, "a share", &here.as_view())?,
            }
            tape.wait(compute, transfers)?;
            tape.wait(transfers, compute)?;
            std::mem::swap(&mut self.here, &mut self.coming);
        }
        Ok(())
    }

    fn predict(model: &Model) -> Option<f64> {
        Some(model.ring())
    }
}

fn main() -> ExitCode {
    stage07_many::run_exercise(&STRATEGY)
}
