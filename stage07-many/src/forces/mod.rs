//! Problem A, all-pairs forces, shared among ranks: each sums for its own bodies, and bodies travel.
//!
//! One kernel serves all rungs but one, forces_of, which adds. A rung is a file: what moves when. Two neighbors as a diff are
//! the lesson.

mod all_gather;
mod check;
mod host_staged;
mod kernel;
mod own_block_first;
mod pairs;
mod peer_copies;
mod ring;
mod third_law;
mod two_level;

use crate::model::Model;
use crate::rank::{Machines, Rank, Share};
use crate::rung::{Rung, Size, Work};
use crate::tape::{Bytes, Tape};
use all_gather::AllGather;
use common::Error;
use common::device::Backend;
use common::problem::forces::Bodies;
use common::verify::Report;
use cudarc::driver::{CudaSlice, CudaStream, CudaView};
use host_staged::HostStaged;
use kernel::ForcesOf;
pub use kernel::{SOURCE as FORCES_OF, shape};
use own_block_first::OwnBlockFirst;
pub use peer_copies::PEER_COPIES;
use ring::Ring;
use std::marker::PhantomData;
use std::ops::Range;
use third_law::ThirdLaw;
use two_level::TwoLevel;

/// Bodies through the hosts.
pub static HOST_STAGED: Forces<HostStaged> = Forces(PhantomData);
/// Every rank gathers all bodies.
pub static ALL_GATHER: Forces<AllGather> = Forces(PhantomData);
/// Own bodies meanwhile.
pub static OWN_BLOCK_FIRST: Forces<OwnBlockFirst> = Forces(PhantomData);
/// Shares go round.
pub static RING: Forces<Ring> = Forces(PhantomData);

/// Each pair of shares on one rank.
pub static THIRD_LAW: Forces<ThirdLaw> = Forces(PhantomData);
/// First between machines, then inside.
pub static TWO_LEVEL: Forces<TwoLevel> = Forces(PhantomData);

/// A rung of problem A.
#[derive(Debug)]
pub struct Forces<E>(PhantomData<fn() -> E>);

/// What a rung of problem A adds to what all have.
pub trait Exchange: std::fmt::Debug + Sized + 'static {
    /// The rung's name.
    const NAME: &'static str;
    /// What it does.
    const IDEA: &'static str;

    /// Why it cannot run on these ranks.
    fn obstacle(_: &Rank) -> Option<String> {
        None
    }

    /// Buffers of its own.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error>;

    /// Enqueues the forces on the rank's bodies.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error>;

    /// Enqueues the forces on all bodies, on this device alone.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn alone(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        let (Alone { bodies, sums }, kernel) = (&mut problem.alone, &problem.kernel);
        let (stream, n) = (&tape.rank.transfers, bodies.len() / FLOATS);
        tape.fill("zeros", || stream.memset_zeros(sums))?;
        let all = bodies.as_view();
        tape.compute("all bodies alone", stream, (n * n) as f64, || kernel.add(stream, &all, &all, sums))
    }

    /// The predicted time of a step.
    fn predict(model: &Model) -> Option<f64>;
}

/// Floats of a body: three coordinates and its mass.
const FLOATS: usize = 4;

/// What every rung has: bodies, and the forces on those of this rank.
#[derive(Debug)]
pub struct Problem {
    /// The rank's bodies, filled up to its room with bodies of no mass.
    pub own: CudaSlice<f32>,
    /// The forces on them, a row of `share.room` for each component.
    pub sums: CudaSlice<f32>,
    /// Which bodies are the rank's.
    pub share: Share,
    kernel: ForcesOf,
    rank: usize,
    ranks: usize,
    machines: Machines,
    bodies: Bodies,
    seed: u64,
    /// All bodies and the forces on them, on this device alone.
    alone: Alone,
}

#[derive(Debug)]
struct Alone {
    bodies: CudaSlice<f32>,
    sums: CudaSlice<f32>,
}

