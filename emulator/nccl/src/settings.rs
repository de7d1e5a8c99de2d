//! Settings from environment variables. Like NCCL, the crate reads them at each use, because programs set them at run time.

use crate::result::{NcclResult, Outcome};
use std::net::IpAddr;
use std::time::Duration;

/// The time limit in seconds for waiting on a rank that does nothing.
const TIMEOUT: &str = "COALESCED_NCCL_TIMEOUT";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

/// The address at which other ranks reach this one.
const ADDRESS: &str = "COALESCED_NCCL_ADDRESS";

/// The names of network interfaces, in NCCL's syntax.
const INTERFACES: &str = "NCCL_SOCKET_IFNAME";

/// The `host:port` of rank 0. Every rank creates the same id from it.
pub(crate) const COMM_ID: &str = "NCCL_COMM_ID";

fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the time limit.
pub(crate) fn timeout() -> Outcome<Duration> {
    let Some(value) = text(TIMEOUT) else { return Ok(DEFAULT_TIMEOUT) };
    let seconds = value.trim().parse().ok().filter(|seconds: &f64| (0.1..=1e6).contains(seconds));
    let wrong =
        || NcclResult::INVALID_USAGE.because(format!("{TIMEOUT}={value}: must be a number of seconds, at least 0.1"));
    seconds.map(Duration::from_secs_f64).ok_or_else(wrong)
}

/// Returns the time limit in messages, with the variable that changes it.
pub(crate) fn timeout_text(limit: Duration) -> String {
    format!("{} s ({TIMEOUT})", limit.as_secs_f64())
}

/// Returns the configured address of this rank or of its interface, `None` if neither is configured.
pub(crate) fn address() -> Outcome<Option<IpAddr>> {
    if let Some(value) = text(ADDRESS) {
        let wrong =
            |_| NcclResult::INVALID_USAGE.because(format!("{ADDRESS}={value}: must be an IP address of this machine"));
        return value.trim().parse().map(Some).map_err(wrong);
    }
    let Some(value) = text(INTERFACES) else { return Ok(None) };
    let found = interface(&Names::of(&value));
    let none = || {
        NcclResult::INVALID_USAGE.because(format!("{INTERFACES}={value}: no interface with an address has such a name"))
    };
    found.map(Some).ok_or_else(none)
}

/// A selection of interfaces: `eth,ib` selects prefixes of names, `=eth0` exact names, and `^` inverts the selection.
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

/// Returns the first address of the selected interfaces that are up, preferably an IPv4 address.
fn interface(names: &Names) -> Option<IpAddr> {
    let meant = interfaces().into_iter().filter(|(name, _)| names.has(name));
    let addresses: Vec<IpAddr> = meant.map(|(_, address)| address).collect();
    addresses.iter().find(|address| address.is_ipv4()).or(addresses.first()).copied()
}

/// Returns the names and addresses of the interfaces that are up.
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

/// Returns no interfaces: NVIDIA's NCCL, whose variable this is, does not run on this system.
#[cfg(not(unix))]
fn interfaces() -> Vec<(String, IpAddr)> {
    Vec::new()
}

/// Returns `NCCL_COMM_ID`.
pub(crate) fn comm_id() -> Option<String> {
    text(COMM_ID).map(|value| value.trim().to_owned())
}
