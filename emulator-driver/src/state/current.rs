//! The contexts that are current on a thread.

use super::capture::{Capture, Queue};
use super::graph::{Node, NodeKind};
use super::handle::{Object, Table};
use super::order::{Line, Manner, Seat, Share, Site, Work};
use super::{Context, Driver, Handle, LoadedModule, Stream, driver};
use super::{report, settings};
use crate::result::{CUresult, Outcome};
use emulator::Accesses;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// The last one is current.
    static STACK: RefCell<Vec<Handle<Context>>> = const { RefCell::new(Vec::new()) };
}

fn with_stack<T>(change: impl FnOnce(&mut Vec<Handle<Context>>) -> T) -> Outcome<T> {
    let ended = |_| CUresult::DEINITIALIZED.because("the thread is ending");
    STACK.try_with(|stack| change(&mut stack.borrow_mut())).map_err(ended)
}

/// Returns the handle of the current context, null if there is none; the context may be destroyed.
pub(crate) fn handle() -> Outcome<Handle<Context>> {
    with_stack(|stack| stack.last().copied().unwrap_or(Handle::NULL))
}

/// Makes `context` current above the one that is.
pub(crate) fn push(context: Handle<Context>) -> Outcome {
    with_stack(|stack| stack.push(context))
}

/// Makes the one below current and returns the one that was; fails if there is none.
pub(crate) fn pop() -> Outcome<Handle<Context>> {
    with_stack(Vec::pop)?.ok_or_else(no_context)
}

/// Puts `context` in the place of the current one; null only takes that away.
pub(crate) fn replace(context: Handle<Context>) -> Outcome {
    with_stack(|stack| {
        stack.pop();
        if context != Handle::NULL {
            stack.push(context);
        }
    })
}

fn no_context() -> crate::result::Error {
    CUresult::INVALID_CONTEXT.because("no context is current on this thread; see cuCtxSetCurrent")
}

/// A branch of a graph that is being launched.
pub(crate) struct Branch {
    pub(crate) line: Line,
    /// The stream of the launch, in words.
    pub(crate) stream: Arc<str>,
}

/// A context that work can be given to.
pub(crate) struct Current {
    pub(crate) driver: &'static Driver,
    pub(crate) handle: Handle<Context>,
    pub(crate) context: Arc<Context>,
    /// The stream that work is given to, the legacy stream if none was named, and what captures it.
    pub(crate) stream: Handle<Stream>,
    pub(crate) capture: Option<Arc<Capture>>,
    /// The branch of a graph that work is a node of; it is not the stream's own then.
    pub(crate) branch: Option<Branch>,
}

/// Returns the current context; fails if there is none, it is destroyed, or a fault of it has been told.
pub(crate) fn current() -> Outcome<Current> {
    let driver = driver()?;
    let handle = handle()?;
    if handle == Handle::NULL { Err(no_context()) } else { Current::of(driver, handle) }
}

impl Current {
    pub(crate) fn of(driver: &'static Driver, handle: Handle<Context>) -> Outcome<Self> {
        let destroyed = || CUresult::CONTEXT_IS_DESTROYED.because(format!("context {handle:?} has been destroyed"));
        let context = driver.contexts.find(handle).ok_or_else(destroyed)?;
        context.check()?;
        Ok(Self { driver, handle, context, stream: Handle::NULL, capture: None, branch: None })
    }

    /// Returns a module with its variables on this context's device.
    pub(crate) fn module(&self, module: Handle<LoadedModule>) -> Outcome<Arc<emulator::Module>> {
        let record = self.driver.modules.get(module)?;
        let belongs = record.context != Handle::NULL;
        if belongs { Ok(Arc::clone(&record.module.first)) } else { record.module.on(&self.context) }
    }

    /// Takes in an object of this context and returns its handle. Fails if another thread has destroyed the context
    /// meanwhile, since nobody would take the object away any more.
    pub(crate) fn keep<Kind: Object>(&self, table: &Table<Kind>, object: Kind) -> Outcome<Handle<Kind>> {
        let handle = table.insert(object);
        Self::of(self.driver, self.handle).inspect_err(|_| drop(table.remove(handle)))?;
        Ok(handle)
    }

