//! Streams.

use super::context::Context;
use super::handle::{Handle, Object};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::ThreadId;

/// A stream. Work submitted to it has run when the call returns; `stream_order` records its
/// dependencies.
pub struct Stream {
    pub(crate) context: Handle<Context>,
    pub(crate) flags: u32,
    /// The stream's number in its context, from 1.
    pub(crate) number: u32,
}

impl Stream {
    /// `CU_STREAM_NON_BLOCKING`: the stream does not synchronize with the legacy default stream.
    pub(crate) const NON_BLOCKING: u32 = 1;

    /// Returns whether the stream was created with [`Self::NON_BLOCKING`].
    pub(crate) fn is_non_blocking(&self) -> bool {
        self.flags & Self::NON_BLOCKING != 0
    }
}

impl Object for Stream {
    const NOUN: &str = "stream";
}

impl Handle<Stream> {
    /// `CU_STREAM_PER_THREAD`.
    pub(crate) const PER_THREAD: Self = Self::from_number(2);

    /// Returns whether this is the legacy default stream.
    pub(crate) fn is_legacy(self) -> bool {
        self.number() <= 1
    }

    /// Returns whether this handle is predefined: null and 1 are the legacy default stream, 2 is the per-thread one.
    pub(crate) fn is_predefined(self) -> bool {
        self.number() <= 2
    }
}

/// The identity of a stream. The per-thread default stream is a different stream in each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamKey {
    /// The number of the context's handle.
    pub(super) context: usize,
    stream: usize,
    thread: Option<ThreadId>,
}

impl StreamKey {
    /// Returns the key of `stream` in `context`, for the calling thread.
    pub(crate) fn new(context: Handle<Context>, stream: Handle<Stream>) -> Self {
        let thread = (stream == Handle::PER_THREAD).then(|| std::thread::current().id());
        let stream = if stream.is_legacy() { Handle::NULL } else { stream };
        Self { context: context.number(), stream: stream.number(), thread }
    }

    /// Returns a number that no other stream of the process has. For the per-thread default stream, the calling thread's.
    pub(crate) fn id(self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        thread_local! {
            static THREAD: u64 = NEXT.fetch_add(1, Relaxed);
        }
        match self.thread {
            Some(_) => THREAD.try_with(|number| number << 48).unwrap_or_default() | self.context as u64,
            // The numbers of contexts and streams are different.
            None if self.stream == 0 => self.context as u64,
            None => self.stream as u64,
        }
    }
}
