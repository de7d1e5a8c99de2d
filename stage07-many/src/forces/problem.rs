//! What every rung of problem A has on a rank.

use super::kernel::ForcesOf;
use crate::rank::{Machines, Rank, Share};
use crate::rung::Size;
use crate::tape::{Bytes, Tape};
use common::Error;
use common::problem::forces::Bodies;
use cudarc::driver::{CudaSlice, CudaStream, CudaView};
use std::ops::Range;
use std::sync::Arc;

/// Floats of a body: three coordinates and its mass.
pub(super) const FLOATS: usize = 4;

/// What every rung has: bodies, and the forces on those of this rank.
#[derive(Debug)]
pub struct Problem {
    /// The rank's bodies, filled up to its room with bodies of no mass.
    pub own: CudaSlice<f32>,
    /// The forces on them, a row of `share.room` for each component.
    pub sums: CudaSlice<f32>,
    /// Which bodies are the rank's.
    pub share: Share,
    pub(super) kernel: ForcesOf,
    pub(super) rank: usize,
    ranks: usize,
    machines: Machines,
    pub(super) bodies: Bodies,
    pub(super) seed: u64,
    /// All bodies and the forces on them, on this device alone.
    pub(super) alone: Alone,
}

#[derive(Debug)]
pub(super) struct Alone {
    pub bodies: CudaSlice<f32>,
    pub sums: CudaSlice<f32>,
}

impl Problem {
    pub(super) fn new(rank: &Rank, size: Size) -> Result<Self, Error> {
        let (place, n) = (&rank.place, size.n);
        let share = Share::of(n, place.rank, place.world, 1);
        let (bodies, all) = all_bodies(size);
        let own = own_bodies(&all, &share);
        Ok(Self {
            own: rank.upload(&own)?,
            sums: rank.zeros(3 * share.room)?,
            alone: Alone { bodies: rank.upload(&all)?, sums: rank.zeros(3 * n)? },
            kernel: ForcesOf::load(rank)?,
            rank: place.rank,
            ranks: place.world,
            machines: rank.machines,
            bodies,
            seed: size.seed,
            share,
        })
    }

    /// All bodies and the forces on them, for this device alone.
    pub(super) fn alone(&mut self) -> (&CudaSlice<f32>, &mut CudaSlice<f32>) {
        (&self.alone.bodies, &mut self.alone.sums)
    }

    /// Floats of all ranks' rooms.
    pub fn floats_of_all(&self) -> usize {
        self.own.len() * self.ranks
    }

    /// Bytes of another rank's room.
    pub fn bytes_of(&self, other: usize) -> Bytes {
        let received = 4 * self.own.len();
        Bytes { received, from_machines: if self.machines.are_one(self.rank, other) { 0 } else { received } }
    }

    /// Bytes of the other ranks' rooms.
    pub fn bytes_of_others(&self) -> Bytes {
        (0..self.ranks).filter(|&other| other != self.rank).map(|other| self.bytes_of(other)).sum()
    }

    /// Where the others' bodies are among all: before and after the rank's own.
    pub fn others_in_all(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (room, all) = (self.own.len(), self.floats_of_all());
        [0..self.rank * room, (self.rank + 1) * room..all].into_iter().filter(|range| !range.is_empty())
    }

    /// Enqueues zeros for the forces.
    pub fn clear(&mut self, tape: &mut Tape, stream: &Arc<CudaStream>) -> Result<(), Error> {
        let sums = &mut self.sums;
        tape.fill("zeros", || stream.memset_zeros(sums))
    }

    /// Enqueues the sums over these bodies.
    pub fn add(
        &mut self,
        tape: &mut Tape,
        stream: &Arc<CudaStream>,
        what: &'static str,
        sources: &CudaView<f32>,
    ) -> Result<(), Error> {
        let (kernel, own, sums) = (&self.kernel, self.own.as_view(), &mut self.sums);
        let work = (own.len() / FLOATS * (sources.len() / FLOATS)) as f64;
        tape.compute(what, stream, work, || kernel.add(stream, &own, sources, sums))
    }

    /// Enqueues the sums over the rank's own bodies.
    pub fn add_own(&mut self, tape: &mut Tape, stream: &Arc<CudaStream>, what: &'static str) -> Result<(), Error> {
        let (kernel, own, sums) = (&self.kernel, self.own.as_view(), &mut self.sums);
        let work = (self.share.room * self.share.room) as f64;
        tape.compute(what, stream, work, || kernel.add(stream, &own, &own, sums))
    }
}

/// The bodies of a size, and their floats.
pub(super) fn all_bodies(size: Size) -> (Bodies, Vec<f32>) {
    let inputs = common::problem::Size { seed: size.seed, ..common::problem::Size::of(size.n) };
    let bodies = Bodies::with_sample(&inputs, 0);
    let ([x, y, z], mass) = (&bodies.coordinates, &bodies.mass);
    let all = (0..size.n).flat_map(|i| [x[i], y[i], z[i], mass[i]]).collect();
    (bodies, all)
}

/// A share of them, filled up to its room with bodies of no mass.
pub(super) fn own_bodies(all: &[f32], share: &Share) -> Vec<f32> {
    let mut own = all[FLOATS * share.own.start..FLOATS * share.own.end].to_vec();
    own.resize(FLOATS * share.room, 0.0);
    own
}

/// Interactions are the square of the bodies.
pub(super) fn weak(n: usize, ranks: usize) -> usize {
    (n as f64 * (ranks as f64).sqrt()).round() as usize
}
