//! The address at which other machines reach this one.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// Returns this machine's address on its route to the ranks' meeting point. The call sends no packets.
#[must_use]
pub fn own_address(root: &str) -> Ipv4Addr {
    let way = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect(root)?;
        socket.local_addr()
    });
    match way.map(|address| address.ip()) {
        Ok(IpAddr::V4(address)) => address,
        _ => Ipv4Addr::LOCALHOST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_meets_at_a_loopback_address_is_reached_there() {
        assert_eq!(own_address("127.0.0.1:29501"), Ipv4Addr::LOCALHOST);
        assert_eq!(own_address("no such place"), Ipv4Addr::LOCALHOST);
    }
}
