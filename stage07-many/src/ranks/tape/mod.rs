//! A tape: the kernels and transfers of a step, in the order in which they are enqueued.
//!
//! It can leave out either kind, so that each can be timed separately. It counts what is enqueued, and can record the
//! start and end of each entry for a timeline.

mod counts;
mod order;

pub use counts::{Bytes, Counts};

use crate::ranks::rank::{Doing, Rank};
use common::Error;
use common::device::Backend;
use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaStream, DriverError};
use order::Order;
use serde::Serialize;

/// The parts of a step to enqueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Kernels and transfers.
    All,
    /// Kernels only.
    Compute,
    /// Transfers only.
    Exchange,
}

/// A kernel or transfer of a timeline, in milliseconds since the start of the step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The name of the kernel or transfer.
    pub what: &'static str,
    /// The stream, `compute` or `transfers`.
    pub stream: &'static str,
    /// Its start.
    pub begin: f64,
    /// Its end.
    pub end: f64,
}

/// A step that is being enqueued.
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
    /// Creates an empty tape; with `timeline`, events are recorded around each entry.
    #[must_use]
    pub fn new(rank: &'a Rank, parts: Parts, timeline: bool) -> Self {
        Self { rank, parts, marks: timeline.then(Vec::new), order: Order::default(), counts: Counts::default() }
    }

    /// Enqueues a kernel with this amount of work.
    ///
    /// # Errors
    /// [`Error::Driver`], naming the kernel.
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
        self.mark(what, stream, || {
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

    /// Enqueues an auxiliary operation of a kernel, such as clearing its sums.
    ///
    /// # Errors
    /// [`Error::Driver`], naming the operation.
    pub fn fill(&mut self, what: &'static str, act: impl FnOnce() -> Result<(), DriverError>) -> Result<(), Error> {
        let explain = |error| self.rank.device.explain(&format!("cannot enqueue {what}"), error);
        if self.parts == Parts::Exchange { Ok(()) } else { act().map_err(explain) }
    }

    /// Enqueues a captured step, and adds its counts.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn graph(
        &mut self,
        what: &'static str,
        stream: &CudaStream,
        counts: &Counts,
        launch: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), Error> {
        self.mark(what, stream, || launch().doing("cannot launch a graph"))?;
        self.counts.add(counts);
        Ok(())
    }

    /// Returns the parts that are enqueued.
    #[must_use]
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// Enqueues a transfer of these bytes.
    ///
    /// # Errors
    /// Errors of `transfer`, naming it.
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
        self.mark(what, stream, || transfer().doing(&format!("cannot exchange: {what}")).map(drop))?;
        self.counts.transfers += 1;
        self.counts.bytes_received += bytes.received as f64;
        self.counts.bytes_from_machines += bytes.from_machines as f64;
        self.order.add(self.is_compute(stream), Some(bytes.received));
        Ok(())
    }

    /// Makes later work on one stream wait for the work enqueued so far on another.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn wait(&mut self, waiter: &CudaStream, other: &CudaStream) -> Result<(), Error> {
        self.order.wait(self.is_compute(waiter), self.is_compute(other));
        waiter.join(other).map_err(|error| self.rank.device.explain("cannot order two streams", error))
    }

    /// Returns the counts of what was enqueued.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { bytes_exposed: self.counts.bytes_exposed + self.order.exposed_bytes() as f64, ..self.counts }
    }

    /// Returns the start and end of each entry, relative to `start`; empty without a timeline. Waits for the rank's
    /// work.
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

    fn mark(
        &mut self,
        what: &'static str,
        stream: &CudaStream,
        act: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let event = || stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).doing("cannot record an event");
        let Some(begin) = self.marks.as_ref().map(|_| event()).transpose()? else { return act() };
        act()?;
        let end = event()?;
        let stream = if self.is_compute(stream) { "compute" } else { "transfers" };
        if let Some(marks) = &mut self.marks {
            marks.push(Mark { what, stream, begin, end });
        }
        Ok(())
    }
}
