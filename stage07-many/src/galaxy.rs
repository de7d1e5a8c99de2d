//! Problem D: steps of a galaxy, with the exchange in the loop: positions move in each step, and every rank needs all of them
//! for the next. Each step is as A's own_block_first. A step can also be recorded once as a graph, transfers included, and
//! launched again and again: where steps are short, enqueueing them one by one takes longer than they do.

use crate::model::Model;
use crate::rank::{Doing, Rank, Share};
use crate::rung::{Rung, Size, Work};
use crate::tape::{Bytes, Counts, Parts, Tape};
use common::Error;
use common::device::Backend;
use common::kernel::KernelSource;
use common::kernel_source;
use common::problem::galaxy::{Disc, State, TIME_STEP};
use common::problem::{as_i32, sample};
use common::verify::Report;
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{
    CudaFunction, CudaGraph, CudaSlice, CudaStream, CudaView, DriverError, LaunchConfig, PushKernelArg,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Steps, enqueued one by one.
pub static STEPS: Galaxy = Galaxy { as_graph: false };
/// A step as a graph.
pub static STEPS_GRAPH: Galaxy = Galaxy { as_graph: true };

/// The file of the kernel that moves bodies.
pub const SOURCE: KernelSource = kernel_source!("03_move_bodies", rust);

/// A rung of problem D.
#[derive(Debug)]
pub struct Galaxy {
    as_graph: bool,
}

/// Steps of a run.
const STEPS_OF_A_RUN: usize = 10;
const STEPS_EMULATED: usize = 2;

const FLOATS: usize = 4;
const BLOCK: u32 = 256;

/// Terms of the reference on a rank, and bodies that are compared at least.
const REFERENCE_TERMS: usize = 1 << 24;
const FEWEST_BODIES: usize = 64;

/// Bodies that move, with what pulls them.
struct Bodies {
    position: CudaSlice<f32>,
    velocity: CudaSlice<f32>,
    /// Three rows; zero between steps.
    pulls: CudaSlice<f32>,
}

/// The kernels of a step.
struct Kernels {
    pulls_of: CudaFunction,
    move_bodies: CudaFunction,
}

/// A recorded step, and what it enqueues.
struct Recorded {
    graph: CudaGraph,
    counts: Counts,
}

struct Run<'a> {
    /// Steps of the parts that were asked for. First, since graphs must go before what they use.
    recorded: Vec<(Parts, Recorded)>,
    rank: &'a Rank,
    kernels: Kernels,
    share: Share,
    own: Bodies,
    /// The positions of all ranks' bodies.
    all: CudaSlice<f32>,
    /// All bodies, for this device alone.
    alone: Bodies,
    first: [Vec<f32>; 2],
    steps: usize,
    n: usize,
    seed: u64,
    as_graph: bool,
}

impl Bodies {
    fn new(rank: &Rank, position: &[f32], velocity: &[f32]) -> Result<Self, Error> {
        let pulls = rank.zeros(3 * position.len() / FLOATS)?;
        Ok(Self { position: rank.upload(position)?, velocity: rank.upload(velocity)?, pulls })
    }
}

impl Kernels {
    /// Adds the pulls of the sources on the targets.
    fn pull(
        &self,
        stream: &Arc<CudaStream>,
        targets: &CudaSlice<f32>,
        sources: &CudaView<f32>,
        pulls: &mut CudaSlice<f32>,
    ) -> Result<(), DriverError> {
        let counts = [targets.len(), sources.len()].map(|floats| as_i32(floats / FLOATS));
        assert_eq!(pulls.len(), 3 * targets.len() / FLOATS, "a row of pulls for each component");
        let mut arguments = stream.launch_builder(&self.pulls_of);
        arguments.arg(targets).arg(&counts[0]).arg(sources).arg(&counts[1]).arg(pulls);
        // SAFETY: the kernel has these parameters; targets and sources have as many bodies of four floats as it is told, the
        // pulls three rows of as many as targets, and no thread goes past any.
        unsafe { arguments.launch(crate::forces::shape(counts.map(i32::cast_unsigned))) }.map(drop)
    }

