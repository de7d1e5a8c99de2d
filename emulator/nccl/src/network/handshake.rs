//! The messages with which ranks join a communicator.

use serde::{Deserialize, Serialize};
use std::ffi::c_int;
use std::sync::OnceLock;

/// From a rank to the root.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The nonce of the id, which identifies the ranks.
    pub(super) nonce: u64,
    pub(super) rank: usize,
    pub(super) world: usize,
    /// A number that identifies its process, and its device there.
    pub(super) device: (u64, c_int),
    /// The port at which other ranks reach it.
    pub(super) port: u16,
}

/// From the root to a rank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Welcome {
    /// All ranks have joined.
    Ranks {
        /// The token of the communicator.
        token: u64,
        /// The port of each rank.
        ports: Vec<u16>,
    },
    /// The ranks' arguments contradict each other.
    Refusal(String),
    /// A rank has not joined in time.
    Absence(String),
}

/// From a rank to another rank.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// The token of the communicator.
    pub(super) token: u64,
    pub(super) rank: usize,
}

/// Returns a random number.
pub(super) fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// Returns a random number that identifies this process.
pub(super) fn process() -> u64 {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    *PROCESS.get_or_init(random)
}
