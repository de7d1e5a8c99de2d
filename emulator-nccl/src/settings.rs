//! What the environment says: read at each use, as NCCL does, since programs set it for themselves.

use crate::result::{NcclResult, Outcome};
use std::net::IpAddr;
use std::time::Duration;

/// Seconds that a rank waits for another that does nothing.
const TIMEOUT: &str = "COALESCED_NCCL_TIMEOUT";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

/// The address by which other ranks reach this one.
const ADDRESS: &str = "COALESCED_NCCL_ADDRESS";

/// Names of network interfaces, as NCCL takes them.
const INTERFACES: &str = "NCCL_SOCKET_IFNAME";

/// Where rank 0 is met, `host:port`: every rank makes the same id by itself.
pub(crate) const COMM_ID: &str = "NCCL_COMM_ID";

fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the time limit.
pub(crate) fn timeout() -> Outcome<Duration> {
    let Some(value) = text(TIMEOUT) else { return Ok(DEFAULT_TIMEOUT) };
    let seconds = value.trim().parse().ok().filter(|seconds: &f64| (0.1..=1e6).contains(seconds));
    let wrong = || NcclResult::INVALID_USAGE.because(format!("{TIMEOUT}={value}: a number of seconds, at least 0.1"));
    seconds.map(Duration::from_secs_f64).ok_or_else(wrong)
}

/// Returns how a message names the time limit, so that it can be changed.
pub(crate) fn timeout_text(limit: Duration) -> String {
    format!("{} s ({TIMEOUT})", limit.as_secs_f64())
}

/// Returns the address of this rank, if it is given, or its interface.
pub(crate) fn address() -> Outcome<Option<IpAddr>> {
    if let Some(value) = text(ADDRESS) {
        let wrong = |_| NcclResult::INVALID_USAGE.because(format!("{ADDRESS}={value}: an IP address of this machine"));
        return value.trim().parse().map(Some).map_err(wrong);
    }
    let Some(value) = text(INTERFACES) else { return Ok(None) };
    let found = interface(&Names::of(&value));
    let none = || {
        NcclResult::INVALID_USAGE.because(format!("{INTERFACES}={value}: no interface with an address is so called"))
    };
    found.map(Some).ok_or_else(none)
}

/// Which interfaces are meant: `eth,ib` those whose names begin so, `=eth0` those that are called so, `^` all others.
struct Names<'a> {
    others: bool,
    exact: bool,
    names: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.trim();
        let (others, text) = text.strip_prefix('^').map_or((false, text), |text| (true, text));
        let (exact, text) = text.strip_prefix('=').map_or((false, text), |text| (true, text));
        Self { others, exact, names: text.split(',').map(str::trim).collect() }
    }

    fn has(&self, interface: &str) -> bool {
        let is = |name: &&str| if self.exact { interface == *name } else { interface.starts_with(*name) };
        self.names.iter().any(is) != self.others
    }
}

/// Returns the address of the first interface that is meant and is up; one of version 4, if it has one.
fn interface(names: &Names) -> Option<IpAddr> {
    let meant = interfaces().into_iter().filter(|(name, _)| names.has(name));
    let addresses: Vec<IpAddr> = meant.map(|(_, address)| address).collect();
    addresses.iter().find(|address| address.is_ipv4()).or(addresses.first()).copied()
}

/// Returns the interfaces that are up, each name with an address.
#[cfg(unix)]
fn interfaces() -> Vec<(String, IpAddr)> {
    let all = nix::ifaddrs::getifaddrs().into_iter().flatten();
    let up = all.filter(|one| one.flags.contains(nix::net::if_::InterfaceFlags::IFF_UP));
    up.filter_map(|one| {
        let address = one.address?;
        let four = address.as_sockaddr_in().map(|address| address.ip().into());
        Some((one.interface_name, four.or_else(|| address.as_sockaddr_in6().map(|address| address.ip().into()))?))
    })
    .collect()
}

/// None: NVIDIA's NCCL, whose variable it is, does not run here.
#[cfg(not(unix))]
fn interfaces() -> Vec<(String, IpAddr)> {
    Vec::new()
}

/// Returns `NCCL_COMM_ID`.
pub(crate) fn comm_id() -> Option<String> {
    text(COMM_ID).map(|value| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_interfaces_are_understood_as_nccl_does() {
        let has = |text, interface| Names::of(text).has(interface);
        assert!(has("eth,ib", "eth1") && has("eth,ib", "ib0") && !has("eth,ib", "lo"));
        assert!(has("=eth0,lo", "lo") && !has("=eth0,lo", "eth01"));
        assert!(has("^docker,lo", "eth0") && !has("^docker,lo", "docker0"));
        assert!(has("^=docker0", "docker01") && !has("^=docker0", "docker0"));
    }
}
