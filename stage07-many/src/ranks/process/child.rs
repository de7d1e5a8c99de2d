//! Settings that a rank inherits from the parent that started it, other than its place.

use std::process::Stdio;

/// The environment variable with the process id of the rank's parent.
pub const PARENT: &str = "COALESCED_PARENT";

/// The environment variable with the number of GPUs for a single process.
pub const ONE_PROCESS: &str = "COALESCED_GPUS";

/// Returns the number of GPUs that this process uses; `None` if each GPU has its own process.
#[must_use]
pub fn devices_of_one_process() -> Option<usize> {
    std::env::var(ONE_PROCESS).ok()?.parse().ok()
}

/// Terminates this rank when its parent ends, for whatever reason.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    let Some(parent) = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok()) else { return };
    // If this fails, ranks are terminated only by the parent itself.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    // The parent may have ended before the call.
    if std::os::unix::process::parent_id() != parent {
        std::process::exit(1);
    }
}

/// Terminates this rank when its parent ends, for whatever reason: the system then closes the pipe from the parent, to
/// which nothing is written.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() {
    if std::env::var_os(PARENT).is_none() {
        return;
    }
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(1);
    });
}

/// Returns the standard input for ranks: a pipe on systems where it signals the end of the parent.
#[must_use]
pub fn input() -> Stdio {
    if cfg!(target_os = "linux") { Stdio::null() } else { Stdio::piped() }
}