    /// Moves the bodies, and makes their pulls zero.
    fn advance(&self, stream: &Arc<CudaStream>, bodies: &mut Bodies) -> Result<(), DriverError> {
        let n = as_i32(bodies.position.len() / FLOATS);
        let mut arguments = stream.launch_builder(&self.move_bodies);
        arguments.arg(&mut bodies.position).arg(&mut bodies.velocity).arg(&mut bodies.pulls).arg(&n).arg(&TIME_STEP);
        let blocks = n.cast_unsigned().div_ceil(BLOCK);
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel has these parameters; both arrays have n bodies of four floats, the pulls three rows of n, and no
        // thread goes past any.
        unsafe { arguments.launch(config) }.map(drop)
    }
}

impl Run<'_> {
    /// Enqueues one step: the gather beside the own bodies' pulls, then those of the others, then the motion.
    fn one_step(&mut self, tape: &mut Tape) -> Result<(), Error> {
        let Self { rank, kernels, share, own, all, .. } = self;
        let Rank { world, transfers, compute, place, .. } = rank;
        let (room, work) = (own.position.len(), (share.room * share.room) as f64);
        tape.wait(compute, transfers)?;
        let bytes = Bytes { received: 4 * room * (place.world - 1), ..Bytes::default() };
        tape.exchange("all_gather", transfers, bytes, || world.all_gather(&own.position, all))?;
        let Bodies { position, pulls, .. } = own;
        let view = position.as_view();
        tape.compute("own bodies", compute, work, || kernels.pull(compute, position, &view, pulls))?;
        tape.wait(compute, transfers)?;
        let before = 0..place.rank * room;
        let after = (place.rank + 1) * room..all.len();
        for others in [before, after].into_iter().filter(|others| !others.is_empty()) {
            let others = all.slice(others);
            let work = (share.room * others.len() / FLOATS) as f64;
            tape.compute("other bodies", compute, work, || kernels.pull(compute, position, &others, pulls))?;
        }
        tape.compute("motion", compute, 0.0, || kernels.advance(compute, own))?;
        tape.wait(transfers, compute)
    }

    /// Records a step, unless it is.
    fn record(&mut self, parts: Parts) -> Result<usize, Error> {
        if let Some(found) = self.recorded.iter().position(|(recorded, _)| *recorded == parts) {
            return Ok(found);
        }
        let (rank, mode) = (self.rank, CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        rank.transfers.begin_capture(mode).doing("cannot begin to record a step")?;
        let mut tape = Tape::new(rank, parts, false);
        let written = self.one_step(&mut tape);
        let graph = rank.transfers.end_capture(CUgraphInstantiate_flags(0)).doing("cannot record a step");
        written?;
        let missing = || Error::Driver { doing: "cannot record a step".into(), reason: "it is empty".into() };
        let graph = graph?.ok_or_else(missing)?;
        self.recorded.push((parts, Recorded { graph, counts: tape.counts() }));
        Ok(self.recorded.len() - 1)
    }

    /// Enqueues one step in the rung's way.
    fn next(&mut self, tape: &mut Tape) -> Result<(), Error> {
        if !self.as_graph {
            return self.one_step(tape);
        }
        let index = self.record(tape.parts())?;
        let Recorded { graph, counts } = &self.recorded[index].1;
        tape.recorded("a step as a graph", &self.rank.transfers, counts, || graph.launch())
    }

    /// All bodies as they are now.
    fn state(&self) -> Result<State, Error> {
        let all = |values: &CudaSlice<f32>| -> Result<Vec<[f32; FLOATS]>, Error> {
            let floats = self.rank.gather(&self.rank.download(values)?)?;
            let (bodies, _) = floats.as_chunks::<FLOATS>();
            Ok(bodies[..self.n].to_vec())
        };
        Ok(State { position: all(&self.own.position)?, velocity: all(&self.own.velocity)? })
    }

    /// The bodies that this rank compares: its own, or a part of them; all, where they are few.
    fn sample(&self) -> Vec<usize> {
        if self.n * self.n <= REFERENCE_TERMS {
            return (0..self.n).collect();
        }
        let (mut rng, own) = (ChaCha8Rng::seed_from_u64(self.seed + self.share.own.start as u64), &self.share.own);
        let compared = (REFERENCE_TERMS / self.n).max(FEWEST_BODIES).min(own.len());
        sample(&mut rng, own.len(), compared).into_iter().map(|body| own.start + body).collect()
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
            let (view, n) = (position.as_view(), (self.n * self.n) as f64);
            tape.compute("all bodies alone", stream, n, || kernels.pull(stream, position, &view, pulls))?;
            tape.compute("motion alone", stream, 0.0, || kernels.advance(stream, alone))?;
        }
        Ok(())
    }

    /// Runs again, and compares the last step with the reference of a step from the state before it.
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