impl Problem {
    fn new(rank: &Rank, size: Size) -> Result<Self, Error> {
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
    fn alone(&mut self) -> (&CudaSlice<f32>, &mut CudaSlice<f32>) {
        (&self.alone.bodies, &mut self.alone.sums)
    }

    /// Floats of all ranks' rooms.
    fn floats_of_all(&self) -> usize {
        self.own.len() * self.ranks
    }

    /// Bytes of another rank's room.
    fn bytes_of(&self, other: usize) -> Bytes {
        let received = 4 * self.own.len();
        Bytes { received, from_machines: if self.machines.are_one(self.rank, other) { 0 } else { received } }
    }

    /// Bytes of the other ranks' rooms.
    fn bytes_of_others(&self) -> Bytes {
        (0..self.ranks).filter(|&other| other != self.rank).map(|other| self.bytes_of(other)).sum()
    }

    /// Where the others' bodies are among all: before and after the rank's own.
    fn others_in_all(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (room, all) = (self.own.len(), self.floats_of_all());
        [0..self.rank * room, (self.rank + 1) * room..all].into_iter().filter(|range| !range.is_empty())
    }

    /// Enqueues zeros for the forces.
    fn clear(&mut self, tape: &mut Tape, stream: &std::sync::Arc<CudaStream>) -> Result<(), Error> {
        let sums = &mut self.sums;
        tape.fill("zeros", || stream.memset_zeros(sums))
    }

    /// Enqueues the sums over these bodies.
    fn add(
        &mut self,
        tape: &mut Tape,
        stream: &std::sync::Arc<CudaStream>,
        what: &'static str,
        sources: &CudaView<f32>,
    ) -> Result<(), Error> {
        let (kernel, own, sums) = (&self.kernel, self.own.as_view(), &mut self.sums);
        let work = (own.len() / FLOATS * (sources.len() / FLOATS)) as f64;
        tape.compute(what, stream, work, || kernel.add(stream, &own, sources, sums))
    }

    /// Enqueues the sums over the rank's own bodies.
    fn add_own(
        &mut self,
        tape: &mut Tape,
        stream: &std::sync::Arc<CudaStream>,
        what: &'static str,
    ) -> Result<(), Error> {
        let (kernel, own, sums) = (&self.kernel, self.own.as_view(), &mut self.sums);
        let work = (self.share.room * self.share.room) as f64;
        tape.compute(what, stream, work, || kernel.add(stream, &own, &own, sums))
    }
}

/// The bodies of a size, and their floats.
fn all_bodies(size: Size) -> (Bodies, Vec<f32>) {
    let inputs = common::problem::Size { seed: size.seed, ..common::problem::Size::of(size.n) };
    let bodies = Bodies::with_sample(&inputs, 0);
    let ([x, y, z], mass) = (&bodies.coordinates, &bodies.mass);
    let all = (0..size.n).flat_map(|i| [x[i], y[i], z[i], mass[i]]).collect();
    (bodies, all)
}

/// A share of them, filled up to its room with bodies of no mass.
fn own_bodies(all: &[f32], share: &Share) -> Vec<f32> {
    let mut own = all[FLOATS * share.own.start..FLOATS * share.own.end].to_vec();
    own.resize(FLOATS * share.room, 0.0);
    own
}

/// Interactions are the square of the bodies.
fn weak(n: usize, ranks: usize) -> usize {
    (n as f64 * (ranks as f64).sqrt()).round() as usize
}

/// A rung of problem A on a rank.
struct Run<'a, E> {
    rank: &'a Rank,
    problem: Problem,
    exchange: E,
}

impl<E: Exchange> Work for Run<'_, E> {
    fn step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        self.exchange.step(&mut self.problem, tape)
    }

    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error> {
        self.exchange.alone(&mut self.problem, tape)
    }

    fn verify(&mut self) -> Result<Report, Error> {
        self.problem.check(self.rank)
    }
}

impl<E: Exchange> Rung for Forces<E> {
    fn letter(&self) -> &'static str {
        "A"
    }

    fn describe(&self, n: usize, _: Backend) -> String {
        format!("all-pairs forces, {n} bodies")
    }

    fn name(&self) -> &'static str {
        E::NAME
    }

    fn idea(&self) -> &'static str {
        E::IDEA
    }

    fn default_n(&self, backend: Backend) -> usize {
        match backend {
            Backend::Cuda => 1 << 17,
            Backend::Emulator => 2000,
        }
    }

    fn largest_n(&self) -> usize {
        1 << 22
    }

    fn scaling(&self) -> &'static [usize] {
        &[1 << 14, 1 << 17, 1 << 20]
    }

    fn weak(&self, n: usize, ranks: usize) -> usize {
        weak(n, ranks)
    }

    fn obstacle(&self, rank: &Rank) -> Option<String> {
        E::obstacle(rank)
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: Size) -> Result<Box<dyn Work + 'a>, Error> {
        let problem = Problem::new(rank, size)?;
        let exchange = E::prepare(rank, &problem)?;
        Ok(Box::new(Run { rank, problem, exchange }))
    }

    fn predict(&self, model: &Model) -> Option<f64> {
        E::predict(model)
    }
}
