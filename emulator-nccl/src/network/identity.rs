//! `ncclUniqueId`: where the ranks of a communicator meet.

use super::hello::random;
use super::{address, root};
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_char;
use std::net::TcpListener;

const BYTES: usize = 128;

/// The first word of an id of this library.
const MARK: &str = "coalesced";

/// `ncclUniqueId`, 128 bytes by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UniqueId {
    internal: [c_char; BYTES],
}

/// What an id says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meeting {
    /// Host and port of the root.
    pub(super) address: String,
    /// Tells its ranks from strangers; 0 if every rank makes the id by itself.
    pub(super) nonce: u64,
}

impl Meeting {
    /// Returns whether every rank made the id by itself, and rank 0 is the root.
    pub(super) fn is_of_environment(&self) -> bool {
        self.nonce == 0
    }
}

impl UniqueId {
    fn of(meeting: &Meeting) -> Outcome<Self> {
        let text = format!("{MARK} {} {}", meeting.nonce, meeting.address);
        if text.len() >= BYTES {
            let wrong = format!("{}={}: longer than an id holds", settings::COMM_ID, meeting.address);
            return Err(NcclResult::INVALID_USAGE.because(wrong));
        }
        let mut internal = [0; BYTES];
        for (to, from) in internal.iter_mut().zip(text.bytes()) {
            *to = from as c_char;
        }
        Ok(Self { internal })
    }

    pub(super) fn meeting(&self) -> Outcome<Meeting> {
        let bytes: Vec<u8> = self.internal.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect();
        let text = String::from_utf8_lossy(&bytes);
        let mut words = text.split(' ');
        let (mark, nonce, address) = (words.next(), words.next().and_then(|nonce| nonce.parse().ok()), words.next());
        match (mark, nonce, address) {
            (Some(MARK), Some(nonce), Some(address)) => Ok(Meeting { address: address.into(), nonce }),
            _ => Err(NcclResult::INVALID_ARGUMENT.because(
                "the id is none of the emulator's ncclGetUniqueId: give all ranks the 128 bytes that one rank made",
            )),
        }
    }
}

/// Returns a new id. Without `NCCL_COMM_ID` its root is open from now on, in this process.
pub(crate) fn new_id() -> Outcome<UniqueId> {
    if let Some(address) = settings::comm_id() {
        if address.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            let wrong = format!("{}={address}: a host and a port, as in 127.0.0.1:29500", settings::COMM_ID);
            return Err(NcclResult::INVALID_USAGE.because(wrong));
        }
        return UniqueId::of(&Meeting { address, nonce: 0 });
    }
    let system = |error: std::io::Error| -> Error {
        NcclResult::SYSTEM_ERROR.because(format!("ncclGetUniqueId: no port to listen at: {error}"))
    };
    let listener = TcpListener::bind((address::own()?, 0)).map_err(system)?;
    let meeting = Meeting { address: listener.local_addr().map_err(system)?.to_string(), nonce: random().max(1) };
    root::serve(listener, meeting.nonce)?;
    UniqueId::of(&meeting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_what_was_put_in() {
        let meeting = Meeting { address: "machine0:29500".into(), nonce: 7 };
        assert_eq!(UniqueId::of(&meeting).unwrap().meeting().unwrap(), meeting);
        assert!(UniqueId::of(&Meeting { address: "a".repeat(120), nonce: 7 }).is_err());
    }

    #[test]
    fn other_bytes_are_no_id() {
        let error = UniqueId { internal: [7; BYTES] }.meeting().unwrap_err();
        assert!(error.text.contains("none of the emulator's"), "{}", error.text);
    }
}
