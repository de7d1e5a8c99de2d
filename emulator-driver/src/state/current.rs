//! The contexts that are current on a thread.

use super::capture::{Capture, Queue};
use super::graph::{Node, NodeKind};
use super::handle::{Object, Table};
use super::{Context, Driver, Handle, Stream, driver};
use crate::result::{CUresult, Outcome};
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

/// A context that work can be given to.
pub(crate) struct Current {
    pub(crate) driver: &'static Driver,
    pub(crate) handle: Handle<Context>,
    pub(crate) context: Arc<Context>,
    /// The stream that work is given to, the legacy stream if none was named, and what captures it.
    pub(crate) stream: Handle<Stream>,
    pub(crate) capture: Option<Arc<Capture>>,
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
        Ok(Self { driver, handle, context, stream: Handle::NULL, capture: None })
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
        let node = self.driver.nodes.insert(Node { context: self.handle, kind, work: Box::new(work) });
        capture.push(Queue::of(self.handle, self.stream), node);
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
