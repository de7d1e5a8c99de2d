//! Addresses: of this rank, and of the root.

use super::identity::Meeting;
use crate::result::{NcclResult, Outcome};
use crate::settings;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An address of the documentation (RFC 5737), to which nothing is sent: which interface would be used?
const OUTSIDE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

const TICK: Duration = Duration::from_millis(2);

/// Calls until it succeeds or the time is over.
pub(super) fn patiently<T>(deadline: Instant, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => sleep(TICK),
            done => return done,
        }
    }
}

/// Returns the address that is given, else that of the interface to the outside, else that of this machine alone.
pub(super) fn own() -> Outcome<IpAddr> {
    Ok(settings::address()?.or_else(outward).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)))
}

fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(OUTSIDE).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Returns the address by which other ranks reach this one, and the one to listen at: the address that is given, else that by
/// which the root is reached. On the root's machine this may be a loopback address, while others come from outside; the
/// root knows by which address then, and the rank listens at all.
pub(super) fn of_rank(given: Option<IpAddr>, meeting: &Meeting, root: &TcpStream) -> Outcome<(IpAddr, IpAddr)> {
    if let Some(given) = given {
        return Ok((given, given));
    }
    let own =
        root.local_addr().map_err(|error| NcclResult::SYSTEM_ERROR.because(format!("the own address: {error}")))?;
    let alone = meeting.address.parse::<SocketAddr>().is_ok_and(|root| root.ip().is_loopback());
    let all = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    Ok((own.ip(), if own.ip().is_loopback() && !alone { all } else { own.ip() }))
}

/// Opens the port of `NCCL_COMM_ID` in rank 0: at that address, or at all of this machine where it is a name.
pub(super) fn listen(meeting: &Meeting, deadline: Instant) -> Outcome<TcpListener> {
    let wrong = |error: io::Error| {
        let text = format!("rank 0 cannot listen at {}={}: {error}", settings::COMM_ID, meeting.address);
        NcclResult::SYSTEM_ERROR.because(text)
    };
    let address = match meeting.address.parse::<SocketAddr>() {
        Ok(address) => address,
        Err(_) => SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), resolve(&meeting.address).map_err(wrong)?.port()),
    };
    // Another communicator may meet there now; that the address is another machine's does not change.
    let listener = patiently(deadline, || match TcpListener::bind(address) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(error),
        done => Ok(done),
    });
    listener.flatten().map_err(wrong)
}

fn resolve(address: &str) -> io::Result<SocketAddr> {
    address.to_socket_addrs()?.next().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no address has this name"))
}

/// Goes to the root.
pub(super) fn connect(address: &str) -> io::Result<TcpStream> {
    TcpStream::connect(resolve(address)?)
}
