//! Hierarchical all_gather: between machines, whose links are slow, each body is sent to a machine once; within a
//! machine, the ranks then exchange what each has received.

use super::{Exchange, Problem};
use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::tape::{Bytes, Tape};
use common::Error;
use cudarc::driver::CudaSlice;
use cudarc::nccl::Comm;

/// Two communicators, and the buffers of their transfers.
#[derive(Debug)]
pub struct TwoLevel {
    /// The ranks with the same number on all machines.
    between: Comm,
    /// The ranks of this machine.
    inside: Comm,
    /// The bodies gathered by `between`.
    column: CudaSlice<f32>,
    /// All bodies, ordered by their ranks' numbers on the machines; the order does not affect the sums.
    all: CudaSlice<f32>,
}

impl Exchange for TwoLevel {
    const NAME: &'static str = "two_level";
    const IDEA: &'static str = "first between machines, then inside: two communicators";

    fn obstacle(rank: &Rank) -> Option<String> {
        rank.machines
            .ranks_each
            .is_none()
            .then(|| format!("the {} ranks are not distributed evenly over the machines", rank.place.world))
    }

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        let each = rank.machines.ranks_each.unwrap_or(rank.place.world);
        let machines = rank.place.world / each;
        let machine = rank.place.rank / each;
        let number = rank.place.rank % each;
        Ok(Self {
            between: rank.communicator(number, machine, machines)?,
            inside: rank.communicator(machine, number, each)?,
            column: rank.zeros(machines * problem.own.len())?,
            all: rank.zeros(problem.floats_of_all())?,
        })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { between, inside, column, all } = self;
        let stream = &tape.rank.transfers;
        let machines = between.world_size();
        let each = inside.world_size();
        let room = 4 * problem.own.len();
        problem.clear(tape, stream)?;
        let far = room * (machines - 1);
        let bytes = Bytes { received: far, from_machines: far };
        tape.exchange("all_gather between machines", stream, bytes, || between.all_gather(&problem.own, column))?;
        let near = room * machines * (each - 1);
        let bytes = Bytes { received: near, from_machines: 0 };
        tape.exchange("all_gather inside", stream, bytes, || inside.all_gather(column, all))?;
        problem.add(tape, stream, "all bodies", &all.as_view())
    }

    fn predict(model: &Model) -> Option<f64> {
        Some(model.one_after_the_other() + model.link.latency)
    }
}
