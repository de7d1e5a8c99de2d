//! The times of the recorded machine's CPU for the work of a kernel, with the same loops in single precision.

use super::records::Timed;
use anyhow::{Result, bail};
use common::format::{milliseconds, significant};

/// The time in milliseconds from which on times are shown in seconds.
const LONG: f64 = 1e3;

/// Returns a number: `serial` or `parallel` is the time of one thread or of all, `threads` is the number of threads, and `gain`
/// is the time of all threads divided by the kernel's.
///
/// # Errors
/// Returns an error if `what` is something else.
pub fn number(timed: &Timed, what: &str) -> Result<String> {
    let Some(cpu) = &timed.record.cpu else { bail!("the record has no times of a CPU") };
    Ok(match what {
        "serial" => time(cpu.serial_ms),
        "parallel" => time(cpu.parallel_ms),
        "threads" => cpu.threads.to_string(),
        "gain" => significant(cpu.parallel_ms / timed.time.median),
        _ => bail!("the numbers of a CPU are serial, parallel, threads and gain"),
    })
}

fn time(value: f64) -> String {
    if value < LONG { milliseconds(value) } else { format!("{} s", significant(value / 1e3)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_in_seconds() {
        assert_eq!([0.758, 1461.5, 174_779.0].map(time), ["0.758 ms", "1.46 s", "175 s"]);
    }
}
