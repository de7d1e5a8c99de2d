//! Events. They record the CPU's clock, which measures the emulator's run time and never a GPU's.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Error, Outcome, require};
use crate::state::current::{Current, current, on_stream};
use crate::state::{Event, Handle, Stream, StreamKey, lock};
use std::ffi::{c_float, c_uint};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// `CU_EVENT_BLOCKING_SYNC`, which has no effect.
const BLOCKING_SYNC: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: c_uint = 2;
/// `CU_EVENT_INTERPROCESS`, which requires `DISABLE_TIMING`.
const INTERPROCESS: c_uint = 4;

/// `CU_EVENT_RECORD_EXTERNAL`, the only flag.
const RECORD_EXTERNAL: c_uint = 1;

fn record(event: Handle<Event>, stream: Handle<Stream>, flags: c_uint) -> Outcome {
    let place = on_stream(stream)?;
    let record = place.driver.events.get(event)?;
    require(flags & !RECORD_EXTERNAL == 0, format_args!("record flags {flags:#x}"))?;
    CUresult::INVALID_HANDLE
        .unless(record.context == place.handle, "the event and the stream belong to different contexts")?;
    place.require_explicit()?;
    if let Some(capture) = &place.capture {
        capture.check()?;
        *lock(&record.captured) = Some(capture.mark(StreamKey::new(place.handle, stream)));
        return Ok(());
    }
    place.context.run(|| {
        *lock(&record.captured) = None;
        *lock(&record.recorded) = Some(Instant::now());
        *lock(&record.completed) = place.driver.order.mark(&place.placement());
        Ok(())
    })
}

/// Fails if the event was recorded in a capture, where it has no time.
fn require_uncaptured(event: &Event) -> Outcome {
    let captured = lock(&event.captured).is_some();
    CUresult::CAPTURED_EVENT.unless(!captured, "the event was recorded in a capture")
}

/// Waits for the event. Fails if a kernel has faulted. An event that was never recorded is complete.
fn wait(event: Handle<Event>) -> Outcome {
    let current = current()?;
    let event = current.driver.events.get(event)?;
    if let Some(mark) = &*lock(&event.captured) {
        return Err(mark.capture.refuse(CUresult::CAPTURED_EVENT, "the event was recorded in a capture"));
    }
    current.require_safe()?;
    match current.driver.contexts.find(event.context) {
        Some(context) => {
            context.synchronize()?;
            current.driver.order.host_waits_for(&lock(&event.completed));
            Ok(())
        }
        None => Err(CUresult::CONTEXT_IS_DESTROYED.because("the event's context has been destroyed")),
    }
}

/// Returns the time at which the event was recorded. Fails if it was never recorded or has no timing.
fn time(current: &Current, event: Handle<Event>) -> Outcome<Instant> {
    let record: Arc<Event> = current.driver.events.get(event)?;
    require_uncaptured(&record)?;
    let without = |why| -> Error { CUresult::INVALID_HANDLE.because(format!("event {event:?} {why}")) };
    if !record.timing {
        return Err(without("was created without timing (CU_EVENT_DISABLE_TIMING)"));
    }
    let recorded = *lock(&record.recorded);
    recorded.ok_or_else(|| without("has not been recorded"))
}

api! {
    /// Creates an event.
    fn cuEventCreate(event: Out<Handle<Event>>, flags: c_uint) {
        let current = current()?;
        event.require()?;
        let timing = flags & DISABLE_TIMING == 0;
        let known = flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) == 0;
        require(known && (flags & INTERPROCESS == 0 || !timing), format_args!("event flags {flags:#x}"))?;
        let recorded = Mutex::default();
        let completed = Mutex::default();
        let captured = Mutex::default();
        let record = Event { context: current.handle, timing, recorded, completed, captured };
        event.set(current.keep(&current.driver.events, record)?)
    }

    /// Destroys an event.
    fn cuEventDestroy_v2(event: Handle<Event>) {
        current()?.driver.events.remove(event).map(drop)
    }

    /// Records the event: all earlier work of the stream, and the time at which it completed.
    fn cuEventRecord(event: Handle<Event>, stream: Handle<Stream>) {
        record(event, stream, 0)
    }

    /// Records the event: all earlier work of the stream, and the time at which it completed.
    fn cuEventRecordWithFlags(event: Handle<Event>, stream: Handle<Stream>, flags: c_uint) {
        record(event, stream, flags)
    }

    /// Waits for the event, whose recorded work has run. Fails if a kernel has faulted.
    fn cuEventSynchronize(event: Handle<Event>) | cuEventQuery {
        wait(event)
    }

    /// Writes the milliseconds between two events, 0 if `end` came first. This is the emulator's run time and has no relation to
    /// the times of a GPU.
    fn cuEventElapsedTime(milliseconds: Out<c_float>, start: Handle<Event>, end: Handle<Event>) | cuEventElapsedTime_v2 {
        let current = current()?;
        let start = time(&current, start)?;
        let duration = time(&current, end)?.saturating_duration_since(start);
        // The same status as on hardware, although it is a pointer and not a handle that is null.
        milliseconds.require().map_err(|error| Error { code: CUresult::INVALID_HANDLE, ..error })?;
        milliseconds.set(duration.as_secs_f32() * 1e3)
    }
}
