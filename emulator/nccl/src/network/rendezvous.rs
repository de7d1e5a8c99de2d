//! The rendezvous of a communicator: where its ranks find each other.

/// The content of an id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rendezvous {
    /// The host and port of the root.
    pub(super) address: String,
    /// A secret that identifies the ranks to the root; 0 if every rank creates the id itself.
    pub(super) nonce: u64,
}

impl Rendezvous {
    /// Returns whether every rank created the id from `NCCL_COMM_ID`, so that rank 0 opens the root.
    pub(super) fn is_from_environment(&self) -> bool {
        self.nonce == 0
    }
}
