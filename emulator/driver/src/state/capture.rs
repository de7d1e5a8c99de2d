//! Stream capture: work submitted to a captured stream does not run and becomes nodes of a graph.
//!
//! Calls are captured in program order, which is a valid order of execution on any stream. For each stream, a capture records
//! how many nodes of the other streams it depends on through events, so that a capture ends only when all streams are joined.

use super::context::Context;
use super::graph::{Graph, MemoryNode, Node, NodeWork};
use super::handle::Handle;
use super::lock;
use super::stream::StreamKey;
use crate::result::{CUresult, Error, Outcome, invalid};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

/// `CUstreamCaptureMode`: the threads on which a capture prohibits potentially unsafe calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All threads.
    Global = 0,
    /// The capturing thread.
    ThreadLocal = 1,
    /// None.
    Relaxed = 2,
}

impl Mode {
    /// Returns the mode with this number in CUDA. Fails for any other number.
    pub(crate) fn from_number(number: i32) -> Outcome<Self> {
        match number {
            0 => Ok(Self::Global),
            1 => Ok(Self::ThreadLocal),
            2 => Ok(Self::Relaxed),
            _ => Err(invalid(format!("capture mode {number}"))),
        }
    }
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Sets the mode of this thread and returns the previous one.
pub(crate) fn exchange_mode(mode: Mode) -> Mode {
    MODE.try_with(|own| own.replace(mode)).unwrap_or(Mode::Global)
}

/// The number of nodes of each stream that come before a point.
type Known = HashMap<StreamKey, usize>;

/// A point in a captured stream, marked by an event.
pub(crate) struct Mark {
    pub(crate) capture: Arc<Capture>,
    known: Known,
}

/// A capture in progress.
pub(crate) struct Capture {
    pub(crate) id: u64,
    pub(crate) graph: Handle<Graph>,
    mode: Mode,
    thread: ThreadId,
    origin: StreamKey,
    /// Whether the origin stream synchronizes with the legacy default stream.
    blocking: bool,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    nodes: Vec<Node>,
    /// The indices of the nodes of each captured stream.
    of_streams: HashMap<StreamKey, Vec<usize>>,
    /// The nodes that each captured stream depends on, its own included.
    streams: HashMap<StreamKey, Known>,
    invalid: bool,
}

fn invalidated() -> Error {
    CUresult::STREAM_CAPTURE_INVALIDATED.because("an earlier call that cannot be captured has invalidated the capture")
}

impl Capture {
    /// Fails if a call has invalidated the capture.
    pub(crate) fn check(&self) -> Outcome {
        if lock(&self.progress).invalid { Err(invalidated()) } else { Ok(()) }
    }

    /// Invalidates the capture.
    pub(crate) fn invalidate(&self) {
        lock(&self.progress).invalid = true;
    }

    /// Invalidates the capture and returns the error for the call that did so.
    pub(crate) fn refuse(&self, code: CUresult, why: &str) -> Error {
        self.invalidate();
        code.because(why)
    }

    /// Appends a node, for work of a context submitted to `stream`. It depends on the last known node of each stream.
    pub(crate) fn push(&self, stream: StreamKey, context: Handle<Context>, work: NodeWork, memory: Option<MemoryNode>) {
        let progress = &mut *lock(&self.progress);
        let known = progress.streams.entry(stream).or_default();
        let last =
            |(other, count): (&StreamKey, &usize)| progress.of_streams.get(other)?.get(count.checked_sub(1)?).copied();
        let mut after: Vec<_> = known.iter().filter_map(last).collect();
        after.sort_unstable();
        progress.of_streams.entry(stream).or_default().push(progress.nodes.len());
        progress.nodes.push(Node { context, work, memory, after });
        *known.entry(stream).or_default() += 1;
    }

    /// Returns whether a node of the capture frees memory of a graph.
    pub(crate) fn frees(&self, address: u64) -> bool {
        lock(&self.progress).nodes.iter().any(|node| node.memory == Some(MemoryNode::Frees(address)))
    }

