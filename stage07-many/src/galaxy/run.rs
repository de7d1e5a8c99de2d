//! The steps of a rank, enqueued one by one or as graphs.

use super::FLOATS;
use super::kernels::{Bodies, Kernels};
use crate::forces::own_bodies;
use crate::ranks::rank::{Doing, Rank, Sampled, Share};
use crate::ranks::strategy::Work;
use crate::ranks::tape::{Bytes, Counts, Parts, Tape};
use common::Error;
use common::problem::Size;
use common::problem::galaxy::{Disc, State};
use common::verify::Report;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaSlice};

/// The maximum number of terms in a rank's reference, and the minimum number of bodies compared.
const REFERENCE_TERMS: usize = 1 << 24;
const MIN_BODIES: usize = 64;

/// A captured step, and what it enqueues.
struct Captured {
    graph: CudaGraph,
    counts: Counts,
}

pub struct Run<'a> {
    /// Captured steps, by the parts that they enqueue. The first field, since graphs must be dropped before the buffers
    /// they use.
    captured: Vec<(Parts, Captured)>,
    rank: &'a Rank,
    kernels: Kernels,
    share: Share,
    own: Bodies,
    /// The positions of the bodies of all ranks.
    all: CudaSlice<f32>,
    /// All bodies, for the computation on this device only.
    alone: Bodies,
    first: [Vec<f32>; 2],
    steps: usize,
    n: usize,
    seed: u64,
    as_graph: bool,
}

impl<'a> Run<'a> {
    /// Copies a galaxy to the rank's device.
    pub fn new(rank: &'a Rank, size: &Size, steps: usize, as_graph: bool) -> Result<Self, Error> {
        let State { position, velocity } = Disc::with_sample(size, 0).state;
        let first = [position.as_flattened().to_vec(), velocity.as_flattened().to_vec()];
        let share = Share::new(size.n, rank.place.rank, rank.place.world, 1);
        let own = [0, 1].map(|field| own_bodies(&first[field], &share));
        Ok(Self {
            rank,
            kernels: Kernels::load(rank)?,
            own: Bodies::new(rank, &own[0], &own[1])?,
            all: rank.zeros(FLOATS * share.room * rank.place.world)?,
            alone: Bodies::new(rank, &first[0], &first[1])?,
            share,
            first,
            steps,
            n: size.n,
            seed: size.seed,
            as_graph,
            captured: Vec::new(),
        })
    }

