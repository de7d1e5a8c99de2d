//! `ncclUniqueId`: the rendezvous of a communicator as 128 bytes.

use super::handshake::random;
use super::root;
use crate::result::{Error, NcclResult, Outcome};
use crate::settings;
use std::ffi::c_char;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

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

/// The interval between attempts.
const TICK: Duration = Duration::from_millis(2);

/// Calls `attempt` until it succeeds or the deadline has passed.
pub(super) fn retry<T>(deadline: Instant, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => sleep(TICK),
            done => return done,
        }
    }
}

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

    /// Opens the port of `NCCL_COMM_ID` in rank 0.
    pub(super) fn listen(&self, deadline: Instant) -> Outcome<TcpListener> {
        // Retried only while another communicator uses the port. Other errors, such as a remote address, are permanent.
        let listener = retry(deadline, || match self.resolve().and_then(TcpListener::bind) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
            done => Ok(done),
        });
        listener.flatten().map_err(|error| {
            let text = format!("rank 0 cannot listen on {}={}: {error}", settings::COMM_ID, self.address);
            NcclResult::SYSTEM_ERROR.because(text)
        })
    }

    /// Connects to the root.
    pub(super) fn connect(&self) -> io::Result<TcpStream> {
        TcpStream::connect(self.resolve()?)
    }

    fn resolve(&self) -> io::Result<SocketAddr> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no address has this name");
        self.address.to_socket_addrs()?.next().ok_or_else(missing)
    }
}
