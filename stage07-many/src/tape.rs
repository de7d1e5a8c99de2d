//! On what a rung writes its step: kernels and transfers, in the order in which they are enqueued.
//!
//! The tape can leave out either, so that each gets a time of its own; it counts what is enqueued, and notes when each
//! begins and ends, for a timeline.

use crate::rank::{Doing, Rank};
use common::Error;
use common::device::Backend;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream, DriverError};
use serde::Serialize;

/// Which parts of a step are enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Both.
    All,
    /// Kernels alone.
    Compute,
    /// Transfers alone.
    Exchange,
}

/// What a rank's step enqueues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Interactions, additions or evaluations of its kernels.
    pub work: f64,
    /// Kernels.
    pub kernels: u32,
    /// Transfers.
    pub transfers: u32,
    /// Bytes that other ranks send to this one.
    pub bytes_received: f64,
    /// Of these, bytes that come from other machines.
    pub bytes_from_machines: f64,
    /// Bytes of transfers beside which no kernel of this rank may run, whatever the times.
    pub bytes_exposed: f64,
    /// Warp instructions of its kernels; 0 on a GPU.
    pub warp_instructions: f64,
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |sum, part| Self {
            received: sum.received + part.received,
            from_machines: sum.from_machines + part.from_machines,
        })
    }
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.work += other.work;
        self.kernels += other.kernels;
        self.transfers += other.transfers;
        self.bytes_received += other.bytes_received;
        self.bytes_from_machines += other.bytes_from_machines;
        self.bytes_exposed += other.bytes_exposed;
        self.warp_instructions += other.warp_instructions;
    }
}

/// What a transfer brings to this rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bytes {
    /// From other ranks.
    pub received: usize,
    /// Of these, from other machines.
    pub from_machines: usize,
}

/// A kernel or transfer of a timeline, in milliseconds since the step began.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// What it is.
    pub what: &'static str,
    /// `compute` or `transfers`.
    pub stream: &'static str,
    /// When it began.
    pub begin: f64,
    /// When it ended.
    pub end: f64,
}

/// A step being written.
#[derive(Debug)]
pub struct Tape<'a> {
    /// The rank whose step it is.
    pub rank: &'a Rank,
    parts: Parts,
    marks: Option<Vec<Mark>>,
    order: Order,
    counts: Counts,
}

#[derive(Debug)]
struct Mark {
    what: &'static str,
    stream: &'static str,
    begin: CudaEvent,
    end: CudaEvent,
}

impl<'a> Tape<'a> {
    /// An empty tape; with `timeline`, each entry gets events.
    #[must_use]
    pub fn new(rank: &'a Rank, parts: Parts, timeline: bool) -> Self {
        Self { rank, parts, marks: timeline.then(Vec::new), order: Order::default(), counts: Counts::default() }
    }

    /// Enqueues a kernel that does so much work.
    ///
    /// # Errors
    /// [`Error::Driver`], naming it.
    pub fn compute(
        &mut self,
        what: &'static str,
        stream: &CudaStream,
        work: f64,
        launch: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), Error> {
        if self.parts == Parts::Exchange {
            return Ok(());
        }
        let rank = self.rank;
        self.marked(what, stream, || {
            launch().map_err(|error| rank.device.explain(&format!("cannot launch {what}"), error))
        })?;
        self.counts.work += work;
        self.counts.kernels += 1;
        self.order.add(self.is_compute(stream), None);
        if rank.device.backend == Backend::Emulator
            && let Some(counters) = rank.device.last_counters()?
        {
            self.counts.warp_instructions += counters.warp_instructions as f64;
        }
        Ok(())
    }

    /// Enqueues what belongs to kernels and is none, such as zeros before they add.
    ///
    /// # Errors
    /// [`Error::Driver`], naming it.
    pub fn fill(&mut self, what: &'static str, act: impl FnOnce() -> Result<(), DriverError>) -> Result<(), Error> {
        let explain = |error| self.rank.device.explain(&format!("cannot enqueue {what}"), error);
        if self.parts == Parts::Exchange { Ok(()) } else { act().map_err(explain) }
    }

