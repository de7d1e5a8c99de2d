//! One rank of a communicator.

use crate::arguments::CommunicatorHandle;
use crate::call::{Call, Operation};
use crate::network::{Health, Link, Message, Streams, notifier};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One rank of a communicator.
pub(crate) struct Communicator {
    pub(crate) rank: usize,
    pub(crate) world: usize,
    /// The ordinal of its device.
    pub(crate) device: c_int,
    /// The context that was current when the rank was created.
    pub(crate) context: usize,
    /// The connections to the other ranks, `None` at this rank's index.
    pub(crate) links: Vec<Option<Arc<Link>>>,
    pub(crate) health: Arc<Health>,
    /// Whether the same thread created other ranks in the same call.
    pub(crate) together: bool,
    /// Whether a failure has been announced to the other ranks.
    announced: AtomicBool,
    counts: Mutex<Counts>,
}

/// The numbers of calls.
#[derive(Default)]
struct Counts {
    collectives: u64,
    sends: Vec<u64>,
    receives: Vec<u64>,
    closed: bool,
}

impl Communicator {
    /// Creates a rank from its connections. `place` is its context and device.
    pub(crate) fn new(rank: usize, place: (usize, c_int), streams: Streams, together: bool) -> Outcome<Self> {
        let health = Arc::<Health>::default();
        let limit = settings::timeout()?;
        let world = streams.len();
        let open =
            |stream: Option<TcpStream>| stream.map(|stream| Link::open(stream, Arc::clone(&health), limit)).transpose();
        let links = streams.into_iter().map(open).collect::<io::Result<_>>();
        let links = links.map_err(|error| {
            NcclResult::SYSTEM_ERROR.because(format!("rank {rank}: cannot open a connection: {error}"))
        })?;
        let counts = Mutex::new(Counts { sends: vec![0; world], receives: vec![0; world], ..Counts::default() });
        let (context, device) = place;
        Ok(Self { rank, world, device, context, links, health, together, announced: AtomicBool::new(false), counts })
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the other ranks and the connections to them.
    pub(crate) fn peers(&self) -> impl Iterator<Item = (usize, &Arc<Link>)> {
        self.links.iter().enumerate().filter_map(|(rank, link)| link.as_ref().map(|link| (rank, link)))
    }

    /// Fails if the communicator has failed, or was finalized, destroyed or aborted.
    pub(crate) fn check(&self) -> Outcome {
        if let Some(error) = self.health.failure() {
            return Err(error);
        }
        if self.counts().closed {
            let text = format!("rank {}: the communicator was finalized, destroyed or aborted", self.rank);
            return Err(NcclResult::INVALID_USAGE.because(text));
        }
        Ok(())
    }

    /// Counts a call. Returns it with its number among all calls, and its number among calls of its kind.
    pub(crate) fn count(&self, call: Call) -> (Call, u64) {
        let mut counts = self.counts();
        let kind = match call.operation {
            Operation::Send { to } => &mut counts.sends[to],
            Operation::Receive { from } => &mut counts.receives[from],
            _ => &mut counts.collectives,
        };
        let number = *kind;
        *kind += 1;
        drop(counts);
        let mut call = call;
        self.health.update(|activity| {
            activity.calls += 1;
            call.number = activity.calls;
            activity.last = Some(call);
        });
        (call, number)
    }

    /// Fails the communicator on all ranks. Returns the first error. An error from another rank is announced, too, because that
    /// rank may be slower to announce it than this one is to leave.
    pub(crate) fn fail(&self, error: Error) -> Error {
        self.health.fail(&error);
        let first = self.health.failure().unwrap_or(error);
        if !self.announced.swap(true, Relaxed) {
            self.peers().for_each(|(_, link)| link.say(&Message::Failure(first.clone())));
        }
        notifier().notify();
        first
    }

    /// Rejects all later calls.
    pub(crate) fn close(&self) {
        self.counts().closed = true;
        notifier().notify();
    }

    /// Announces to the other ranks that this one leaves. A call in progress on another thread fails on all ranks.
    pub(crate) fn leave(&self) {
        let activity = self.health.activity();
        if let (true, Some(call)) = (activity.inside, activity.last) {
            let text = format!("rank {} has aborted the communicator in {call}", self.rank);
            self.fail(NcclResult::REMOTE_ERROR.because(text));
        }
        self.close();
        self.peers().for_each(|(_, link)| link.leave(activity.calls));
    }
}

/// The handles of communicators. Numbers are never reused, so a destroyed handle is an error.
struct Table {
    last: CommunicatorHandle,
    live: BTreeMap<CommunicatorHandle, Arc<Communicator>>,
}

fn table() -> MutexGuard<'static, Table> {
    static TABLE: Mutex<Table> = Mutex::new(Table { last: 0, live: BTreeMap::new() });
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unknown(handle: CommunicatorHandle) -> crate::result::Error {
    NcclResult::INVALID_ARGUMENT.because(match handle {
        0 => "the communicator is null".into(),
        _ => format!("communicator {handle:#x} does not exist, or was destroyed or aborted"),
    })
}

/// Inserts a communicator and returns its handle.
pub(crate) fn insert(communicator: Communicator) -> CommunicatorHandle {
    let mut table = table();
    // A pointer to programs, so it is aligned.
    table.last += 16;
    let handle = table.last;
    table.live.insert(handle, Arc::new(communicator));
    handle
}

/// Returns the communicator with a handle.
pub(crate) fn find(handle: CommunicatorHandle) -> Outcome<Arc<Communicator>> {
    table().live.get(&handle).cloned().ok_or_else(|| unknown(handle))
}

/// Removes the communicator with a handle.
pub(crate) fn remove(handle: CommunicatorHandle) -> Outcome<Arc<Communicator>> {
    table().live.remove(&handle).ok_or_else(|| unknown(handle))
}