    /// Enqueues one step: the gather, concurrently with the accelerations by own bodies, then those by the others, then
    /// the motion.
    fn one_step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, kernels, share, own, all, .. } = self;
        let Rank { world, transfers, compute, place, .. } = rank;
        let room = own.position.len();
        let work = (share.room * share.room) as f64;
        tape.wait(compute, transfers)?;
        // immediately after the last motion, before a kernel occupies all multiprocessors
        let bytes = Bytes { received: 4 * room * (place.world - 1), ..Bytes::default() };
        tape.exchange("all_gather", transfers, bytes, || world.all_gather(&own.position, all))?;
        let Bodies { position, pulls, .. } = own;
        let own_view = position.as_view();
        tape.compute("own bodies", compute, work, || kernels.pulls_of.add(compute, &own_view, &own_view, pulls))?;
        let before = 0..place.rank * room;
        let after = (place.rank + 1) * room..all.len();
        for others in [before, after].into_iter().filter(|others| !others.is_empty()) {
            let others = all.slice(others);
            let work = (share.room * others.len() / FLOATS) as f64;
            tape.compute("other bodies", transfers, work, || {
                kernels.pulls_of.add(transfers, &own_view, &others, pulls)
            })?;
        }
        // all accelerations have been added
        tape.wait(transfers, compute)?;
        tape.compute("motion", transfers, 0.0, || kernels.advance(transfers, own))
    }

    /// Captures a step, unless it has been captured already, and returns its index.
    fn capture(&mut self, parts: Parts) -> Result<usize, Error> {
        if let Some(found) = self.captured.iter().position(|(captured, _)| *captured == parts) {
            return Ok(found);
        }
        let rank = self.rank;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        rank.transfers.begin_capture(mode).doing("cannot begin to capture a step")?;
        let mut tape = Tape::new(rank, parts, false);
        let written = self.one_step(&mut tape);
        let graph = rank.transfers.end_capture(CUgraphInstantiate_flags(0)).doing("cannot capture a step");
        written?;
        let missing = || Error::Driver { doing: "cannot capture a step".into(), reason: "it is empty".into() };
        let graph = graph?.ok_or_else(missing)?;
        self.captured.push((parts, Captured { graph, counts: tape.counts() }));
        Ok(self.captured.len() - 1)
    }

    /// Enqueues one step, directly or as a graph.
    fn next(&mut self, tape: &mut Tape) -> Result<(), Error> {
        if !self.as_graph {
            return self.one_step(tape);
        }
        let index = self.capture(tape.parts())?;
        let Captured { graph, counts } = &self.captured[index].1;
        tape.graph("a step as a graph", &self.rank.transfers, counts, || graph.launch())
    }

    /// Returns the current state of all bodies.
    fn state(&self) -> Result<State, Error> {
        let all = |values: &CudaSlice<f32>| -> Result<Vec<[f32; FLOATS]>, Error> {
            let floats = self.rank.gather(&self.rank.download(values)?)?;
            let (bodies, _) = floats.as_chunks::<FLOATS>();
            Ok(bodies[..self.n].to_vec())
        };
        Ok(State { position: all(&self.own.position)?, velocity: all(&self.own.velocity)? })
    }

    /// Returns the bodies that this rank compares: all if they are few, otherwise its own or a sample of them.
    fn sample(&self) -> Vec<usize> {
        if self.n * self.n <= REFERENCE_TERMS {
            return (0..self.n).collect();
        }
        let own = self.share.own.clone();
        let seed = self.seed + own.start as u64;
        Sampled::new(own, (REFERENCE_TERMS / self.n).max(MIN_BODIES), seed).global()
    }

    fn put_back(rank: &Rank, bodies: &mut Bodies, [position, velocity]: [&[f32]; 2]) -> Result<(), Error> {
        let copied = rank.transfers.memcpy_htod(position, &mut bodies.position);
        copied.and_then(|()| rank.transfers.memcpy_htod(velocity, &mut bodies.velocity)).doing("cannot put bodies back")
    }
}

impl Work for Run<'_> {
    fn restore(&mut self) -> Result<(), Error> {
        let own = FLOATS * self.share.own.start..FLOATS * self.share.own.end;
        let first = [0, 1].map(|field| &self.first[field][own.clone()]);
        Self::put_back(self.rank, &mut self.own, first)?;
        let first = [0, 1].map(|field| &self.first[field][..]);
        Self::put_back(self.rank, &mut self.alone, first)?;
        self.rank.finish()
    }

    fn step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        (0..self.steps).try_for_each(|_| self.next(tape))
    }

    fn alone(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, kernels, alone, .. } = self;
        let stream = &rank.transfers;
        for _ in 0..self.steps {
            let Bodies { position, pulls, .. } = &mut *alone;
            let view = position.as_view();
            let n = (self.n * self.n) as f64;
            tape.compute("all bodies alone", stream, n, || kernels.pulls_of.add(stream, &view, &view, pulls))?;
            tape.compute("motion alone", stream, 0.0, || kernels.advance(stream, alone))?;
        }
        Ok(())
    }

    /// Runs again, and compares the last step with a reference step from the state before it.
    fn verify(&mut self) -> Result<Report, Error> {
        self.restore()?;
        let mut tape = Tape::new(self.rank, Parts::All, false);
        for _ in 1..self.steps {
            self.next(&mut tape)?;
        }
        let old = self.state()?;
        self.next(&mut tape)?;
        let new = self.state()?;
        Ok(old.stepped(&self.sample()).check(&old, &new, 0.0))
    }
}
