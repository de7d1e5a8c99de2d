//! Events.

use super::capture::Mark;
use super::context::Context;
use super::handle::{Handle, Object};
use super::stream_order::Clock;
use std::sync::Mutex;
use std::time::Instant;

/// An event: a point in a stream, and the host time at which the stream reached it.
pub struct Event {
    pub(crate) context: Handle<Context>,
    /// Whether `cuEventElapsedTime` accepts the event.
    pub(crate) timing: bool,
    /// The time of the last record, `None` before the first.
    pub(crate) recorded: Mutex<Option<Instant>>,
    /// The work that is complete at that point.
    pub(crate) completed: Mutex<Clock>,
    /// The marked point of a captured stream, if the event was last recorded in a capture.
    pub(crate) captured: Mutex<Option<Mark>>,
}

impl Object for Event {
    const NOUN: &str = "event";
}
