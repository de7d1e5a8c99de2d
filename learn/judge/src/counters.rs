//! The counters of a case's launches, by name.

use emulator::{Counters, Kernel, Launch};
use serde_json::Value;
use std::collections::BTreeMap;

/// Values by name: the emulator's counters, with the classes of instructions as `classes.float`; sums over the launches in
/// `launches`, `blocks`, `warps` and `threads`; maxima over the launches in `registers`, `local_bytes` and `shared_bytes`.
pub type Counts = BTreeMap<String, u64>;

/// Adds the values of a launch.
pub(crate) fn add(counts: &mut Counts, counters: &Counters, kernel: &Kernel, launch: &Launch<'_>) {
    // Counters are numbers and maps of numbers, which can always be JSON.
    if let Ok(Value::Object(fields)) = serde_json::to_value(counters) {
        for (name, value) in fields {
            match value {
                Value::Object(classes) => {
                    classes.iter().for_each(|(class, value)| sum(counts, &format!("{name}.{class}"), value.as_u64()))
                }
                value => sum(counts, &name, value.as_u64()),
            }
        }
    }
    let blocks = launch.grid.volume();
    let threads = launch.block.volume();
    for (name, value) in
        [("launches", 1), ("blocks", blocks), ("warps", blocks * threads.div_ceil(32)), ("threads", blocks * threads)]
    {
        sum(counts, name, Some(value));
    }
    let shared = kernel.static_shared_bytes() + launch.dynamic_shared_bytes;
    for (name, value) in
        [("registers", kernel.registers()), ("local_bytes", kernel.local_bytes()), ("shared_bytes", shared)]
    {
        let largest = counts.entry(name.to_owned()).or_default();
        *largest = u64::from(value).max(*largest);
    }
}

fn sum(counts: &mut Counts, name: &str, value: Option<u64>) {
    *counts.entry(name.to_owned()).or_default() += value.unwrap_or(0);
}

/// Formats a number with commas between thousands, and with up to two decimals.
#[must_use]
pub fn group_digits(value: f64) -> String {
    let digits = format!("{:.0}", value.trunc());
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|three| std::str::from_utf8(three).unwrap_or_default()).collect();
    let whole = groups.join(",");
    let fraction = format!("{:.2}", value.fract());
    match fraction.trim_start_matches("0.") {
        "00" => whole,
        _ if fraction.starts_with('1') => group_digits(value.round()),
        fraction => format!("{whole}.{}", fraction.trim_end_matches('0')),
    }
}
