//! Stream capture.

use crate::arguments::Out;
use crate::boundary::api;
use crate::result::{CUresult, Outcome};
use crate::state::capture::{Mode, exchange_mode};
use crate::state::current::{Current, on_stream};
use crate::state::graph::Graph;
use crate::state::{Handle, Stream, StreamKey, lock};
use std::ffi::{c_int, c_ulonglong, c_void};

/// `CU_STREAM_CAPTURE_STATUS_NONE`, `…_ACTIVE` and `…_INVALIDATED`.
const NONE: c_int = 0;
const ACTIVE: c_int = 1;
const INVALIDATED: c_int = 2;

fn begin(stream: Handle<Stream>, mode: c_int) -> Outcome {
    let place = on_stream(stream)?;
    let mode = Mode::from_number(mode)?;
    CUresult::STREAM_CAPTURE_UNSUPPORTED
        .unless(!stream.is_legacy(), "the legacy default stream cannot be captured: create a stream")?;
    let driver = place.driver;
    let blocking = stream.is_predefined() || !driver.streams.get(stream)?.is_non_blocking();
    let graph = driver.graphs.insert(Graph::default());
    let begun = driver.captures.begin(StreamKey::new(place.handle, stream), mode, blocking, graph);
    begun.inspect_err(|_| drop(driver.graphs.remove(graph)))
}

/// Ends a capture. An invalid one ends without a graph.
fn end(stream: Handle<Stream>, target: Out<Handle<Graph>>) -> Outcome {
    let place = on_stream(stream)?;
    target.require()?;
    let driver = place.driver;
    let (graph, nodes, outcome) = driver.captures.end(StreamKey::new(place.handle, stream))?;
    match outcome {
        Ok(()) => {
            *lock(&driver.graphs.get(graph)?.nodes) = nodes;
            target.set(graph)
        }
        Err(error) => {
            driver.graphs.remove(graph)?;
            target.set(Handle::NULL)?;
            Err(error)
        }
    }
}

/// Returns the status, number and graph of a stream's capture.
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

/// Writes the status of a stream's capture. Fails if the caller requests the dependencies of the next node.
fn write_info(
    stream: Handle<Stream>,
    status: Out<c_int>,
    id: Out<c_ulonglong>,
    graph: Out<Handle<Graph>>,
    dependencies: [Out<*const c_void>; 2],
    count: Out<usize>,
) -> Outcome {
    let (now, number, captured) = info(&on_stream(stream)?)?;
    CUresult::NOT_SUPPORTED.unless(
        !dependencies.iter().any(|list| !list.is_null()) && count.is_null(),
        "the dependencies of the next node are not available: pass null",
    )?;
    status.set(now)?;
    if now == ACTIVE {
        id.set_if_wanted(number)?;
        graph.set_if_wanted(captured)?;
    }
    Ok(())
}

api! {
    /// Begins to capture a stream: later work becomes graph nodes instead of running.
    fn cuStreamBeginCapture_v2(stream: Handle<Stream>, mode: c_int) {
        begin(stream, mode)
    }

    /// Ends the capture and writes its graph, null if the capture is invalid.
    fn cuStreamEndCapture(stream: Handle<Stream>, graph: Out<Handle<Graph>>) {
        end(stream, graph)
    }

    /// Writes whether the stream is being captured.
    fn cuStreamIsCapturing(stream: Handle<Stream>, status: Out<c_int>) {
        let (now, ..) = info(&on_stream(stream)?)?;
        status.set(now)
    }

    /// Writes whether the stream is being captured, and the number of the capture.
    fn cuStreamGetCaptureInfo(stream: Handle<Stream>, status: Out<c_int>, id: Out<c_ulonglong>) {
        write_info(stream, status, id, Out::nowhere(), [Out::nowhere(); 2], Out::nowhere())
    }

    /// Writes whether the stream is being captured, the number of the capture, and its graph so far. The dependencies of the
    /// next node are not supported.
    fn cuStreamGetCaptureInfo_v2(
        stream: Handle<Stream>,
        status: Out<c_int>,
        id: Out<c_ulonglong>,
        graph: Out<Handle<Graph>>,
        dependencies: Out<*const c_void>,
        count: Out<usize>,
    ) {
        write_info(stream, status, id, graph, [dependencies, Out::nowhere()], count)
    }

    /// Writes the same as [`cuStreamGetCaptureInfo_v2`]. The dependencies of the next node and their edges are not supported.
    fn cuStreamGetCaptureInfo_v3(
        stream: Handle<Stream>,
        status: Out<c_int>,
        id: Out<c_ulonglong>,
        graph: Out<Handle<Graph>>,
        dependencies: Out<*const c_void>,
        edges: Out<*const c_void>,
        count: Out<usize>,
    ) {
        write_info(stream, status, id, graph, [dependencies, edges], count)
    }

    /// Sets the capture mode of this thread, which selects the calls that are prohibited on it during captures, and writes
    /// the previous mode.
    fn cuThreadExchangeStreamCaptureMode(mode: Out<c_int>) {
        let wanted = mode.as_input().require("the capture mode is null")?;
        mode.set(exchange_mode(Mode::from_number(wanted)?) as c_int)
    }
}
