//! Problem A, all-pairs forces, shared among ranks: each computes the forces on its own bodies, and bodies are
//! exchanged.
//!
//! All but one of the strategies use the same kernel, forces_of, which accumulates. Each strategy is a file, and
//! differs from its neighbors only in what is transferred when: compare each with the one before.

mod all_gather;
mod check;
mod host_staged;
mod kernel;
mod own_block_first;
mod pairs;
mod peer_copies;
mod problem;
mod ring;
mod third_law;
mod two_level;

use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::strategy::{Facts, Strategy, Work};
use crate::ranks::tape::Tape;
use all_gather::AllGather;
use common::Error;
use common::device::Backend;
use common::format::thousands;
use common::kernel::KernelSource;
use common::problem::Size;
use common::verify::Report;
use host_staged::HostStaged;
pub use kernel::{ForcesOf, SOURCE as FORCES_OF};
use own_block_first::OwnBlockFirst;
pub use peer_copies::PEER_COPIES;
pub use problem::{Problem, own_bodies};
use ring::Ring;
use std::marker::PhantomData;
use third_law::ThirdLaw;
use two_level::TwoLevel;

/// The number of floats per body: three coordinates and its mass.
const FLOATS: usize = 4;

/// Bodies are exchanged through the hosts.
pub static HOST_STAGED: Forces<HostStaged> = Forces::new();
/// Every rank gathers all bodies.
pub static ALL_GATHER: Forces<AllGather> = Forces::new();
/// The rank's own bodies during the gather.
pub static OWN_BLOCK_FIRST: Forces<OwnBlockFirst> = Forces::new();
/// Shares travel in a ring.
pub static RING: Forces<Ring> = Forces::new();

/// Each pair of shares on one of its ranks.
pub static THIRD_LAW: Forces<ThirdLaw> = Forces::new();
/// A gather between machines, then one within each.
pub static TWO_LEVEL: Forces<TwoLevel> = Forces::new();

/// A strategy for problem A.
#[derive(Debug)]
pub struct Forces<E>(PhantomData<fn() -> E>);

impl<E> Forces<E> {
    /// Returns the strategy that uses the exchange `E`.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E> Default for Forces<E> {
    fn default() -> Self {
        Self::new()
    }
}

/// The part of a strategy for problem A that differs from the others: its exchange of bodies.
pub trait Exchange: std::fmt::Debug + Sized + 'static {
    /// The strategy's name.
    const NAME: &'static str;
    /// A short description.
    const IDEA: &'static str;

    /// Returns the files of its kernels.
    fn sources() -> Vec<KernelSource> {
        vec![FORCES_OF]
    }

    /// The maximum number of exposed bytes per step; for exercises.
    const MAX_EXPOSED_BYTES: Option<f64> = None;

    /// Returns the reason if it cannot run on these ranks.
    fn obstacle(_: &Rank) -> Option<String> {
        None
    }

    /// Allocates its buffers.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn prepare(rank: &Rank, problem: &Problem) -> Result<Self, Error>;

    /// Enqueues the computation of the forces on the rank's bodies.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn step(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error>;

    /// Enqueues the computation of the forces on all bodies, on this device only.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn alone(&mut self, problem: &mut Problem, tape: &mut Tape) -> Result<(), Error> {
        problem.alone.add(tape, &problem.kernel)
    }

    /// Returns the predicted time of a step in milliseconds; `None` without a model.
    fn predict(model: &Model) -> Option<f64> {
        Some(model.one_after_the_other())
    }
}

/// A strategy for problem A on a rank.
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

impl<E: Exchange> Strategy for Forces<E> {
    fn facts(&self) -> Facts {
        Facts {
            letter: "A",
            name: E::NAME,
            idea: E::IDEA,
            default_n: 1 << 17,
            emulated_n: 2000,
            largest_n: 1 << 22,
            growth: 2,
            scaling: &[1 << 14, 1 << 17, 1 << 20],
        }
    }

    fn describe(&self, n: usize, _: Backend) -> String {
        format!("all-pairs forces, {} bodies", thousands(n as u64))
    }

    fn sources(&self) -> Vec<KernelSource> {
        E::sources()
    }

    fn max_exposed_bytes(&self) -> Option<f64> {
        E::MAX_EXPOSED_BYTES
    }

    fn obstacle(&self, rank: &Rank) -> Option<String> {
        E::obstacle(rank)
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: &Size) -> Result<Box<dyn Work + 'a>, Error> {
        let problem = Problem::new(rank, size)?;
        let exchange = E::prepare(rank, &problem)?;
        Ok(Box::new(Run { rank, problem, exchange }))
    }

    fn predict(&self, model: &Model) -> Option<f64> {
        E::predict(model)
    }
}
