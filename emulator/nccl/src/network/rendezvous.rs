//! The rendezvous of a communicator: where its ranks find each other.

use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread::sleep;
use std::time::{Duration, Instant};

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
