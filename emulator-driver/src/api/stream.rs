//! Streams. Every call that gives work to one returns when the work has run; what it comes after is kept.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::capture::{OUTSIDE, Queue};
use crate::state::current::{Current, current};
use crate::state::graph::NodeKind;
use crate::state::{Context, Event, Handle, Stream, lock};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering::Relaxed;

/// `CU_EVENT_WAIT_EXTERNAL`, the only flag.
const WAIT_EXTERNAL: c_uint = 1;

fn create(stream: Out<Handle<Stream>>, flags: c_uint) -> Outcome {
    let current = current()?;
    stream.require()?;
    if flags & !Stream::NON_BLOCKING != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!("stream flags {flags:#x}")));
    }
    let number = current.context.streams.fetch_add(1, Relaxed) + 1;
    stream.set(current.keep(&current.driver.streams, Stream { context: current.handle, flags, number })?)
}

/// A function of the host, and what it is called with.
#[derive(Clone, Copy)]
struct HostCall {
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
    /// Whether the host may learn from it that the work before it is over.
    tells: bool,
}

// SAFETY: the caller gives a function that any thread may call with this argument: the driver's own thread, on hardware.
unsafe impl Send for HostCall {}
// SAFETY: as above.
unsafe impl Sync for HostCall {}

impl HostCall {
    /// Calls it, unless a kernel has faulted.
    fn run(&self, place: &Current) -> Outcome {
        // Without a turn of the context, which the function may wait for on another thread.
        let mut well = false;
        place.context.submit(|| {
            well = true;
            Ok(())
        })?;
        if well {
            if self.tells {
                place.driver.order.host_waits(&place.site());
            }
            // SAFETY: the caller gives a function that may be called with this argument.
            unsafe { (self.function)(self.argument) };
        }
        Ok(())
    }
}

/// `CUhostFn`, or null.
pub(super) type HostFunction = Option<unsafe extern "C" fn(*mut c_void)>;

/// Gives a call of a function of the host to a stream.
pub(super) fn call_on(stream: Handle<Stream>, function: HostFunction, argument: *mut c_void, tells: bool) -> Outcome {
    let place = current()?.on(stream)?;
    let function = function.ok_or_else(|| CUresult::INVALID_VALUE.because("no function to call"))?;
    let call = HostCall { function, argument, tells };
    place.give(NodeKind::Host, move |place| call.run(place))
}

/// A stream waits for an event.
fn wait(place: &Current, event: &Event) -> Outcome {
    let captures = &place.driver.captures;
    match (&*lock(&event.captured), &place.capture) {
        (Some(_), _) if place.stream.is_legacy() => {
            Err(CUresult::STREAM_CAPTURE_IMPLICIT.because("the legacy stream cannot join a capture"))
        }
        (Some(mark), _) => captures.wait(Queue::of(place.handle, place.stream), mark),
        (None, Some(capture)) if lock(&event.recorded).is_some() => {
            Err(capture.refuse(CUresult::STREAM_CAPTURE_ISOLATION, OUTSIDE))
        }
        (None, _) => {
            place.driver.order.wait(&place.site(), &lock(&event.over));
            Ok(())
        }
    }
}

api! {
    /// Creates a stream.
    fn cuStreamCreate(stream: Out<Handle<Stream>>, flags: c_uint) {
        create(stream, flags)
    }

    /// Creates a stream. Every priority becomes 0, the only one.
    fn cuStreamCreateWithPriority(stream: Out<Handle<Stream>>, flags: c_uint, _priority: c_int) {
        create(stream, flags)
    }

    /// Destroys a stream; those that CUDA defines cannot be.
    fn cuStreamDestroy_v2(stream: Handle<Stream>) {
        let driver = current()?.driver;
        let context = driver.streams.remove(stream)?.context;
        driver.captures.forget(Queue::of(context, stream));
        Ok(())
    }

    /// Waits for all work of the stream and tells of a kernel that faulted.
    fn cuStreamSynchronize(stream: Handle<Stream>) {
        let place = current()?.on(stream)?;
        place.require_uncaptured()?;
        place.wait()
    }

    /// Succeeds when all work of the stream has run, which it has; tells of a kernel that faulted.
    fn cuStreamQuery(stream: Handle<Stream>) {
        let place = current()?.on(stream)?;
        place.require_uncaptured()?;
        place.wait()
    }

    /// Work on the stream comes after what the event marks, which has run. A stream that waits for what was recorded in a
    /// capture joins it.
    fn cuStreamWaitEvent(stream: Handle<Stream>, event: Handle<Event>, flags: c_uint) {
        let place = current()?.on(stream)?;
        let event = place.driver.events.get(event)?;
        if flags & !WAIT_EXTERNAL != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!("wait flags {flags:#x}")));
        }
        wait(&place, &event)
    }

    /// Writes the flags that the stream was created with.
    fn cuStreamGetFlags(stream: Handle<Stream>, flags: Out<c_uint>) {
        let current = current()?;
        let of_stream = if stream.is_predefined() { 0 } else { current.driver.streams.get(stream)?.flags };
        flags.set(of_stream)
    }

    /// Writes the priority: 0.
    fn cuStreamGetPriority(stream: Handle<Stream>, priority: Out<c_int>) {
        current()?.on(stream)?;
        priority.set(0)
    }

    /// Writes the context of the stream.
    fn cuStreamGetCtx(stream: Handle<Stream>, context: Out<Handle<Context>>) {
        context.set(current()?.on(stream)?.handle)
    }

    /// Calls a function of the host after all work before it: at once, on this thread.
    fn cuLaunchHostFunc(stream: Handle<Stream>, function: HostFunction, argument: *mut c_void) {
        call_on(stream, function, argument, true)
    }

    /// Calls a function of the host after all work before it: at once, on this thread. If a kernel has faulted, the
    /// function learns of it by its second argument.
    fn cuStreamAddCallback(
        stream: Handle<Stream>,
        function: Option<unsafe extern "C" fn(Handle<Stream>, CUresult, *mut c_void)>,
        argument: *mut c_void,
        flags: c_uint,
    ) {
        let place = current()?.on(stream)?;
        let function = function.ok_or_else(|| CUresult::INVALID_VALUE.because("no function to call"))?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("the flags of cuStreamAddCallback must be 0"));
        }
        place.require_uncaptured()?;
        // After the work that another thread has under way.
        place.context.submit(|| Ok(()))?;
        place.driver.order.host_waits(&place.site());
        // SAFETY: the caller gives a function that may be called with this stream and argument.
        unsafe { function(stream, place.context.status(), argument) };
        Ok(())
    }
}
