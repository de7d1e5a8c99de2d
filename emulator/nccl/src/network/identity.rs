//! `ncclUniqueId`: the rendezvous of a communicator as 128 bytes.

use super::handshake::random;
use super::rendezvous::Rendezvous;
use super::root;
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_char;
use std::net::{Ipv4Addr, TcpListener};

const BYTES: usize = 128;

/// The first word of every id of this library.
const MARK: &str = "coalesced";

/// `ncclUniqueId`, 128 bytes by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct UniqueId {
    internal: [c_char; BYTES],
}

impl UniqueId {
    fn new(rendezvous: &Rendezvous) -> Outcome<Self> {
        let text = format!("{MARK} {} {}", rendezvous.nonce, rendezvous.address);
        if text.len() >= BYTES {
            let wrong = format!("{}={}: too long for an id of {BYTES} bytes", settings::COMM_ID, rendezvous.address);
            return Err(NcclResult::INVALID_USAGE.because(wrong));
        }
        let mut internal = [0; BYTES];
        for (to, from) in internal.iter_mut().zip(text.bytes()) {
            *to = from as c_char;
        }
        Ok(Self { internal })
    }

    pub(super) fn rendezvous(&self) -> Outcome<Rendezvous> {
        let bytes: Vec<u8> = self.internal.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect();
        let text = String::from_utf8_lossy(&bytes);
        let mut words = text.split(' ');
        let mark = words.next();
        let nonce = words.next().and_then(|nonce| nonce.parse().ok());
        let address = words.next();
        match (mark, nonce, address) {
            (Some(MARK), Some(nonce), Some(address)) => Ok(Rendezvous { address: address.into(), nonce }),
            _ => Err(NcclResult::INVALID_ARGUMENT.because(
                "the id is not from the emulated ncclGetUniqueId: pass the same 128 bytes from one rank to all ranks",
            )),
        }
    }
}

/// Returns a new id. Without `NCCL_COMM_ID`, opens its root in this process.
pub(crate) fn new_id() -> Outcome<UniqueId> {
    if let Some(address) = settings::comm_id() {
        if address.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            let wrong = format!("{}={address}: must be a host and a port, such as 127.0.0.1:29500", settings::COMM_ID);
            return Err(NcclResult::INVALID_USAGE.because(wrong));
        }
        return UniqueId::new(&Rendezvous { address, nonce: 0 });
    }
    let system = |error: std::io::Error| -> Error {
        NcclResult::SYSTEM_ERROR.because(format!("ncclGetUniqueId: cannot open a port: {error}"))
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(system)?;
    let rendezvous = Rendezvous { address: listener.local_addr().map_err(system)?.to_string(), nonce: random().max(1) };
    root::serve(listener, rendezvous.nonce)?;
    UniqueId::new(&rendezvous)
}
