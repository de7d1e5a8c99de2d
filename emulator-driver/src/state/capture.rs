//! Streams that are captured: what is given to them does not run and becomes nodes of a graph.
//!
//! Calls are captured in the order in which they are made, which is one in which they can run, whatever streams they were
//! given to. What is kept of several streams is what each knows of the others by events, so that a capture ends only when
//! all are joined.

use super::graph::{Graph, Node, Position};
use super::handle::Handle;
use super::{Context, Stream, lock};
use crate::result::{CUresult, Error, Outcome};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

/// `CUstreamCaptureMode`: whose calls that cannot be captured are refused while a capture is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Those of all threads.
    Global = 0,
    /// Those of the thread that captures.
    ThreadLocal = 1,
    /// Nobody's.
    Relaxed = 2,
}

impl Mode {
    pub(crate) fn from_number(number: i32) -> Outcome<Self> {
        match number {
            0 => Ok(Self::Global),
            1 => Ok(Self::ThreadLocal),
            2 => Ok(Self::Relaxed),
            _ => Err(CUresult::INVALID_VALUE.because(format!("capture mode {number}"))),
        }
    }
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Gives this thread a mode and returns the one that it had.
pub(crate) fn exchange_mode(mode: Mode) -> Mode {
    MODE.try_with(|own| own.replace(mode)).unwrap_or(Mode::Global)
}

/// A stream as captures tell it from others: the one of the thread is another one on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Queue {
    context: usize,
    stream: usize,
    thread: Option<ThreadId>,
}

impl Queue {
    pub(crate) fn of(context: Handle<Context>, stream: Handle<Stream>) -> Self {
        let thread = (stream == Handle::PER_THREAD).then(|| std::thread::current().id());
        let stream = if stream.is_legacy() { Handle::NULL } else { stream };
        Self { context: context.number(), stream: stream.number(), thread }
    }
}

/// How many calls on each stream are known to come before.
type Known = HashMap<Queue, usize>;

/// A point of a captured stream, marked by an event.
pub(crate) struct Mark {
    pub(crate) capture: Arc<Capture>,
    known: Known,
}

/// A capture that is under way.
pub(crate) struct Capture {
    pub(crate) id: u64,
    pub(crate) graph: Handle<Graph>,
    mode: Mode,
    thread: ThreadId,
    origin: Queue,
    /// Whether the stream that it began on waits for the legacy stream.
    blocking: bool,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    nodes: Vec<Handle<Node>>,
    /// Streams in the order in which they were given work: branches of the graph.
    branches: Vec<Queue>,
    /// What each stream of the capture knows, itself included.
    streams: HashMap<Queue, Known>,
    invalid: bool,
}

fn invalidated() -> Error {
    CUresult::STREAM_CAPTURE_INVALIDATED.because("an earlier call that cannot be captured has spoiled the capture")
}

impl Capture {
    /// Fails if a call has spoiled it.
    pub(crate) fn check(&self) -> Outcome {
        if lock(&self.progress).invalid { Err(invalidated()) } else { Ok(()) }
    }

    /// Spoils it.
    pub(crate) fn invalidate(&self) {
        lock(&self.progress).invalid = true;
    }

    /// Spoils it and says why.
    pub(crate) fn refuse(&self, code: CUresult, why: &str) -> Error {
        self.invalidate();
        code.because(why)
    }

    /// Adds a node that was given to a stream, which `make` makes for its position.
    pub(crate) fn push(&self, queue: Queue, make: impl FnOnce(Position) -> Handle<Node>) {
        let progress = &mut *lock(&self.progress);
        let branches = &mut progress.branches;
        let mut index = |queue: Queue| {
            branches.iter().position(|&known| known == queue).unwrap_or_else(|| {
                branches.push(queue);
                branches.len() - 1
            })
        };
        let known = progress.streams.entry(queue).or_default();
        let after = known.iter().map(|(&stream, &count)| (index(stream), count)).collect();
        progress.nodes.push(make(Position { branch: index(queue), after }));
        *known.entry(queue).or_default() += 1;
    }

    /// Where a stream is.
    pub(crate) fn mark(self: &Arc<Self>, queue: Queue) -> Mark {
        let known = lock(&self.progress).streams.get(&queue).cloned().unwrap_or_default();
        Mark { capture: Arc::clone(self), known }
    }

    /// A stream waits for a mark.
    fn wait(&self, queue: Queue, mark: &Mark) {
        let progress = &mut *lock(&self.progress);
        let known = progress.streams.entry(queue).or_default();
        for (&stream, &count) in &mark.known {
            let own = known.entry(stream).or_default();
            *own = count.max(*own);
        }
    }

    /// Its nodes, if all of its streams are joined to the one that it began on.
    fn finish(&self) -> (Vec<Handle<Node>>, Outcome) {
        let progress = &mut *lock(&self.progress);
        let known = progress.streams.get(&self.origin);
        let joined = |(queue, own): (&Queue, &Known)| {
            let count = own.get(queue).copied().unwrap_or(0);
            count <= known.and_then(|known| known.get(queue)).copied().unwrap_or(0)
        };
        let outcome = match progress.streams.iter().all(joined) {
            _ if progress.invalid => Err(invalidated()),
            true => Ok(()),
            false => Err(CUresult::STREAM_CAPTURE_UNJOINED
                .because("a stream that joined the capture has work that the first stream does not wait for")),
        };
        (std::mem::take(&mut progress.nodes), outcome)
    }
}

