//! Problem D: time steps of a galaxy, with the exchange inside the loop: positions change in each step, and every rank
//! needs all of them for the next. Each step works as own_block_first of problem A. Alternatively a step is captured
//! once as a graph, including its transfers, and launched repeatedly: for short steps, enqueueing the operations takes
//! longer than executing them.

mod kernels;
mod run;

use crate::ranks::model::Model;
use crate::ranks::rank::Rank;
use crate::ranks::strategy::{Facts, Strategy, Work};
use common::Error;
use common::device::Backend;
use common::format::thousands;
use common::kernel::KernelSource;
use common::problem::Size;
use run::Run;

/// Operations enqueued one by one.
pub static STEPS: Galaxy = Galaxy { as_graph: false };
/// Each step launched as a graph.
pub static STEPS_GRAPH: Galaxy = Galaxy { as_graph: true };

/// A strategy for problem D.
#[derive(Debug)]
pub struct Galaxy {
    as_graph: bool,
}

/// The number of steps per run.
const STEPS_OF_A_RUN: usize = 10;
const STEPS_EMULATED: usize = 2;

const FLOATS: usize = 4;

fn steps(backend: Backend) -> usize {
    match backend {
        Backend::Cuda => STEPS_OF_A_RUN,
        Backend::Emulator => STEPS_EMULATED,
    }
}

impl Strategy for Galaxy {
    fn facts(&self) -> Facts {
        let (name, idea) = if self.as_graph {
            ("steps_graph", "a step captured as a graph, including its gather")
        } else {
            ("steps", "the exchange inside the loop, each step as own_block_first")
        };
        Facts {
            letter: "D",
            name,
            idea,
            default_n: 1 << 14,
            emulated_n: 1000,
            largest_n: 1 << 20,
            growth: 2,
            scaling: &[1 << 14, 1 << 17],
        }
    }

    fn describe(&self, n: usize, backend: Backend) -> String {
        format!("galaxy, {} bodies, {} steps", thousands(n as u64), steps(backend))
    }

    fn sources(&self) -> Vec<KernelSource> {
        vec![crate::forces::FORCES_OF, kernels::SOURCE]
    }

    fn prepare<'a>(&self, rank: &'a Rank, size: &Size) -> Result<Box<dyn Work + 'a>, Error> {
        Ok(Box::new(Run::new(rank, size, steps(rank.device.backend), self.as_graph)?))
    }

    fn predict(&self, model: &Model) -> Option<f64> {
        let steps = STEPS_OF_A_RUN as f64;
        let one = Model { alone: model.alone / steps, bytes: model.bytes / steps, ..*model };
        Some(steps * one.own_block_first())
    }
}
