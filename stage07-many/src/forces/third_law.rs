//! Newton's third law between ranks: each pair of shares is computed once, on one of its two ranks, for both;
//! reduce_scatter then delivers to every rank the sum of the forces that the others have computed for its bodies.
//!
//! Shares form a ring. A rank computes the pairs of its own bodies, and those with the shares that follow, up to half
//! the ring. If the number of ranks is even, both would compute the pairs of opposite shares: each takes half of them.

use super::pairs::{Pairs, SOURCE};
use super::problem::Alone;
use super::{Exchange, FLOATS, Problem};
use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::tape::{Bytes, Tape};
use common::Error;
use common::kernel::KernelSource;
use cudarc::driver::CudaSlice;
use cudarc::nccl::ReduceOp;
use std::ops::Range;

/// All bodies, and the forces on them that this rank has computed.
#[derive(Debug)]
pub struct ThirdLaw {
    pairs: Pairs,
    all: CudaSlice<f32>,
    /// Three rows for the bodies of each rank.
    forces: CudaSlice<f32>,
}

/// Bodies of this rank's share, to be paired with bodies of another's.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pairing {
    own: Range<usize>,
    other: usize,
    others: Range<usize>,
}

impl Exchange for ThirdLaw {
    const NAME: &'static str = "third_law";
    const IDEA: &'static str = "each pair of shares on one rank, for both; reduce_scatter adds their forces";

    fn sources() -> Vec<KernelSource> {
        vec![SOURCE]
    }

    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error> {
        let all = problem.floats_of_all();
        Ok(Self { pairs: Pairs::load(rank)?, all: rank.zeros(all)?, forces: rank.zeros(all / FLOATS * 3)? })
    }

    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let Self { pairs, all, forces } = self;
        let world = &tape.rank.world;
        let stream = &tape.rank.transfers;
        let compute = &tape.rank.compute;
        let rank = world.rank();
        let ranks = world.world_size();
        let room = problem.share.room;
        tape.fill("zeros", || stream.memset_zeros(forces))?;
        tape.wait(compute, stream)?;
        tape.exchange("all_gather", stream, problem.bytes_of_others(), || world.all_gather(&problem.own, all))?;
        let own_pairs = (room * room) as f64 / 2.0;
        tape.compute("own pairs", compute, own_pairs, || pairs.within(compute, &problem.own, forces, rank))?;
        for Pairing { own, other, others } in pairings(rank, ranks, room) {
            let work = (own.len() * others.len()) as f64;
            let sides = [(rank, own), (other, others)];
            tape.compute("pairs of two shares", stream, work, || pairs.between(stream, all, forces, room, sides))?;
        }
        // all forces have been added
        tape.wait(stream, compute)?;
        // the forces that each other rank has computed for this rank's bodies: three floats, where a body is four
        let Bytes { received, from_machines } = problem.bytes_of_others();
        let bytes = Bytes { received: received / 4 * 3, from_machines: from_machines / 4 * 3 };
        tape.exchange("reduce_scatter", stream, bytes, || {
            world.reduce_scatter(forces, &mut problem.sums, &ReduceOp::Sum)
        })
    }

    fn alone(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let stream = &tape.rank.transfers;
        let pairs = &self.pairs;
        let Alone { bodies, sums } = &mut problem.alone;
        let n = (bodies.len() / FLOATS) as f64;
        tape.fill("zeros", || stream.memset_zeros(sums))?;
        tape.compute("all pairs alone", stream, n * n / 2.0, || pairs.within(stream, bodies, sums, 0))
    }

    fn predict(model: &Model) -> Option<f64> {
        // Of the bytes, 4 of 7 are transferred concurrently with the own pairs, the others after all kernels.
        let [gather, scatter] = [4.0 / 7.0, 3.0 / 7.0].map(|part| Model { bytes: part * model.bytes, ..*model });
        Some(gather.own_block_first() + scatter.exchange())
    }
}

/// Returns the bodies of other shares that a rank pairs with its own.
fn pairings(rank: usize, ranks: usize, room: usize) -> Vec<Pairing> {
    let half = room / 2;
    let pairing = |apart: usize| {
        let other = (rank + apart) % ranks;
        let (own, others) = match (2 * apart == ranks, rank < other) {
            (false, _) => (0..room, 0..room),
            // the lower rank takes the first half of its own share, the higher rank the second half of the other's
            (true, true) => (0..half, 0..room),
            (true, false) => (0..room, half..room),
        };
        Pairing { own, other, others }
    };
    (1..=ranks / 2).map(pairing).filter(|pairing| !pairing.own.is_empty() && !pairing.others.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_pair_of_bodies_of_two_shares_is_computed_once() {
        for (ranks, room) in [(1, 3), (2, 3), (3, 2), (4, 1), (4, 3), (5, 2), (8, 3)] {
            let mut seen = HashSet::new();
            for rank in 0..ranks {
                for Pairing { own, other, others } in pairings(rank, ranks, room) {
                    for (a, b) in own.flat_map(|a| others.clone().map(move |b| (rank * room + a, other * room + b))) {
                        assert!(seen.insert((a.min(b), a.max(b))), "{ranks} ranks: {a} and {b} are paired twice");
                    }
                }
            }
            assert_eq!(seen.len(), room * room * ranks * (ranks - 1) / 2, "{ranks} ranks of {room}");
        }
    }
}