    /// Returns the point that a stream has reached.
    pub(crate) fn mark(self: &Arc<Self>, stream: StreamKey) -> Mark {
        let known = lock(&self.progress).streams.get(&stream).cloned().unwrap_or_default();
        Mark { capture: Arc::clone(self), known }
    }

    /// Makes a stream wait for a mark.
    fn wait(&self, stream: StreamKey, mark: &Mark) {
        let progress = &mut *lock(&self.progress);
        let known = progress.streams.entry(stream).or_default();
        for (&other, &count) in &mark.known {
            let own = known.entry(other).or_default();
            *own = count.max(*own);
        }
    }

    /// Takes the nodes. The outcome is an error if the capture is invalid or a stream is not joined to the origin.
    fn finish(&self) -> (Vec<Node>, Outcome) {
        let progress = &mut *lock(&self.progress);
        let known = progress.streams.get(&self.origin);
        let joined = |(stream, own): (&StreamKey, &Known)| {
            let count = own.get(stream).copied().unwrap_or(0);
            count <= known.and_then(|known| known.get(stream)).copied().unwrap_or(0)
        };
        let outcome = if progress.invalid {
            Err(invalidated())
        } else if progress.streams.iter().all(joined) {
            Ok(())
        } else {
            let why = "a stream that joined the capture has work that the origin stream does not wait for";
            Err(CUresult::STREAM_CAPTURE_UNJOINED.because(why))
        };
        (std::mem::take(&mut progress.nodes), outcome)
    }
}

/// The captures in progress, by stream.
#[derive(Default)]
pub(crate) struct Captures(Mutex<HashMap<StreamKey, Arc<Capture>>>);

impl Captures {
    /// Returns the capture of a stream, `None` if it is not being captured.
    pub(crate) fn find(&self, stream: StreamKey) -> Option<Arc<Capture>> {
        lock(&self.0).get(&stream).cloned()
    }

    /// Begins to capture a stream. Fails if it is being captured already.
    pub(crate) fn begin(&self, stream: StreamKey, mode: Mode, blocking: bool, graph: Handle<Graph>) -> Outcome {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let captures = &mut *lock(&self.0);
        CUresult::ILLEGAL_STATE.unless(!captures.contains_key(&stream), "the stream is being captured already")?;
        let id = NEXT.fetch_add(1, Relaxed);
        let thread = std::thread::current().id();
        let progress = Mutex::new(Progress { streams: HashMap::from([(stream, Known::new())]), ..Progress::default() });
        captures.insert(stream, Arc::new(Capture { id, graph, mode, thread, origin: stream, blocking, progress }));
        Ok(())
    }

    /// Ends the capture of a stream, valid or not, and returns its graph, nodes and outcome. The outcome is an error on another
    /// thread than that on which the capture began, except in relaxed mode. Fails and invalidates the capture if it began on
    /// another stream. All this is as on an H200.
    pub(crate) fn end(&self, stream: StreamKey) -> Outcome<(Handle<Graph>, Vec<Node>, Outcome)> {
        let captures = &mut *lock(&self.0);
        let capture = captures.get(&stream).ok_or_else(|| {
            CUresult::ILLEGAL_STATE.because("the stream is not being captured; call cuStreamBeginCapture first")
        })?;
        if capture.origin != stream {
            return Err(capture.refuse(CUresult::STREAM_CAPTURE_UNMATCHED, "the capture began on another stream"));
        }
        let elsewhere = capture.mode != Mode::Relaxed && capture.thread != std::thread::current().id();
        let capture = Arc::clone(capture);
        captures.retain(|_, other| !Arc::ptr_eq(other, &capture));
        let (nodes, mut outcome) = capture.finish();
        if elsewhere {
            outcome = Err(CUresult::STREAM_CAPTURE_WRONG_THREAD.because("the capture began on another thread"));
        }
        Ok((capture.graph, nodes, outcome))
    }

