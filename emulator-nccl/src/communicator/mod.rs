//! Communicators, and their handles.

mod init;
mod scales;
mod split;
mod table;

pub(crate) use init::{Pending, all, join};
pub(crate) use split::{Split, split};
pub(crate) use table::{find, insert, remove};

use self::scales::Scales;
use crate::call::{Call, Operation};
use crate::network::{Health, Joined, Link, Message, bell};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_int;
use std::io;
use std::net::{IpAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A rank of a communicator.
pub(crate) struct Communicator {
    pub(crate) rank: usize,
    pub(crate) world: usize,
    /// The device that was current when it was made, and its context.
    pub(crate) device: c_int,
    pub(crate) context: usize,
    /// To every other rank; `None` at the own place.
    pub(crate) links: Vec<Option<Arc<Link>>>,
    pub(crate) health: Arc<Health>,
    /// The reductions that the program has made.
    pub(crate) scales: Scales,
    /// By which other ranks reach this one.
    address: IpAddr,
    /// Whether other ranks were made with it, by the same thread.
    pub(crate) together: bool,
    /// Whether the other ranks were told of a failure.
    told: AtomicBool,
    counts: Mutex<Counts>,
}

/// How many calls were made.
#[derive(Default)]
struct Counts {
    collectives: u64,
    sends: Vec<u64>,
    receives: Vec<u64>,
    closed: bool,
}

impl Communicator {
    /// Makes a rank of its connections; `place` is its context and device.
    pub(crate) fn new(rank: usize, place: (usize, c_int), joined: Joined, together: bool) -> Outcome<Self> {
        let (health, limit, world) = (Arc::<Health>::default(), settings::timeout()?, joined.streams.len());
        let open =
            |stream: Option<TcpStream>| stream.map(|stream| Link::open(stream, Arc::clone(&health), limit)).transpose();
        let links = joined.streams.into_iter().map(open).collect::<io::Result<_>>();
        let links =
            links.map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("rank {rank}: a connection: {error}")))?;
        let counts = Mutex::new(Counts { sends: vec![0; world], receives: vec![0; world], ..Counts::default() });
        let ((context, device), scales, address) = (place, Scales::default(), joined.address);
        Ok(Self {
            rank,
            world,
            device,
            context,
            links,
            health,
            scales,
            address,
            together,
            told: AtomicBool::new(false),
            counts,
        })
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the connections to the other ranks, each with its rank.
    pub(crate) fn peers(&self) -> impl Iterator<Item = (usize, &Arc<Link>)> {
        self.links.iter().enumerate().filter_map(|(rank, link)| link.as_ref().map(|link| (rank, link)))
    }

    /// Fails if it has failed, or was finalized or destroyed.
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

    /// Counts a call; returns it with its number among all, and its number among those of its kind.
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

    /// Ends it with an error on all ranks; returns the error that came first. One that came from another rank is told too: that
    /// rank may be slower to tell than this one is to leave.
    pub(crate) fn fail(&self, error: Error) -> Error {
        self.health.fail(&error);
        let first = self.health.failure().unwrap_or(error);
        if !self.told.swap(true, Relaxed) {
            self.peers().for_each(|(_, link)| link.say(&Message::Failure(first.clone())));
        }
        bell().ring();
        first
    }

    /// Takes no calls from now on.
    pub(crate) fn close(&self) {
        self.counts().closed = true;
        bell().ring();
    }

    /// Tells the other ranks that this one leaves. A call that another thread is in fails, on all ranks.
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
