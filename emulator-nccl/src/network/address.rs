//! The address by which other ranks reach this one.

use crate::result::Outcome;
use crate::settings;
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// An address of the documentation (RFC 5737), to which nothing is sent: which interface would be used?
const OUTSIDE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);

/// Returns the address that is given, else that of the interface to the outside, else that of this machine alone.
pub(super) fn own() -> Outcome<IpAddr> {
    Ok(settings::address()?.or_else(outward).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)))
}

fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect(OUTSIDE).ok()?;
    Some(socket.local_addr().ok()?.ip())
}
