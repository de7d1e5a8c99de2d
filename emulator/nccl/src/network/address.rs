//! The addresses of this rank and of the root.

use super::rendezvous::Rendezvous;
use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An address reserved for documentation (RFC 5737), to find the interface for outgoing connections. Nothing is sent.
const OUTSIDE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

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

/// Returns the configured address, the address of the interface for outgoing connections, or the loopback address.
pub(super) fn own() -> Outcome<IpAddr> {
    Ok(settings::address()?.or_else(outward).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)))
}

fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(OUTSIDE).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Returns the address at which other ranks reach this one, and the address to listen on: the configured one, or the local
/// address of the connection to the root. On the root's machine this may be a loopback address although other ranks are
/// elsewhere. Then the root determines the address, and the rank listens on all of them.
pub(super) fn of_rank(given: Option<IpAddr>, rendezvous: &Rendezvous, root: &TcpStream) -> Outcome<(IpAddr, IpAddr)> {
    if let Some(given) = given {
        return Ok((given, given));
    }
    let own =
        root.local_addr().map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("no local address: {error}")))?;
    let is_local = rendezvous.address.parse::<SocketAddr>().is_ok_and(|root| root.ip().is_loopback());
    let all = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    Ok((own.ip(), if own.ip().is_loopback() && !is_local { all } else { own.ip() }))
}

/// Opens the port of `NCCL_COMM_ID` in rank 0: on that address, or on all addresses of this machine if it is a name.
pub(super) fn listen(rendezvous: &Rendezvous, deadline: Instant) -> Outcome<TcpListener> {
    let wrong = |error: io::Error| {
        let text = format!("rank 0 cannot listen on {}={}: {error}", settings::COMM_ID, rendezvous.address);
        NcclResult::SYSTEM_ERROR.because(text)
    };
    let address = match rendezvous.address.parse::<SocketAddr>() {
        Ok(address) => address,
        Err(_) => SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), resolve(&rendezvous.address).map_err(wrong)?.port()),
    };
    // Retried only while another communicator uses the port. Other errors, such as a remote address, are permanent.
    let listener = retry(deadline, || match TcpListener::bind(address) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
        done => Ok(done),
    });
    listener.flatten().map_err(wrong)
}

fn resolve(address: &str) -> io::Result<SocketAddr> {
    address.to_socket_addrs()?.next().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no address has this name"))
}

/// Connects to the root.
pub(super) fn connect(address: &str) -> io::Result<TcpStream> {
    TcpStream::connect(resolve(address)?)
}
