//! Ring: while a rank sums over one share, it sends that share on and receives the next. No rank ever stores all
//! bodies.

use super::{Exchange, Problem};
use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::tape::Tape;
use common::Error;
use cudarc::driver::CudaSlice;
use cudarc::nccl::{group_end, group_start};

/// Double buffering: a receive must not overwrite the share that a kernel reads.
#[derive(Debug)]
pub struct Ring {
    here: CudaSlice<f32>,
    coming: CudaSlice<f32>,
}

impl Exchange for Ring {
    const NAME: &'static str = "ring";
    const IDEA: &'static str =
        "shares travel in a ring by send and receive, overlapped with the sums over the previous";

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
                // a group: a separate send would wait for a receive that the other rank has not yet called
                tape.exchange("send and receive", transfers, problem.bytes_of(last as usize), || {
                    group_start()?;
                    world.send(used, next)?;
                    world.recv(coming, last)?;
                    group_end()
                })?;
            }
            match step {
                0 => problem.add_own(tape, compute, "own bodies")?,
                _ => problem.add(tape, compute, "a share", &here.as_view())?,
            }
            // the next receive overwrites what this kernel reads, and the next kernel reads what is received
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
