//! What the CPU of the recorded machine takes for the work of a kernel, with the same loops in single precision.

use super::notation::{milliseconds, three_digits};
use super::records::Timed;
use anyhow::{Result, bail};

/// From this many milliseconds on, a time is told in seconds.
const LONG: f64 = 1e3;

/// `serial` and `parallel`, the times of one thread and of all; `threads`, how many these are; `gain`, the time of all
/// threads divided by the kernel's.
///
/// # Errors
/// When `what` is none of these.
pub fn number(timed: &Timed, what: &str) -> Result<String> {
    let cpu = &timed.record.cpu;
    Ok(match what {
        "serial" => time(cpu.serial_ms),
        "parallel" => time(cpu.parallel_ms),
        "threads" => cpu.threads.to_string(),
        "gain" => three_digits(cpu.parallel_ms / timed.time.median),
        _ => bail!("of a CPU there are serial, parallel, threads and gain"),
    })
}

fn time(value: f64) -> String {
    if value < LONG { milliseconds(value) } else { format!("{} s", three_digits(value / 1e3)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_in_seconds() {
        assert_eq!([0.758, 1461.5, 174_779.0].map(time), ["0.758 ms", "1.46 s", "175 s"]);
    }
}
