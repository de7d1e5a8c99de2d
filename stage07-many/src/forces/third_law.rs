//! Each pair of shares once, on one of their two ranks, which computes what both feel; reduce_scatter brings every rank the
//! sum of what the others have computed for its bodies.
//!
//! Shares lie in a ring. A rank takes the pairs of its own bodies, and those with the shares that follow, up to half-way
//! round. Where the ranks are even, the share just opposite would come twice: each of the two takes a half of it.

use super::pairs::{Pairs, SOURCE};
use super::problem::FLOATS;
use super::{Exchange, Problem};
use crate::model::Model;
use crate::rank::Rank;
use crate::tape::{Bytes, Tape};
use common::Error;
use common::kernel::KernelSource;
use cudarc::driver::CudaSlice;
use cudarc::nccl::ReduceOp;
use std::ops::Range;

/// All bodies, and what this rank has found them to feel.
#[derive(Debug)]
pub struct ThirdLaw {
    pairs: Pairs,
    all: CudaSlice<f32>,
    /// Of each rank's bodies, three rows.
    felt: CudaSlice<f32>,
}

/// Bodies of this rank's share with bodies of another's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meeting {
    own: Range<usize>,
    other: usize,
    others: Range<usize>,
}

impl Exchange for ThirdLaw {
    const NAME: &'static str = "third_law";
    const IDEA: &'static str = "each pair of shares on one rank, for both; reduce_scatter adds what they feel";

    fn sources() -> Vec<KernelSource> {
        vec![SOURCE]
    }

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        let all = problem.floats_of_all();
        Ok(Self { pairs: Pairs::load(rank)?, all: rank.zeros(all)?, felt: rank.zeros(all / FLOATS * 3)? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { pairs, all, felt } = self;
        let (world, stream, compute) = (&tape.rank.world, &tape.rank.transfers, &tape.rank.compute);
        let (rank, ranks, room) = (world.rank(), world.world_size(), problem.share.room);
        tape.fill("zeros", || stream.memset_zeros(felt))?;
        tape.wait(compute, stream)?;
        tape.exchange("all_gather", stream, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        let own_pairs = (room * room) as f64 / 2.0;
        tape.compute("own pairs", compute, own_pairs, || pairs.within(compute, &problem.own, felt, rank))?;
        for Meeting { own, other, others } in meetings(rank, ranks, room) {
            let work = (own.len() * others.len()) as f64;
            let sides = [(rank, own), (other, others)];
            tape.compute("pairs of two shares", stream, work, || pairs.between(stream, all, felt, room, sides))?;
        }
        // all that is felt has been added
        tape.wait(stream, compute)?;
        // what each other rank has found this one's bodies to feel: three floats, where a body is four
        let Bytes { received, from_machines } = problem.bytes_of_others();
        let bytes = Bytes { received: received / 4 * 3, from_machines: from_machines / 4 * 3 };
        tape.exchange("reduce_scatter", stream, bytes, || world.reduce_scatter(felt, &mut problem.sums, &ReduceOp::Sum))
    }

    fn alone(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let (stream, pairs) = (&tape.rank.transfers, &self.pairs);
        let (bodies, sums) = problem.alone();
        let n = (bodies.len() / FLOATS) as f64;
        tape.fill("zeros", || stream.memset_zeros(sums))?;
        tape.compute("all pairs alone", stream, n * n / 2.0, || pairs.within(stream, bodies, sums, 0))
    }

    fn predict(model: &Model) -> Option<f64> {
        // Of the bytes, 4 of 7 come beside the own pairs, the others after all kernels.
        let [gather, scatter] = [4.0 / 7.0, 3.0 / 7.0].map(|part| Model { bytes: part * model.bytes, ..*model });
        Some(gather.own_block_first() + scatter.exchange())
    }
}

/// Which bodies a rank meets, of other shares.
fn meetings(rank: usize, ranks: usize, room: usize) -> Vec<Meeting> {
    let half = room / 2;
    let meeting = |apart: usize| {
        let other = (rank + apart) % ranks;
        let (own, others) = match (2 * apart == ranks, rank < other) {
            (false, _) => (0..room, 0..room),
            // of the lower rank's share, it takes the first half itself, and the other the second
            (true, true) => (0..half, 0..room),
            (true, false) => (0..room, half..room),
        };
        Meeting { own, other, others }
    };
    (1..=ranks / 2).map(meeting).filter(|meeting| !meeting.own.is_empty() && !meeting.others.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_pair_of_bodies_of_two_shares_meets_once() {
        for (ranks, room) in [(1, 3), (2, 3), (3, 2), (4, 1), (4, 3), (5, 2), (8, 3)] {
            let mut seen = HashSet::new();
            for rank in 0..ranks {
                for Meeting { own, other, others } in meetings(rank, ranks, room) {
                    for (a, b) in own.flat_map(|a| others.clone().map(move |b| (rank * room + a, other * room + b))) {
                        assert!(seen.insert((a.min(b), a.max(b))), "{ranks} ranks: {a} and {b} meet twice");
                    }
                }
            }
            assert_eq!(seen.len(), room * room * ranks * (ranks - 1) / 2, "{ranks} ranks of {room}");
        }
    }
}
