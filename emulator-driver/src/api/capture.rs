//! Capturing streams.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::capture::{Mode, Queue, exchange_mode};
use crate::state::current::{Current, current};
use crate::state::graph::{Graph, forget};
use crate::state::{Handle, Stream, lock};
use std::ffi::{c_int, c_ulonglong, c_void};

/// `CU_STREAM_CAPTURE_STATUS_NONE`, `…_ACTIVE` and `…_INVALIDATED`.
const NONE: c_int = 0;
const ACTIVE: c_int = 1;
const INVALIDATED: c_int = 2;

fn begin(stream: Handle<Stream>, mode: c_int) -> Outcome {
    let place = current()?.on(stream)?;
    let mode = Mode::from_number(mode)?;
    if stream.is_legacy() {
        let why = "the legacy stream cannot be captured: create a stream";
        return Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.because(why));
    }
    let driver = place.driver;
    let blocking = stream.is_predefined() || !driver.streams.get(stream)?.is_non_blocking();
    let graph = driver.graphs.insert(Graph::default());
    let begun = driver.captures.begin(Queue::of(place.handle, stream), mode, blocking, graph);
    begun.inspect_err(|_| drop(driver.graphs.remove(graph)))
}

/// Ends a capture. One that was spoiled ends too, and leaves no graph.
fn end(stream: Handle<Stream>, target: Out<Handle<Graph>>) -> Outcome {
    let place = current()?.on(stream)?;
    target.require()?;
    let driver = place.driver;
    let (graph, nodes, outcome) = driver.captures.end(Queue::of(place.handle, stream))?;
    match outcome {
        Ok(()) => {
            *lock(&driver.graphs.get(graph)?.nodes) = nodes;
            target.set(graph)
        }
        Err(error) => {
            driver.graphs.remove(graph)?;
            forget(&driver.nodes, &nodes);
            target.set(Handle::NULL)?;
            Err(error)
        }
    }
}

/// Status, number and graph of a stream's capture.
fn info(place: &Current) -> Outcome<(c_int, u64, Handle<Graph>)> {
    if place.stream.is_legacy() {
        place.driver.captures.require_no_implicit(place.handle)?;
    }
    Ok(match place.capture.as_ref() {
        None => (NONE, 0, Handle::NULL),
        Some(capture) if capture.check().is_err() => (INVALIDATED, capture.id, Handle::NULL),
        Some(capture) => (ACTIVE, capture.id, capture.graph),
    })
}

fn tell(
    stream: Handle<Stream>,
    status: Out<c_int>,
    id: Out<c_ulonglong>,
    graph: Out<Handle<Graph>>,
    dependencies: [Out<*const c_void>; 2],
    count: Out<usize>,
) -> Outcome {
    let (now, number, captured) = info(&current()?.on(stream)?)?;
    if dependencies.iter().any(|list| !list.is_null()) || !count.is_null() {
        return Err(CUresult::NOT_SUPPORTED.because("the nodes that the next one depends on are not told"));
    }
    status.set(now)?;
    if now == ACTIVE {
        id.set_if_wanted(number);
        graph.set_if_wanted(captured);
    }
    Ok(())
}

api! {
    /// Captures what is given to the stream from now on: it becomes nodes of a graph, and does not run.
    fn cuStreamBeginCapture_v2(stream: Handle<Stream>, mode: c_int) {
        begin(stream, mode)
    }

    /// Ends the capture and writes its graph, null if a call has spoiled it.
    fn cuStreamEndCapture(stream: Handle<Stream>, graph: Out<Handle<Graph>>) {
        end(stream, graph)
    }

    /// Writes whether the stream is captured.
    fn cuStreamIsCapturing(stream: Handle<Stream>, status: Out<c_int>) {
        let (now, ..) = info(&current()?.on(stream)?)?;
        status.set(now)
    }

    /// Writes whether the stream is captured, and the number of the capture.
    fn cuStreamGetCaptureInfo(stream: Handle<Stream>, status: Out<c_int>, id: Out<c_ulonglong>) {
        tell(stream, status, id, Out::nowhere(), [Out::nowhere(); 2], Out::nowhere())
    }

    /// The same, and the graph as far as it is captured. What the next node depends on is not told.
    fn cuStreamGetCaptureInfo_v2(
        stream: Handle<Stream>,
        status: Out<c_int>,
        id: Out<c_ulonglong>,
        graph: Out<Handle<Graph>>,
        dependencies: Out<*const c_void>,
        count: Out<usize>,
    ) {
        tell(stream, status, id, graph, [dependencies, Out::nowhere()], count)
    }

    /// The same. What the next node depends on, and how, is not told.
    fn cuStreamGetCaptureInfo_v3(
        stream: Handle<Stream>,
        status: Out<c_int>,
        id: Out<c_ulonglong>,
        graph: Out<Handle<Graph>>,
        dependencies: Out<*const c_void>,
        edges: Out<*const c_void>,
        count: Out<usize>,
    ) {
        tell(stream, status, id, graph, [dependencies, edges], count)
    }

    /// Gives this thread a mode, which says what is refused on it while others capture, and writes the one that it had.
    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_int>) {
        let wanted = mode.as_input().get();
        let wanted = wanted.ok_or_else(|| CUresult::INVALID_VALUE.because("no capture mode"))?;
        mode.set(exchange_mode(Mode::from_number(wanted)?) as c_int)
    }
}