/// All captures under way, by their streams.
#[derive(Default)]
pub(crate) struct Captures(Mutex<HashMap<Queue, Arc<Capture>>>);

impl Captures {
    /// The capture of a stream.
    pub(crate) fn of(&self, queue: Queue) -> Option<Arc<Capture>> {
        lock(&self.0).get(&queue).cloned()
    }

    /// Begins one; fails if the stream is captured already.
    pub(crate) fn begin(&self, queue: Queue, mode: Mode, blocking: bool, graph: Handle<Graph>) -> Outcome {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let captures = &mut *lock(&self.0);
        if captures.contains_key(&queue) {
            return Err(CUresult::ILLEGAL_STATE.because("the stream is being captured already"));
        }
        let (id, thread) = (NEXT.fetch_add(1, Relaxed), std::thread::current().id());
        let progress = Mutex::new(Progress { streams: HashMap::from([(queue, Known::new())]), ..Progress::default() });
        captures.insert(queue, Arc::new(Capture { id, graph, mode, thread, origin: queue, blocking, progress }));
        Ok(())
    }

    /// Ends the one of a stream, whether it went well or not: its graph and nodes. Fails, and leaves it under way, if it
    /// did not begin on this stream and thread.
    pub(crate) fn end(&self, queue: Queue) -> Outcome<(Handle<Graph>, Vec<Handle<Node>>, Outcome)> {
        let captures = &mut *lock(&self.0);
        let capture = captures.get(&queue).ok_or_else(|| {
            CUresult::ILLEGAL_STATE.because("the stream is not being captured: see cuStreamBeginCapture")
        })?;
        if capture.origin != queue {
            return Err(CUresult::STREAM_CAPTURE_UNMATCHED.because("the capture began on another stream"));
        }
        if capture.mode != Mode::Relaxed && capture.thread != std::thread::current().id() {
            return Err(CUresult::STREAM_CAPTURE_WRONG_THREAD.because("the capture began on another thread"));
        }
        let capture = Arc::clone(capture);
        captures.retain(|_, other| !Arc::ptr_eq(other, &capture));
        let (nodes, outcome) = capture.finish();
        Ok((capture.graph, nodes, outcome))
    }

    /// A stream waits for a mark, and joins its capture if it is not captured.
    pub(crate) fn wait(&self, queue: Queue, mark: &Mark) -> Outcome {
        let captures = &mut *lock(&self.0);
        let under_way = captures.values().any(|capture| Arc::ptr_eq(capture, &mark.capture));
        match captures.get(&queue) {
            None if !under_way => Err(CUresult::CAPTURED_EVENT.because("the event was recorded in a capture")),
            None => {
                mark.capture.check()?;
                mark.capture.wait(queue, mark);
                captures.insert(queue, Arc::clone(&mark.capture));
                Ok(())
            }
            Some(own) if Arc::ptr_eq(own, &mark.capture) => {
                own.check()?;
                own.wait(queue, mark);
                Ok(())
            }
            Some(own) if under_way => {
                mark.capture.invalidate();
                Err(own.refuse(CUresult::STREAM_CAPTURE_MERGE, "the event was recorded in another capture"))
            }
            Some(own) => Err(own.refuse(CUresult::STREAM_CAPTURE_ISOLATION, OUTSIDE)),
        }
    }

    /// Fails if a call that cannot be captured is refused on this thread, and spoils the captures that refuse it.
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

    /// Fails if a stream of the context is captured that waits for the legacy stream, and spoils that capture.
    pub(crate) fn require_no_implicit(&self, context: Handle<Context>) -> Outcome {
        let captures = lock(&self.0);
        let blocking = |capture: &&Arc<Capture>| capture.blocking && capture.origin.context == context.number();
        let refused = captures.values().filter(blocking).map(|capture| {
            capture.refuse(CUresult::STREAM_CAPTURE_IMPLICIT, "the legacy stream waits for a stream that is captured")
        });
        refused.last().map_or(Ok(()), Err)
    }

    /// Forgets a stream that is destroyed, and spoils its capture.
    pub(crate) fn forget(&self, queue: Queue) {
        if let Some(capture) = lock(&self.0).remove(&queue) {
            capture.invalidate();
        }
    }

    /// Forgets the streams of a context that is destroyed.
    pub(crate) fn forget_context(&self, context: Handle<Context>) {
        lock(&self.0).retain(|queue, _| queue.context != context.number());
    }
}

/// Why a captured call cannot wait for an event.
pub(crate) const OUTSIDE: &str = "a captured stream cannot wait for what was recorded outside of the capture";

const UNSAFE: &str = "the call cannot be captured and is refused while a stream is: make it before the capture, or capture \
    in the mode CU_STREAM_CAPTURE_MODE_RELAXED";