    /// Makes a stream wait for a mark. A stream that is not being captured joins the capture of the mark.
    pub(crate) fn wait(&self, stream: StreamKey, mark: &Mark) -> Outcome {
        let captures = &mut *lock(&self.0);
        let in_progress = captures.values().any(|capture| Arc::ptr_eq(capture, &mark.capture));
        match captures.get(&stream) {
            None if !in_progress => Err(invalid("the event was recorded in a capture that has ended")),
            None => {
                mark.capture.check()?;
                mark.capture.wait(stream, mark);
                captures.insert(stream, Arc::clone(&mark.capture));
                Ok(())
            }
            Some(own) if Arc::ptr_eq(own, &mark.capture) => {
                own.check()?;
                own.wait(stream, mark);
                Ok(())
            }
            Some(own) if in_progress => {
                mark.capture.invalidate();
                Err(own.refuse(CUresult::STREAM_CAPTURE_MERGE, "the event was recorded in another capture"))
            }
            Some(own) => Err(own.refuse(CUresult::STREAM_CAPTURE_ISOLATION, OUTSIDE)),
        }
    }

    /// Fails if potentially unsafe calls are prohibited on this thread, and invalidates the captures that prohibit them.
    pub(crate) fn require_safe(&self) -> Outcome {
        let mode = MODE.try_with(Cell::get).unwrap_or(Mode::Relaxed);
        let thread = std::thread::current().id();
        let refuses = |capture: &&Arc<Capture>| match mode {
            Mode::Relaxed => false,
            _ if capture.thread == thread => capture.mode != Mode::Relaxed,
            Mode::Global => capture.mode == Mode::Global,
            Mode::ThreadLocal => false,
        };
        let captures = lock(&self.0);
        let refusing: Vec<_> = captures.values().filter(refuses).collect();
        refusing.iter().for_each(|capture| capture.invalidate());
        if refusing.is_empty() { Ok(()) } else { Err(CUresult::STREAM_CAPTURE_UNSUPPORTED.because(UNSAFE)) }
    }

    /// Fails if a captured stream of the context synchronizes with the legacy default stream, and invalidates its capture.
    pub(crate) fn require_no_implicit(&self, context: Handle<Context>) -> Outcome {
        let why = "the legacy default stream would wait for a stream that is being captured";
        self.refuse_in(context, |capture| capture.blocking, CUresult::STREAM_CAPTURE_IMPLICIT, why)
    }

    /// Fails if a stream of the context is being captured, and invalidates its capture.
    pub(crate) fn require_none(&self, context: Handle<Context>) -> Outcome {
        self.refuse_in(context, |_| true, CUresult::STREAM_CAPTURE_UNSUPPORTED, "all work would be waited for")
    }

    fn refuse_in(
        &self,
        context: Handle<Context>,
        is_refused: impl Fn(&Capture) -> bool,
        status: CUresult,
        why: &str,
    ) -> Outcome {
        let captures = lock(&self.0);
        let refused =
            captures.values().filter(|capture| capture.origin.context == context.number() && is_refused(capture));
        refused.map(|capture| capture.refuse(status, why)).last().map_or(Ok(()), Err)
    }

    /// Removes a destroyed stream and invalidates its capture.
    pub(crate) fn forget(&self, stream: StreamKey) {
        if let Some(capture) = lock(&self.0).remove(&stream) {
            capture.invalidate();
        }
    }

    /// Removes the streams of a destroyed context.
    pub(crate) fn forget_context(&self, context: Handle<Context>) {
        lock(&self.0).retain(|stream, _| stream.context != context.number());
    }
}

/// The reason why a captured call cannot wait for an event.
pub(crate) const OUTSIDE: &str = "a captured stream cannot wait for an event recorded outside the capture";

const UNSAFE: &str = "the call cannot be captured and is prohibited while a stream is being captured: make it before the \
    capture, or capture in the mode CU_STREAM_CAPTURE_MODE_RELAXED";
