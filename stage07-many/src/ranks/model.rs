//! Performance model: the alpha-beta model of a link, and the order of a strategy's kernels and transfers.
//!
//! The time of a transfer is a latency plus its bytes divided by a bandwidth (Hockney 1994); both are measured between
//! the ranks when a job starts. The time of the kernels is their time on one GPU divided by the number of ranks.

use crate::ranks::rank::{Doing, Rank};
use common::Error;
use cudarc::driver::sys::CUevent_flags;
use serde::{Deserialize, Serialize};

/// The latency and bandwidth between the ranks of a job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The time of an empty transfer in milliseconds.
    pub latency: f64,
    /// The bytes per millisecond that a rank receives.
    pub bandwidth: f64,
}

/// The inputs of a prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The number of ranks.
    pub ranks: f64,
    /// The time of the same work on one GPU in milliseconds.
    pub alone: f64,
    /// The link between ranks.
    pub link: Link,
    /// The bytes that a rank receives in a step.
    pub bytes: f64,
}

impl Link {
    /// Returns the time in milliseconds to transfer these bytes.
    #[must_use]
    pub fn time(&self, bytes: f64) -> f64 {
        self.latency + bytes / self.bandwidth
    }

    /// Measures the link by all_gather of one word and of many. A collective call: all ranks must make it.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn measure(rank: &Rank) -> Result<Self, Error> {
        const LARGE: usize = 4 << 20; // words per rank
        let [small, large] = [gather_time(rank, 1)?, gather_time(rank, LARGE)?];
        let bytes = (4 * LARGE * (rank.place.world - 1)) as f64;
        Ok(Self { latency: small, bandwidth: bytes / (large - small).max(1e-6) })
    }
}

/// Returns the median time of an all_gather of `words` words per rank, on the slowest rank.
fn gather_time(rank: &Rank, words: usize) -> Result<f64, Error> {
    const WARM_UPS: usize = 3;
    const RUNS: usize = 11;
    let own = rank.zeros::<f32>(words)?;
    let mut all = rank.zeros::<f32>(words * rank.place.world)?;
    let mut times = Vec::new();
    for _ in 0..WARM_UPS + RUNS {
        let event = || rank.transfers.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let begin = event().doing("cannot record an event")?;
        rank.world.all_gather(&own, &mut all).doing("cannot measure the link")?;
        let end = event().doing("cannot record an event")?;
        times.push(f64::from(begin.elapsed_ms(&end).doing("cannot measure the link")?));
    }
    let mut slowest = rank.largest(&times[WARM_UPS..])?;
    slowest.sort_by(f64::total_cmp);
    Ok(slowest[RUNS / 2])
}

impl Model {
    /// Returns the time of a rank's kernels.
    #[must_use]
    pub fn compute(&self) -> f64 {
        self.alone / self.ranks
    }

    /// Returns the time of one transfer of all bytes.
    #[must_use]
    pub fn exchange(&self) -> f64 {
        self.link.time(self.bytes)
    }

    /// Returns the time of the transfer followed by the kernels.
    #[must_use]
    pub fn one_after_the_other(&self) -> f64 {
        self.exchange() + self.compute()
    }

    /// Returns the time of the transfer overlapped with the share of the kernels that does not depend on it, followed
    /// by the other kernels.
    #[must_use]
    pub fn own_block_first(&self) -> f64 {
        let own = self.compute() / self.ranks;
        own.max(self.exchange()) + self.compute() - own
    }

    /// Returns the time of one iteration per rank, each with a part of the kernels overlapped with the transfer of the
    /// next share; the last has no transfer.
    #[must_use]
    pub fn ring(&self) -> f64 {
        let part = self.compute() / self.ranks;
        let steps = self.ranks - 1.0;
        steps * part.max(self.link.time(self.bytes / steps.max(1.0))) + part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: Model = Model { ranks: 4.0, alone: 16.0, link: Link { latency: 0.5, bandwidth: 100.0 }, bytes: 300.0 };

    #[test]
    fn a_transfer_before_the_kernels_adds_up() {
        assert_eq!(MODEL.one_after_the_other(), 4.0 + 3.5);
    }

    #[test]
    fn own_bodies_hide_a_transfer_as_far_as_they_last() {
        assert_eq!(MODEL.own_block_first(), 3.5 + 3.0);
        assert_eq!(Model { alone: 160.0, ..MODEL }.own_block_first(), 40.0);
    }

    #[test]
    fn a_ring_hides_all_transfers_once_a_part_takes_longer_than_one() {
        assert_eq!(MODEL.ring(), 3.0 * 1.5 + 1.0);
        assert_eq!(Model { alone: 32.0, ..MODEL }.ring(), 8.0);
    }
}