fn steps(backend: Backend) -> usize {
    match backend {
        Backend::Cuda => STEPS_OF_A_RUN,
        Backend::Emulator => STEPS_EMULATED,
    }
}

impl Rung for Galaxy {
    fn letter(&self) -> &'static str {
        "D"
    }

    fn describe(&self, n: usize, backend: Backend) -> String {
        format!("galaxy, {n} bodies, {} steps", steps(backend))
    }

    fn name(&self) -> &'static str {
        if self.as_graph { "steps_graph" } else { "steps" }
    }

    fn idea(&self) -> &'static str {
        match self.as_graph {
            false => "the exchange in the loop, each step as own_block_first",
            true => "a step recorded as a graph, its gather included",
        }
    }

    fn default_n(&self, backend: Backend) -> usize {
        match backend {
            Backend::Cuda => 1 << 14,
            Backend::Emulator => 1000,
        }
    }

    fn largest_n(&self) -> usize {
        1 << 20
    }

    fn scaling(&self) -> &'static [usize] {
        &[1 << 14, 1 << 17]
    }

    /// Interactions are the square of the bodies.
    fn weak(&self, n: usize, ranks: usize) -> usize {
        (n as f64 * (ranks as f64).sqrt()).round() as usize
    }

    fn obstacle(&self, rank: &Rank) -> Option<String> {
        let emulated = self.as_graph && rank.device.backend == Backend::Emulator;
        emulated.then(|| "the emulator's NCCL moves bytes when it is called, which no graph can record".into())
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: Size) -> Result<Box<dyn Work + 'a>, Error> {
        let inputs = common::problem::Size { seed: size.seed, ..common::problem::Size::of(size.n) };
        let State { position, velocity } = Disc::with_sample(&inputs, 0).state;
        let first = [position.as_flattened().to_vec(), velocity.as_flattened().to_vec()];
        let share = Share::of(size.n, rank.place.rank, rank.place.world, 1);
        let own = [0, 1].map(|field| {
            let mut own = first[field][FLOATS * share.own.start..FLOATS * share.own.end].to_vec();
            own.resize(FLOATS * share.room, 0.0);
            own
        });
        Ok(Box::new(Run {
            rank,
            kernels: Kernels {
                pulls_of: rank.kernel(&crate::forces::FORCES_OF, "pulls_of")?,
                move_bodies: rank.kernel(&SOURCE, "move_bodies")?,
            },
            own: Bodies::new(rank, &own[0], &own[1])?,
            all: rank.zeros(FLOATS * share.room * rank.place.world)?,
            alone: Bodies::new(rank, &first[0], &first[1])?,
            share,
            first,
            steps: steps(rank.device.backend),
            n: size.n,
            seed: size.seed,
            as_graph: self.as_graph,
            recorded: Vec::new(),
        }))
    }

    fn predict(&self, model: &Model) -> Option<f64> {
        let steps = STEPS_OF_A_RUN as f64;
        let one = Model { alone: model.alone / steps, bytes: model.bytes / steps, ..*model };
        Some(steps * one.own_block_first())
    }
}
