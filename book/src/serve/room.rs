//! The addresses that a class types: those of this machine, and one of them as a QR code.

use crate::qr;
use anyhow::{Context, Result, ensure};
use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// An address of the documentation of RFC 5737, which stands for any other machine: nothing is sent to it.
const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(203, 0, 113, 1), 9);

/// Returns the addresses by which others reach a host: itself, or for `0.0.0.0` and `::` all of this machine.
///
/// # Errors
/// Returns an error if this machine has no address in a network.
pub fn hosts(host: IpAddr) -> Result<Vec<IpAddr>> {
    if !host.is_unspecified() {
        return Ok(vec![host]);
    }
    let all = all()?;
    ensure!(
        !all.is_empty(),
        "this machine has no IPv4 address but its own localhost: connect it to the room's network first"
    );
    Ok(all.into_iter().map(IpAddr::from).collect())
}

/// Returns the IPv4 addresses of this machine in networks. The first is the one by which it reaches other networks: a machine may
/// have more of virtual machines and containers, which nobody in a room reaches.
///
/// # Errors
/// Returns an error if the system does not tell.
pub fn all() -> Result<Vec<Ipv4Addr>> {
    let interfaces = if_addrs::get_if_addrs().context("cannot list the addresses of this machine")?;
    let usual = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect(ELSEWHERE)?;
        socket.local_addr()
    });
    let usual = usual.ok().map(|address| address.ip());
    let mut all: Vec<Ipv4Addr> = interfaces
        .into_iter()
        .filter(|one| !one.is_loopback())
        .filter_map(|one| if let IpAddr::V4(address) = one.ip() { Some(address) } else { None })
        .collect();
    all.sort_by_key(|&address| (usual != Some(address.into()), address));
    all.dedup();
    Ok(all)
}

/// Prints the addresses, and on a terminal the first as a QR code.
pub fn announce(addresses: &[String]) {
    if !io::stdout().is_terminal() {
        addresses.iter().for_each(|address| println!("{address}"));
        return;
    }
    println!("\nServed to the room, until Ctrl-C:\n");
    addresses.iter().for_each(|address| println!("  {address}"));
    if let Some(code) = addresses.first().and_then(|address| qr::terminal(address)) {
        println!("\n{code}");
    }
    println!(
        "A laptop that does not get the page: is it in the same network, and does the firewall of this machine let it in?"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_itself_and_all_hosts_are_no_loopback() {
        let one: IpAddr = Ipv4Addr::new(10, 0, 0, 7).into();
        assert_eq!(hosts(one).expect("itself"), [one]);
        if let Ok(all) = hosts(Ipv4Addr::UNSPECIFIED.into()) {
            assert!(
                !all.is_empty() && all.iter().all(|address| address.is_ipv4() && !address.is_loopback()),
                "{all:?}"
            );
        }
    }
}
