//! The context stack of each thread, and how work is submitted to a stream.

use super::capture::Capture;
use super::context::Context;
use super::driver::{Driver, driver};
use super::function::LoadedModule;
use super::graph::{Branch, MemoryNode, NodeWork};
use super::handle::{Handle, Object, Table};
use super::stream::{Stream, StreamKey};
use super::stream_order::{Origin, Placement, Queue, StreamKind, Work, WorkKind};
use super::{report, settings};
use crate::device_properties::Chip;
use crate::result::{CUresult, Outcome};
use emulator::Accesses;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    /// The context stack of the thread. The top is the current context.
    static STACK: RefCell<Vec<Handle<Context>>> = const { RefCell::new(Vec::new()) };
}

fn with_stack<T>(change: impl FnOnce(&mut Vec<Handle<Context>>) -> T) -> Outcome<T> {
    let ended = |_| CUresult::DEINITIALIZED.because("the thread is ending");
    STACK.try_with(|stack| change(&mut stack.borrow_mut())).map_err(ended)
}

/// Returns the handle of the current context, null if there is none. The context may have been destroyed.
pub(crate) fn handle() -> Outcome<Handle<Context>> {
    with_stack(|stack| stack.last().copied().unwrap_or(Handle::NULL))
}

/// Pushes `context` onto the stack.
pub(crate) fn push(context: Handle<Context>) -> Outcome {
    with_stack(|stack| stack.push(context))
}

/// Pops the current context and returns it. Fails if there is none.
pub(crate) fn pop() -> Outcome<Handle<Context>> {
    with_stack(Vec::pop)?.ok_or_else(no_context)
}

/// Replaces the current context with `context`; null only pops.
pub(crate) fn replace(context: Handle<Context>) -> Outcome {
    with_stack(|stack| {
        stack.pop();
        if context != Handle::NULL {
            stack.push(context);
        }
    })
}

fn no_context() -> crate::result::Error {
    CUresult::INVALID_CONTEXT.because("no context is current on this thread; call cuCtxSetCurrent")
}

/// A context and one of its streams, to which a call submits work.
pub(crate) struct Current {
    pub(crate) driver: &'static Driver,
    pub(crate) handle: Handle<Context>,
    pub(crate) context: Arc<Context>,
    /// The stream, the legacy default stream unless the call names another.
    pub(crate) stream: Handle<Stream>,
    /// The capture of the stream, if it is being captured.
    pub(crate) capture: Option<Arc<Capture>>,
    /// The branch of the graph that is being launched, if the work is one of its nodes.
    pub(crate) branch: Option<Branch>,
}

/// Returns the current context. Fails if there is none, if it has been destroyed, or once a fault has been reported.
pub(crate) fn current() -> Outcome<Current> {
    let driver = driver()?;
    let handle = handle()?;
    if handle == Handle::NULL { Err(no_context()) } else { Current::new(driver, handle) }
}

/// Returns a stream with its context, which is the current one for the predefined streams. For a stream that the program created, the
/// current context may be another one, or one that has been destroyed: objects may be freed in any order.
pub(crate) fn on_stream(stream: Handle<Stream>) -> Outcome<Current> {
    let place = if stream.is_predefined() || handle()? == Handle::NULL {
        current()?
    } else {
        let driver = driver()?;
        Current::new(driver, driver.streams.get(stream)?.context)?
    };
    let capture = place.driver.captures.find(StreamKey::new(place.handle, stream));
    Ok(Current { stream, capture, ..place })
}

