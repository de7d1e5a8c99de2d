//! The recorded accuracy of results: the conservation of momentum, and the deviation from double precision.

use super::records::{NOT_RECORDED, Records};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The fields of a record.
const MOMENTUM: &str = "momentum_error";
const FIRST: &str = "first_departure";
const HALF: &str = "half_departed";

/// Returns the sum of a kernel's forces divided by the sum of their magnitudes.
pub fn momentum(records: &Records, kernel: &str) -> String {
    let record = records.list().iter().find(|record| record.kernel == kernel && record.verified);
    let error = record.and_then(|record| record.measured.get(MOMENTUM));
    error.map_or_else(|| NOT_RECORDED.into(), |error| format!("{error:.0e}"))
}

/// Returns a table of the steps after which each kernel's bodies deviate from double precision.
pub fn departures(records: &Records) -> Result<String> {
    let departed = |measured: &BTreeMap<String, f64>| measured.contains_key(FIRST) || measured.contains_key(HALF);
    let found: Vec<_> = records.list().iter().filter(|record| record.verified && departed(&record.measured)).collect();
    let Some(first) = found.first() else { return Ok(format!("*Departures: {NOT_RECORDED}*")) };
    let mut text = String::from("| kernel | first body after step | half of the bodies after step |\n|---|--:|--:|\n");
    for record in &found {
        let [one, half] = [FIRST, HALF].map(|field| step(&record.measured, field));
        writeln!(text, "| `{}` | {one} | {half} |", record.kernel)?;
    }
    let day = first.date.split('T').next().unwrap_or_default();
    let steps = first.steps.map_or(String::new(), |steps| format!(", {steps} steps"));
    write!(text, "\n{}, {} bodies{steps}, {day}.", first.device, first.size)?;
    Ok(text)
}

fn step(measured: &BTreeMap<String, f64>, field: &str) -> String {
    measured.get(field).map_or_else(|| "never".into(), |step| format!("{step:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_does_not_depart_never_does() {
        let measured = BTreeMap::from([(FIRST.to_owned(), 12.0)]);
        assert_eq!([FIRST, HALF].map(|field| step(&measured, field)), ["12", "never"]);
    }

    #[test]
    fn what_nobody_has_measured_is_not_recorded() {
        let nothing =
            Records::others(std::path::Path::new("/nowhere"), "stage06-limit", "physics").expect("no file is no error");
        assert_eq!(momentum(&nothing, "forcesFloat4"), NOT_RECORDED);
        assert_eq!(departures(&nothing).expect("a remark"), "*Departures: not recorded*");
    }
}
