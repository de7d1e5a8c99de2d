//! Buffers that arrive from another rank, chunk by chunk.

use crate::communicator::Communicator;
use crate::network::{Lane, Message, WINDOW};

/// An incoming buffer. The sender may be [`WINDOW`] bytes ahead of what has been taken.
pub(super) struct Incoming {
    pub(super) peer: usize,
    lane: Lane,
    pub(super) bytes: u64,
    taken: u64,
    granted: u64,
}

impl Incoming {
    pub(super) fn new(peer: usize, lane: Lane, bytes: u64) -> Self {
        Self { peer, lane, bytes, taken: 0, granted: 0 }
    }

    /// Returns whether the whole buffer has been taken.
    pub(super) fn is_done(&self) -> bool {
        self.taken == self.bytes
    }

    /// Returns whether a chunk has arrived and not been taken.
    pub(super) fn is_ready(&self, communicator: &Communicator) -> bool {
        let Some(link) = &communicator.links[self.peer] else { return false };
        link.inbox().data.get(&self.lane).is_some_and(|chunks| !chunks.is_empty())
    }

    /// Takes the next chunk, `None` if it has not arrived.
    pub(super) fn take(&mut self, communicator: &Communicator) -> Option<Vec<u8>> {
        let link = communicator.links[self.peer].as_ref()?;
        let mut inbox = link.inbox();
        let chunk = inbox.data.get_mut(&self.lane)?.pop_front()?;
        self.taken += chunk.len() as u64;
        if self.is_done() {
            inbox.data.remove(&self.lane);
        }
        drop(inbox);
        // The initial window needs no grant.
        let left = self.bytes.saturating_sub(WINDOW + self.granted);
        let grant = left.min(chunk.len() as u64);
        if grant > 0 {
            self.granted += grant;
            link.say(&Message::Grant { lane: self.lane, bytes: grant });
        }
        Some(chunk)
    }
}