    /// Enqueues a recorded step, and counts what it enqueues.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn recorded(
        &mut self,
        what: &'static str,
        stream: &CudaStream,
        counts: &Counts,
        launch: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), Error> {
        self.marked(what, stream, || launch().doing("cannot launch a graph"))?;
        self.counts.add(counts);
        Ok(())
    }

    /// Which parts are enqueued.
    #[must_use]
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// Enqueues a transfer that brings so many bytes.
    ///
    /// # Errors
    /// Those of `transfer`, naming it.
    pub fn exchange<T, E>(
        &mut self,
        what: &'static str,
        stream: &CudaStream,
        bytes: Bytes,
        transfer: impl FnOnce() -> Result<T, E>,
    ) -> Result<(), Error>
    where
        Result<T, E>: Doing<T>,
    {
        if self.parts == Parts::Compute {
            return Ok(());
        }
        self.marked(what, stream, || transfer().doing(&format!("cannot exchange: {what}")).map(drop))?;
        self.counts.transfers += 1;
        self.counts.bytes_received += bytes.received as f64;
        self.counts.bytes_from_machines += bytes.from_machines as f64;
        self.order.add(self.is_compute(stream), Some(bytes.received));
        Ok(())
    }

    /// Lets what is enqueued on a stream from now on wait for what another one has until now.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn wait(&mut self, waiter: &CudaStream, other: &CudaStream) -> Result<(), Error> {
        self.order.wait(self.is_compute(waiter), self.is_compute(other));
        waiter.join(other).map_err(|error| self.rank.device.explain("cannot order two streams", error))
    }

    /// What was enqueued.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { bytes_exposed: self.counts.bytes_exposed + self.order.exposed() as f64, ..self.counts }
    }

    /// When each entry began and ended, since `start`; empty without a timeline. Waits for the rank's work.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn timeline(&self, start: &CudaEvent) -> Result<Vec<Span>, Error> {
        let span = |mark: &Mark| -> Result<Span, DriverError> {
            let since = |event: &CudaEvent| start.elapsed_ms(event).map(f64::from);
            Ok(Span { what: mark.what, stream: mark.stream, begin: since(&mark.begin)?, end: since(&mark.end)? })
        };
        self.marks.iter().flatten().map(span).collect::<Result<_, _>>().doing("cannot read a timeline")
    }

    fn is_compute(&self, stream: &CudaStream) -> bool {
        *stream == *self.rank.compute
    }

    fn marked(
        &mut self,
        what: &'static str,
        stream: &CudaStream,
        act: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let event = || stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).doing("cannot record an event");
        let Some(begin) = self.marks.as_ref().map(|_| event()).transpose()? else { return act() };
        act()?;
        let (end, stream) = (event()?, if self.is_compute(stream) { "compute" } else { "transfers" });
        if let Some(marks) = &mut self.marks {
            marks.push(Mark { what, stream, begin, end });
        }
        Ok(())
    }
}

/// What two streams have enqueued, and what of each has ended before what of the other begins.
#[derive(Debug, Default)]
struct Order {
    /// Entries that each stream has seen of both: its own, and those that it has waited for.
    seen: [[usize; 2]; 2],
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    stream: usize,
    /// Which of its stream.
    number: usize,
    /// How many of each stream have ended before it begins.
    before: [usize; 2],
    /// Bytes of a transfer; `None` for a kernel.
    bytes: Option<usize>,
}

impl Order {
    fn add(&mut self, is_compute: bool, bytes: Option<usize>) {
        let stream = usize::from(is_compute);
        let (before, number) = (self.seen[stream], self.seen[stream][stream]);
        self.seen[stream][stream] += 1;
        self.entries.push(Entry { stream, number, before, bytes });
    }

    fn wait(&mut self, waiter: bool, other: bool) {
        let (waiter, other) = (usize::from(waiter), usize::from(other));
        for stream in 0..2 {
            self.seen[waiter][stream] = self.seen[waiter][stream].max(self.seen[other][stream]);
        }
    }

    /// Bytes of transfers that are ordered against every kernel.
    fn exposed(&self) -> usize {
        let is_before = |a: &Entry, b: &Entry| b.before[a.stream] > a.number;
        let is_alone = |transfer: &&Entry| {
            let mut kernels = self.entries.iter().filter(|entry| entry.bytes.is_none());
            kernels.all(|kernel| is_before(kernel, transfer) || is_before(transfer, kernel))
        };
        self.entries.iter().filter(is_alone).filter_map(|transfer| transfer.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_one_stream_is_exposed_in_full() {
        let mut order = Order::default();
        order.add(false, Some(10));
        order.add(false, None);
        assert_eq!(order.exposed(), 10);
    }

    #[test]
    fn a_transfer_beside_a_kernel_is_not_exposed_and_one_that_it_waits_for_is() {
        let mut order = Order::default();
        order.add(false, Some(10));
        order.add(true, None);
        order.wait(true, false);
        order.add(true, None);
        assert_eq!(order.exposed(), 0);
        order.wait(false, true);
        order.add(false, Some(5));
        assert_eq!(order.exposed(), 5);
    }
}
