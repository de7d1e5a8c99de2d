//! The highest measured rates: of units for the column *limited by*, and for the column *of peak* of GPUs whose nominal peak rates
//! are not known.

use super::demand::PerUnit;
use super::measured::{Measured, Quantity};
use super::unit::Unit;
use crate::device::Attributes;
use emulator::WARP_SIZE;
use std::collections::BTreeMap;

/// The operations of a multiply-add.
const OPERATIONS: f64 = 2.0;

/// The multiply-adds of an instruction `mma.sync.m16n8k16`.
const PRODUCTS: f64 = 16.0 * 8.0 * 16.0;

/// Returns the highest verified rate of each unit, per second and without the time of a launch. Every instruction takes an issue
/// slot, so single precision also bounds the rate of the schedulers from below.
#[must_use]
pub fn rates(measured: &[Measured]) -> PerUnit {
    let median = |one: &Measured| one.time_ms.map(|time| time.median);
    let launch = measured.iter().find(|one| one.limit == Quantity::Launch).and_then(median).unwrap_or(0.0);
    let mut rates = BTreeMap::new();
    for (unit, own) in Unit::ALL {
        let is_of = |quantity| quantity == own || (unit == Unit::Issue && quantity == Quantity::Fp32);
        let working = |one: &Measured| median(one).filter(|_| unit != Unit::Launch).map_or(1.0, |ms| 1.0 - launch / ms);
        let of_unit = measured.iter().filter(|one| one.verified && is_of(one.limit));
        if let Some(rate) = of_unit.filter_map(|one| Some(one.rate? / working(one))).max_by(f64::total_cmp) {
            rates.insert(unit, rate);
        }
    }
    rates
}

/// Returns the highest verified rates in the units of a device's attributes.
pub fn peaks(measured: &[Measured]) -> Attributes {
    let rate = |quantity: Quantity, of_an_instruction: f64| {
        let all = measured.iter().filter(|one| one.verified && one.limit == quantity);
        all.filter_map(|one| one.rate).max_by(f64::total_cmp).map(|rate| rate * of_an_instruction)
    };
    Attributes {
        fp32_flops_per_second: rate(Quantity::Fp32, OPERATIONS * WARP_SIZE as f64),
        tensor_flops_per_second: rate(Quantity::TensorBf16, OPERATIONS * PRODUCTS),
        special_functions_per_second: rate(Quantity::Special, WARP_SIZE as f64),
        memory_bytes_per_second: rate(Quantity::Memory, 1.0),
        ..Attributes::default()
    }
}

/// Fills in the peak rates that are unknown of a device. Returns whether there are any.
pub fn complete(attributes: &mut Attributes, measured: &Attributes) -> bool {
    let before = *attributes;
    let fill = |nominal: &mut Option<f64>, measured: Option<f64>| *nominal = nominal.or(measured);
    fill(&mut attributes.fp32_flops_per_second, measured.fp32_flops_per_second);
    fill(&mut attributes.tensor_flops_per_second, measured.tensor_flops_per_second);
    fill(&mut attributes.special_functions_per_second, measured.special_functions_per_second);
    fill(&mut attributes.memory_bytes_per_second, measured.memory_bytes_per_second);
    *attributes != before
}

#[cfg(test)]
mod tests {
    use super::super::recorded::tests::measured;
    use super::*;
    use crate::timing::Timing;

    #[test]
    fn rates_are_without_the_time_of_a_launch() {
        let timed = |limit, rate, median| {
            let time_ms = Some(Timing { median, low: median, high: median, runs: 20, clock: None });
            Measured { time_ms, ..measured(limit, rate, true) }
        };
        // 3 GB in 1 ms, of which the launch takes 0.25 ms; a launch itself takes all of its time
        let all = [timed(Quantity::Memory, 3e12, 1.0), timed(Quantity::Launch, 4e3, 0.25)];
        assert_eq!(rates(&all), [(Unit::Memory, 4e12), (Unit::Launch, 4e3)].into());
    }

    #[test]
    fn unknown_rates_are_filled_in_and_known_ones_stay() {
        // 0.125 T products of 4,096 operations; 1 T multiply-adds of 32 lanes
        let all = [measured(Quantity::TensorBf16, 0.125e12, true), measured(Quantity::Fp32, 1e12, true)];
        let wrong = measured(Quantity::Special, 1e11, false);
        let peaks = peaks(&[&all[..], &[wrong]].concat());
        let mut attributes = Attributes { fp32_flops_per_second: Some(67e12), ..Attributes::default() };
        assert!(complete(&mut attributes, &peaks));
        let rates = (attributes.fp32_flops_per_second, attributes.tensor_flops_per_second);
        assert_eq!((rates, peaks.fp32_flops_per_second), ((Some(67e12), Some(512e12)), Some(64e12)));
        assert_eq!((attributes.special_functions_per_second, attributes.memory_bytes_per_second), (None, None));
        assert!(!complete(&mut attributes, &peaks));
    }
}
