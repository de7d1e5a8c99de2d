//! What the environment says: read at each use, as NCCL does, since programs set it for themselves.

use crate::result::{NcclResult, Outcome};
use std::net::IpAddr;
use std::time::Duration;

/// Seconds that a rank waits for another that does nothing.
const TIMEOUT: &str = "COALESCED_NCCL_TIMEOUT";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

/// The address by which other ranks reach this one.
const ADDRESS: &str = "COALESCED_NCCL_ADDRESS";

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

/// Returns the address of this rank, if it is given.
pub(crate) fn address() -> Outcome<Option<IpAddr>> {
    let Some(value) = text(ADDRESS) else { return Ok(None) };
    let wrong = |_| NcclResult::INVALID_USAGE.because(format!("{ADDRESS}={value}: an IP address of this machine"));
    value.trim().parse().map(Some).map_err(wrong)
}

/// Returns `NCCL_COMM_ID`.
pub(crate) fn comm_id() -> Option<String> {
    text(COMM_ID).map(|value| value.trim().to_owned())
}
