//! What ranks say before they know each other.

use serde::{Deserialize, Serialize};
use std::ffi::c_int;
use std::net::SocketAddr;
use std::sync::OnceLock;

/// A rank to the root.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// That of the id, by which a stranger is told from a rank.
    pub(super) nonce: u64,
    pub(super) rank: usize,
    pub(super) world: usize,
    /// Its process, by a number, and its device there.
    pub(super) device: (u64, c_int),
    /// Where the other ranks reach it.
    pub(super) address: SocketAddr,
}

/// The root to a rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Welcome {
    /// All ranks are there.
    Ranks {
        /// Of this communicator.
        token: u64,
        /// Where each rank is reached.
        addresses: Vec<SocketAddr>,
    },
    /// What ranks say of themselves does not fit.
    Refusal(String),
    /// A rank has not come.
    Absence(String),
}

/// A rank to another one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// Of the communicator.
    pub(super) token: u64,
    pub(super) rank: usize,
}

/// Returns a number that nobody else has.
pub(super) fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// Returns a number that tells this process from all others.
pub(super) fn process() -> u64 {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    *PROCESS.get_or_init(random)
}
