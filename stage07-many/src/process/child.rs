//! What a rank that this program has started itself learns from its parent, beside its place.

use std::process::Stdio;

/// The variable in which a rank finds the number of the process that started it.
pub const PARENT: &str = "COALESCED_PARENT";

/// The variable in which a single process finds how many GPUs it is to use.
pub const ONE_PROCESS: &str = "COALESCED_GPUS";

/// How many GPUs this process is to use; `None` where each has a process of its own.
#[must_use]
pub fn devices_of_one_process() -> Option<usize> {
    std::env::var(ONE_PROCESS).ok()?.parse().ok()
}

/// Lets this rank end when its parent does, however that ends.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    let Some(parent) = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok()) else { return };
    // Without it, only what the parent itself does ends ranks.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    // It may have ended before that.
    if std::os::unix::process::parent_id() != parent {
        std::process::exit(1);
    }
}

/// Lets this rank end when its parent does, however that ends: the system then closes the pipe from it, to which nobody
/// writes.
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

/// What ranks have for standard input: a pipe where that tells of the parent's end.
#[must_use]
pub fn input() -> Stdio {
    if cfg!(target_os = "linux") { Stdio::null() } else { Stdio::piped() }
}