    /// Returns the context whose work `stream` orders: its own, or this one for the streams that CUDA defines.
    pub(crate) fn on(self, stream: Handle<Stream>) -> Outcome<Self> {
        let place = if stream.is_predefined() {
            self
        } else {
            let of_stream = self.driver.streams.get(stream)?;
            if of_stream.context == self.handle { self } else { Self::of(self.driver, of_stream.context)? }
        };
        let capture = place.driver.captures.of(Queue::of(place.handle, stream));
        Ok(Self { stream, capture, ..place })
    }

    /// Gives work to the stream: it is done now, or becomes a node where the stream is captured.
    pub(crate) fn give(&self, kind: NodeKind, work: impl Fn(&Self) -> Outcome + Send + Sync + 'static) -> Outcome {
        self.require_explicit()?;
        let Some(capture) = &self.capture else { return work(self) };
        self.context.check()?;
        capture.check()?;
        let context = self.handle;
        capture.push(Queue::of(self.handle, self.stream), |position| {
            self.driver.nodes.insert(Node { context, kind, work: Box::new(work), position })
        });
        Ok(())
    }

    /// The line of work that this is on.
    pub(crate) fn site(&self) -> Site {
        let (line, manner) = match &self.branch {
            Some(branch) => (branch.line, Manner::Branch),
            None => (Line::Stream(Queue::of(self.handle, self.stream)), self.manner()),
        };
        Site { line, manner, context: self.handle.number() }
    }

    fn manner(&self) -> Manner {
        if self.stream.is_legacy() {
            return Manner::Legacy;
        }
        let stream = self.driver.streams.find(self.stream);
        if stream.is_some_and(|stream| stream.is_non_blocking()) { Manner::NonBlocking } else { Manner::Blocking }
    }

    /// The stream in words.
    pub(crate) fn stream_name(&self) -> String {
        let name = match (&self.branch, self.driver.streams.find(self.stream)) {
            (Some(branch), _) => return branch.stream.to_string(),
            (None, Some(stream)) => format!("stream {}", stream.number),
            (None, None) if self.stream.is_legacy() => "the default stream".to_owned(),
            (None, None) => "the per-thread default stream".to_owned(),
        };
        let several = self.driver.devices.len() > 1;
        if several { format!("{name} of device {}", self.context.device) } else { name }
    }

    /// Does work, unless a kernel has faulted, in its place of the order of all work. `run` returns what it accessed in
    /// device memory.
    pub(crate) fn perform(&self, what: &str, share: Share, run: impl FnOnce() -> Outcome<Accesses>) -> Outcome {
        self.context.submit(|| {
            let Accesses { mut ranges, places } = run()?;
            ranges.retain(|range| range.bytes != 0);
            let seat = Seat { site: self.site(), stream: &|| self.stream_name(), device: self.context.device };
            let work = Work { what, share, accesses: &ranges, places: &places };
            report::add_findings(self.driver.order.work(&seat, &work, settings::checks(), &self.driver.memory));
            Ok(())
        })
    }

    /// Waits for the stream, and tells of a kernel that faulted.
    pub(crate) fn wait(&self) -> Outcome {
        self.context.synchronize()?;
        self.driver.order.host_waits(&self.site());
        Ok(())
    }

    /// Waits for all work of the context, and tells of a kernel that faulted.
    pub(crate) fn wait_for_all(&self) -> Outcome {
        self.context.synchronize()?;
        self.driver.order.host_waits_for_context(self.handle.number());
        Ok(())
    }

    /// Fails if this is the legacy stream, and waits for one that is captured.
    pub(crate) fn require_explicit(&self) -> Outcome {
        if self.stream.is_legacy() { self.driver.captures.require_no_implicit(self.handle) } else { Ok(()) }
    }

    /// Fails if the stream is captured, for calls that cannot be.
    pub(crate) fn require_uncaptured(&self) -> Outcome {
        self.require_explicit()?;
        let refused = self.capture.as_ref().map(|capture| {
            capture.refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, "the call cannot be captured, and the stream is")
        });
        refused.map_or(Ok(()), Err)
    }

    /// Fails if captures refuse calls on this thread that cannot be captured.
    pub(crate) fn require_safe(&self) -> Outcome {
        self.driver.captures.require_safe()
    }
}
