//! The data of problem A on a rank.

use super::FLOATS;
use super::kernel::ForcesOf;
use crate::ranks::rank::{Machines, Rank, Share};
use crate::ranks::tape::{Bytes, Tape};
use common::Error;
use common::problem::Size;
use common::problem::forces::Bodies;
use cudarc::driver::{CudaSlice, CudaStream, CudaView};
use std::ops::Range;
use std::sync::Arc;

/// The bodies, and the forces on those of this rank.
#[derive(Debug)]
pub struct Problem {
    /// The rank's bodies, padded to its room with bodies of zero mass.
    pub own: CudaSlice<f32>,
    /// The forces on them, one row of `share.room` elements per component.
    pub sums: CudaSlice<f32>,
    /// The rank's share of the bodies.
    pub share: Share,
    pub(super) kernel: ForcesOf,
    pub(super) rank: usize,
    ranks: usize,
    machines: Machines,
    pub(super) bodies: Bodies,
    pub(super) seed: u64,
    /// All bodies and the forces on them, for the computation on this device only.
    pub(super) alone: Alone,
}

#[derive(Debug)]
pub(super) struct Alone {
    pub bodies: CudaSlice<f32>,
    pub sums: CudaSlice<f32>,
}

impl Alone {
    pub(super) fn new(rank: &Rank, bodies: &[f32]) -> Result<Self, Error> {
        Ok(Self { bodies: rank.upload(bodies)?, sums: rank.zeros(3 * bodies.len() / FLOATS)? })
    }

    /// Enqueues the sums over all bodies.
    pub(super) fn add(&mut self, tape: &mut Tape, kernel: &ForcesOf) -> Result<(), Error> {
        let Self { bodies, sums } = self;
        let stream = &tape.rank.transfers;
        let n = (bodies.len() / FLOATS) as f64;
        tape.fill("zeros", || stream.memset_zeros(sums))?;
        let all = bodies.as_view();
        tape.compute("all bodies alone", stream, n * n, || kernel.add(stream, &all, &all, sums))
    }
}

impl Problem {
    pub(super) fn new(rank: &Rank, size: &Size) -> Result<Self, Error> {
        let place = &rank.place;
        let share = Share::new(size.n, place.rank, place.world, 1);
        let (bodies, all) = all_bodies(size);
        let own = own_bodies(&all, &share);
        Ok(Self {
            own: rank.upload(&own)?,
            sums: rank.zeros(3 * share.room)?,
            alone: Alone::new(rank, &all)?,
            kernel: ForcesOf::load(rank, "forces_of")?,
            rank: place.rank,
            ranks: place.world,
            machines: rank.machines,
            bodies,
            seed: size.seed,
            share,
        })
    }

    /// Returns the number of floats in the rooms of all ranks.
    pub fn floats_of_all(&self) -> usize {
        self.own.len() * self.ranks
    }

    /// Returns the bytes in the room of another rank.
    pub fn bytes_of(&self, other: usize) -> Bytes {
        let received = 4 * self.own.len();
        Bytes { received, from_machines: if self.machines.are_one(self.rank, other) { 0 } else { received } }
    }

    /// Returns the bytes in the rooms of the other ranks.
    pub fn bytes_of_others(&self) -> Bytes {
        (0..self.ranks).filter(|&other| other != self.rank).map(|other| self.bytes_of(other)).sum()
    }

    /// Returns the ranges of the others' bodies in an array of all: before and after the rank's own.
    pub fn others_in_all(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let room = self.own.len();
        let all = self.floats_of_all();
        [0..self.rank * room, (self.rank + 1) * room..all].into_iter().filter(|range| !range.is_empty())
    }

    /// Enqueues a fill of the forces with zeros.
    pub fn clear(&mut self, tape: &mut Tape, stream: &Arc<CudaStream>) -> Result<(), Error> {
        let sums = &mut self.sums;
        tape.fill("zeros", || stream.memset_zeros(sums))
    }

    /// Enqueues the sums over these sources.
    pub fn add(
        &mut self,
        tape: &mut Tape,
        stream: &Arc<CudaStream>,
        what: &'static str,
        sources: &CudaView<f32>,
    ) -> Result<(), Error> {
        let kernel = &self.kernel;
        let own = self.own.as_view();
        let sums = &mut self.sums;
        let work = (own.len() / FLOATS * (sources.len() / FLOATS)) as f64;
        tape.compute(what, stream, work, || kernel.add(stream, &own, sources, sums))
    }

    /// Enqueues the sums over the rank's own bodies.
    pub fn add_own(&mut self, tape: &mut Tape, stream: &Arc<CudaStream>, what: &'static str) -> Result<(), Error> {
        let kernel = &self.kernel;
        let own = self.own.as_view();
        let sums = &mut self.sums;
        let work = (self.share.room * self.share.room) as f64;
        tape.compute(what, stream, work, || kernel.add(stream, &own, &own, sums))
    }
}

/// Returns the bodies of a size, and their floats.
pub(super) fn all_bodies(size: &Size) -> (Bodies, Vec<f32>) {
    let bodies = Bodies::with_sample(size, 0);
    let [x, y, z] = &bodies.coordinates;
    let mass = &bodies.mass;
    let all = (0..size.n).flat_map(|i| [x[i], y[i], z[i], mass[i]]).collect();
    (bodies, all)
}

/// Returns a share of the bodies, padded to its room with bodies of zero mass.
pub fn own_bodies(all: &[f32], share: &Share) -> Vec<f32> {
    let mut own = all[FLOATS * share.own.start..FLOATS * share.own.end].to_vec();
    own.resize(FLOATS * share.room, 0.0);
    own
}