impl Current {
    /// Returns the chip of the context's device.
    pub(crate) fn chip(&self) -> &'static Chip {
        &self.driver.properties(&self.context).chip
    }

    /// Returns a context with its legacy default stream. Fails if it has been destroyed, or once a fault has been reported.
    pub(crate) fn new(driver: &'static Driver, handle: Handle<Context>) -> Outcome<Self> {
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

    /// Inserts an object of this context into its table and returns the handle. Fails if another thread has destroyed the
    /// context in the meantime, because nothing would remove the object later.
    pub(crate) fn keep<Kind: Object>(&self, table: &Table<Kind>, object: Kind) -> Outcome<Handle<Kind>> {
        let handle = table.insert(object);
        Self::new(self.driver, self.handle).inspect_err(|_| drop(table.remove(handle)))?;
        Ok(handle)
    }

    /// Submits work to the stream: it runs now, or becomes a graph node if the stream is being captured.
    pub(crate) fn submit(&self, work: impl Fn(&Self) -> Outcome + Send + Sync + 'static) -> Outcome {
        self.submit_with(None, work)
    }

    /// Submits work that allocates or frees memory of a graph if the stream is being captured.
    pub(crate) fn submit_with(
        &self,
        memory: Option<MemoryNode>,
        work: impl Fn(&Self) -> Outcome + Send + Sync + 'static,
    ) -> Outcome {
        self.require_explicit()?;
        let Some(capture) = &self.capture else { return work(self) };
        self.context.check()?;
        capture.check()?;
        let driver = self.driver;
        let context = self.handle;
        let work: NodeWork =
            Arc::new(move |branch| work(&Self { branch: Some(branch.clone()), ..Self::new(driver, context)? }));
        capture.push(StreamKey::new(context, self.stream), context, work, memory);
        Ok(())
    }

    /// Returns the queue that work goes to.
    pub(crate) fn placement(&self) -> Placement {
        let (queue, kind) = match &self.branch {
            Some(branch) => (branch.queue, StreamKind::GraphBranch),
            None => (Queue::Stream(StreamKey::new(self.handle, self.stream)), self.stream_kind()),
        };
        Placement { queue, kind, context: self.handle.number() }
    }

    fn stream_kind(&self) -> StreamKind {
        if self.stream.is_legacy() {
            return StreamKind::Legacy;
        }
        let stream = self.driver.streams.find(self.stream);
        let is_non_blocking = stream.is_some_and(|stream| stream.is_non_blocking());
        if is_non_blocking { StreamKind::NonBlocking } else { StreamKind::Blocking }
    }

    /// Returns the name of the stream in messages, such as `stream 2 of device 1`.
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

    /// Runs work unless a kernel has faulted, and records its dependencies. `run` returns the device memory it accessed.
    pub(crate) fn perform(&self, what: &str, kind: WorkKind, run: impl FnOnce() -> Outcome<Accesses>) -> Outcome {
        self.context.run(|| {
            let Accesses { mut ranges, places } = run()?;
            ranges.retain(|range| range.bytes != 0);
            let stream = &|| self.stream_name();
            let origin = Origin { placement: self.placement(), stream };
            let work = Work { what, kind, accesses: &ranges, places: &places };
            report::add_findings(self.driver.order.add(&origin, &work, settings::checks(), &self.driver.memory));
            Ok(())
        })
    }

    /// Waits for the stream, and fails if a kernel has faulted.
    pub(crate) fn wait(&self) -> Outcome {
        self.context.synchronize()?;
        self.driver.order.host_waits(&self.placement());
        Ok(())
    }

    /// Waits for all work of the context, and fails if a kernel has faulted.
    pub(crate) fn wait_for_all(&self) -> Outcome {
        self.context.synchronize()?;
        self.driver.order.host_waits_for_context(self.handle.number());
        Ok(())
    }

    /// Fails if this is the legacy default stream while a stream that synchronizes with it is being captured.
    pub(crate) fn require_explicit(&self) -> Outcome {
        if self.stream.is_legacy() { self.driver.captures.require_no_implicit(self.handle) } else { Ok(()) }
    }

    /// Fails if the stream is being captured. For calls that cannot be captured.
    pub(crate) fn require_uncaptured(&self) -> Outcome {
        self.require_explicit()?;
        let refused = self.capture.as_ref().map(|capture| {
            capture.refuse(CUresult::STREAM_CAPTURE_UNSUPPORTED, "the stream is being captured, and the call cannot be")
        });
        refused.map_or(Ok(()), Err)
    }

    /// Fails if a stream of the context is being captured, in whatever mode, and invalidates its capture.
    pub(crate) fn require_no_capture(&self) -> Outcome {
        self.require_safe()?;
        self.driver.captures.require_none(self.handle)
    }

    /// Fails if a capture prohibits potentially unsafe calls on this thread.
    pub(crate) fn require_safe(&self) -> Outcome {
        self.driver.captures.require_safe()
    }
}
