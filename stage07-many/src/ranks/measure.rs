//! Times of a strategy on GPUs: medians over repetitions of the slowest rank's time, from a common start.

use crate::ranks::rank::{Doing, Rank};
use crate::ranks::strategy::Work;
use crate::ranks::tape::{Counts, Parts, Span, Tape};
use common::Error;
use common::timing::median;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaSlice};
use cudarc::nccl::ReduceOp;
use serde::{Deserialize, Serialize};

/// Times of a step in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// The same work on one GPU.
    pub alone: f64,
    /// Kernels without transfers.
    pub compute: f64,
    /// Transfers without kernels.
    pub exchange: f64,
    /// Both.
    pub total: f64,
    /// The fastest and the slowest repetition of both.
    pub range: [f64; 2],
    /// The number of repetitions.
    pub runs: usize,
}

impl Times {
    /// Returns the speedup over one GPU.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.alone / self.total
    }

    /// Returns the fraction of the shorter of compute and exchange that overlaps with the other; `None` if the shorter
    /// one is within the noise of the repetitions.
    #[must_use]
    pub fn overlap(&self) -> Option<f64> {
        let shorter = self.compute.min(self.exchange);
        (shorter >= MIN_SHARE * self.total).then(|| (self.compute + self.exchange - self.total) / shorter)
    }
}

/// The work to time.
#[derive(Clone, Copy, Debug)]
enum What {
    Step(Parts),
    Alone,
}

const WARM_UPS: usize = 2;
const MIN_RUNS: usize = 3;
/// The smallest share of a step that is visible in differences of its times.
const MIN_SHARE: f64 = 0.02;
/// The time limit for the repetitions of one measurement, in milliseconds.
const BUDGET: f64 = 600.0;

/// Measures a strategy with at most `runs` repetitions of each time. A collective call: all ranks must make it.
///
/// # Errors
/// [`Error::Driver`].
pub fn times(rank: &Rank, work: &mut dyn Work, runs: usize) -> Result<Times, Error> {
    let has_transfers = count(rank, work)?.bytes_received > 0.0;
    let mut clock = Clock::new(rank)?;
    let alone = median(&clock.repeat(work, What::Alone, runs)?);
    let mut of = |parts| clock.repeat(work, What::Step(parts), runs);
    let compute = median(&of(Parts::Compute)?);
    let exchange = if has_transfers { median(&of(Parts::Exchange)?) } else { 0.0 };
    let total = of(Parts::All)?;
    let range = [total[0], total[total.len() - 1]];
    Ok(Times { alone, compute, exchange, total: median(&total), range, runs: total.len() })
}

/// Runs one more step with events around each entry, and returns this rank's timeline.
///
/// # Errors
/// [`Error::Driver`].
pub fn timeline(rank: &Rank, work: &mut dyn Work) -> Result<Vec<Span>, Error> {
    let mut clock = Clock::new(rank)?;
    work.restore()?;
    let mut tape = Tape::new(rank, Parts::All, true);
    work.step(&mut Tape::new(rank, Parts::All, false))?;
    let (start, _) = clock.around(|| work.step(&mut tape))?;
    rank.finish()?;
    tape.timeline(&start)
}

/// Runs a step without timing it, and returns its counts.
///
/// # Errors
/// [`Error::Driver`].
pub fn count(rank: &Rank, work: &mut dyn Work) -> Result<Counts, Error> {
    work.restore()?;
    let mut tape = Tape::new(rank, Parts::All, false);
    work.step(&mut tape)?;
    rank.finish()?;
    Ok(tape.counts())
}

/// The time in milliseconds below which a step is short: the host needs a considerable part of it to enqueue the step.
const SHORT: f64 = 2.0;

/// A clock that measures the time between events, starting when all ranks have arrived.
struct Clock<'a> {
    rank: &'a Rank,
    word: CudaSlice<f32>,
    /// Whether an untimed step precedes each timed one: while it runs, the host enqueues the timed one, as in a loop of
    /// steps.
    leads: bool,
}

impl<'a> Clock<'a> {
    fn new(rank: &'a Rank) -> Result<Self, Error> {
        Ok(Self { rank, word: rank.zeros(1)?, leads: false })
    }

    /// Returns the slowest rank's times, in ascending order.
    fn repeat(&mut self, work: &mut dyn Work, what: What, runs: usize) -> Result<Vec<f64>, Error> {
        let mut last = 0.0;
        self.leads = false;
        for _ in 0..WARM_UPS {
            last = self.once(work, what)?;
        }
        // This must be the same number on all ranks.
        let slowest = self.rank.largest(&[last])?[0];
        self.leads = slowest < SHORT;
        let runs = runs.min(((BUDGET / slowest) as usize).max(MIN_RUNS));
        let own: Vec<f64> = (0..runs).map(|_| self.once(work, what)).collect::<Result<_, _>>()?;
        let mut times = self.rank.largest(&own)?;
        times.sort_by(f64::total_cmp);
        Ok(times)
    }

    fn once(&mut self, work: &mut dyn Work, what: What) -> Result<f64, Error> {
        let rank = self.rank;
        work.restore()?;
        let mut enqueue = || match what {
            What::Step(parts) => work.step(&mut Tape::new(rank, parts, false)),
            What::Alone => work.alone(&mut Tape::new(rank, Parts::All, false)),
        };
        if self.leads {
            enqueue()?;
        }
        let (start, end) = self.around(enqueue)?;
        start.elapsed_ms(&end).map(f64::from).map_err(|error| rank.device.explain("cannot complete a step", error))
    }

    /// Records events around the enqueued work, the first when all ranks have arrived. The host enqueues while it waits
    /// for them.
    fn around(&mut self, act: impl FnOnce() -> Result<(), Error>) -> Result<(CudaEvent, CudaEvent), Error> {
        let Rank { world, transfers, .. } = self.rank;
        let event = || transfers.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).doing("cannot record an event");
        world.all_reduce_in_place(&mut self.word, &ReduceOp::Sum).doing("cannot wait for the other ranks")?;
        let start = event()?;
        act()?;
        Ok((start, event()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times { alone: 20.0, compute: 10.0, exchange: 4.0, total: 11.0, range: [11.0, 11.0], runs: 3 };

    #[test]
    fn overlap_is_what_the_shorter_part_saves() {
        assert_eq!(TIMES.overlap(), Some(0.75));
        assert_eq!(Times { total: 14.0, ..TIMES }.overlap(), Some(0.0));
        assert_eq!(Times { exchange: 0.0, total: 10.0, ..TIMES }.overlap(), None);
        assert_eq!(Times { exchange: 0.1, total: 10.0, ..TIMES }.overlap(), None);
    }
}
