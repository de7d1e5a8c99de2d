//! Settings from environment variables. Like NCCL, the crate reads them at each use, because programs set them at run time.

use crate::result::{NcclResult, Outcome};
use std::time::Duration;

/// The time limit in seconds for waiting on a rank that does nothing.
const TIMEOUT: &str = "COALESCED_NCCL_TIMEOUT";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(20);

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

/// Returns `NCCL_COMM_ID`.
pub(crate) fn comm_id() -> Option<String> {
    text(COMM_ID).map(|value| value.trim().to_owned())
}
