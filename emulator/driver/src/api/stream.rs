//! Streams. Every call that submits work returns when the work has run; its dependencies are recorded.

use super::device::Device;
use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome, invalid, require};
use crate::state::capture::OUTSIDE;
use crate::state::current::{Current, current, on_stream};
use crate::state::{Context, Event, Handle, Stream, StreamKey, lock};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::atomic::Ordering::Relaxed;

/// `CU_EVENT_WAIT_EXTERNAL`, the only flag.
const WAIT_EXTERNAL: c_uint = 1;

fn create(stream: Out<Handle<Stream>>, flags: c_uint) -> Outcome {
    let current = current()?;
    stream.require()?;
    require(flags & !Stream::NON_BLOCKING == 0, format_args!("stream flags {flags:#x}"))?;
    let number = current.context.streams.fetch_add(1, Relaxed) + 1;
    stream.set(current.keep(&current.driver.streams, Stream { context: current.handle, flags, number })?)
}

/// A host function and its argument.
#[derive(Clone, Copy)]
struct HostCall {
    function: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
    /// Whether the call orders the host after the work before it.
    synchronizes_host: bool,
}

// SAFETY: the caller promises that any thread may call the function with this argument; on hardware a driver thread does.
unsafe impl Send for HostCall {}
// SAFETY: as above.
unsafe impl Sync for HostCall {}

impl HostCall {
    /// Calls the function unless a kernel has faulted.
    fn run(&self, place: &Current) -> Outcome {
        // The function runs outside the context's turn, because it may wait for work of another thread.
        let mut well = false;
        place.context.run(|| {
            well = true;
            Ok(())
        })?;
        if well {
            if self.synchronizes_host {
                place.driver.order.host_waits(&place.placement());
            }
            // SAFETY: the caller promises that the function may be called with this argument.
            unsafe { (self.function)(self.argument) };
        }
        Ok(())
    }
}

/// `CUhostFn`, or null.
pub(super) type HostFunction = Option<unsafe extern "C" fn(*mut c_void)>;

/// Submits a call of a host function to a stream.
pub(super) fn call_on(
    stream: Handle<Stream>,
    function: HostFunction,
    argument: *mut c_void,
    synchronizes_host: bool,
) -> Outcome {
    let place = on_stream(stream)?;
    let function = function.ok_or_else(|| invalid("the function is null"))?;
    let call = HostCall { function, argument, synchronizes_host };
    place.submit(move |place| call.run(place))
}

/// Makes a stream wait for an event.
fn wait(place: &Current, event: &Event) -> Outcome {
    let captures = &place.driver.captures;
    match (&*lock(&event.captured), &place.capture) {
        (Some(_), _) if place.stream.is_legacy() => {
            Err(CUresult::STREAM_CAPTURE_IMPLICIT.because("the legacy default stream cannot join a capture"))
        }
        (Some(mark), _) => captures.wait(StreamKey::new(place.handle, place.stream), mark),
        (None, Some(capture)) if lock(&event.recorded).is_some() => {
            Err(capture.refuse(CUresult::STREAM_CAPTURE_ISOLATION, OUTSIDE))
        }
        (None, _) => {
            place.driver.order.wait(&place.placement(), &lock(&event.completed));
            Ok(())
        }
    }
}

api! {
    /// Creates a stream.
    fn cuStreamCreate(stream: Out<Handle<Stream>>, flags: c_uint) {
        create(stream, flags)
    }

    /// Creates a stream. The priority is ignored: 0 is the only one.
    fn cuStreamCreateWithPriority(stream: Out<Handle<Stream>>, flags: c_uint, _priority: c_int) {
        create(stream, flags)
    }

    /// Destroys a stream. Fails for the predefined streams.
    fn cuStreamDestroy_v2(stream: Handle<Stream>) {
        let driver = current()?.driver;
        let context = driver.streams.remove(stream)?.context;
        driver.captures.forget(StreamKey::new(context, stream));
        Ok(())
    }

    /// Waits for all work of the stream, which has run. Fails if a kernel has faulted.
    fn cuStreamSynchronize(stream: Handle<Stream>) | cuStreamQuery {
        let place = on_stream(stream)?;
        place.require_uncaptured()?;
        place.require_safe()?;
        place.wait()
    }

    /// Makes later work of the stream depend on the event. A stream that waits for an event recorded in a capture joins the
    /// capture.
    fn cuStreamWaitEvent(stream: Handle<Stream>, event: Handle<Event>, flags: c_uint) {
        let place = on_stream(stream)?;
        let event = place.driver.events.get(event)?;
        require(flags & !WAIT_EXTERNAL == 0, format_args!("wait flags {flags:#x}"))?;
        wait(&place, &event)
    }

    /// Writes the flags with which the stream was created.
    fn cuStreamGetFlags(stream: Handle<Stream>, flags: Out<c_uint>) {
        let current = current()?;
        let of_stream = if stream.is_predefined() { 0 } else { current.driver.streams.get(stream)?.flags };
        flags.set(of_stream)
    }

    /// Writes the priority, which is 0.
    fn cuStreamGetPriority(stream: Handle<Stream>, priority: Out<c_int>) {
        on_stream(stream)?;
        priority.set(0)
    }

    /// Writes the context of the stream.
    fn cuStreamGetCtx(stream: Handle<Stream>, context: Out<Handle<Context>>) {
        context.set(on_stream(stream)?.handle)
    }

    /// Writes the context of the stream, and null for its green context: there are none.
    fn cuStreamGetCtx_v2(stream: Handle<Stream>, context: Out<Handle<Context>>, green: Out<*const c_void>) {
        context.set_if_wanted(on_stream(stream)?.handle)?;
        green.set_if_wanted(std::ptr::null())
    }

    /// Writes the device of the stream.
    fn cuStreamGetDevice(stream: Handle<Stream>, device: Out<Device>) {
        device.set(on_stream(stream)?.context.device as Device)
    }

    /// Writes the number of the stream. No other stream of the process has it.
    fn cuStreamGetId(stream: Handle<Stream>, id: Out<c_ulonglong>) {
        let place = on_stream(stream)?;
        id.set(StreamKey::new(place.handle, stream).id())
    }

    /// Calls a host function after all earlier work: immediately, on this thread.
    fn cuLaunchHostFunc(stream: Handle<Stream>, function: HostFunction, argument: *mut c_void) {
        call_on(stream, function, argument, true)
    }

    /// Calls a host function after all earlier work: immediately, on this thread. How a stream waits for it has no effect.
    fn cuLaunchHostFunc_v2(
        stream: Handle<Stream>,
        function: HostFunction,
        argument: *mut c_void,
        _synchronization: c_uint,
    ) {
        call_on(stream, function, argument, true)
    }

    /// Calls a host function after all earlier work: immediately, on this thread. If a kernel has faulted, the function's
    /// second argument is that status.
    fn cuStreamAddCallback(
        stream: Handle<Stream>,
        function: Option<unsafe extern "C" fn(Handle<Stream>, CUresult, *mut c_void)>,
        argument: *mut c_void,
        flags: c_uint,
    ) {
        let place = on_stream(stream)?;
        let function = function.ok_or_else(|| invalid("the function is null"))?;
        require(flags == 0, "the flags of cuStreamAddCallback must be 0")?;
        place.require_uncaptured()?;
        // After the work that another thread is running.
        place.context.run(|| Ok(()))?;
        place.driver.order.host_waits(&place.placement());
        // SAFETY: the caller promises that the function may be called with this stream and argument.
        unsafe { function(stream, place.context.status(), argument) };
        Ok(())
    }
}
