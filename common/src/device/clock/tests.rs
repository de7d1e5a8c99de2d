//! Falls of clocks in words, and clocks as JSON.

use super::*;

fn reading(sm_mhz: u32, bits: u64) -> Reading {
    let throttled = Throttled::from_bits(bits);
    Reading { sm_mhz, max_sm_mhz: Some(1980), power_w: Some(693.5), temperature_c: None, throttled }
}

fn clock(before: u32, after: u32, bits: u64) -> Clock {
    Clock::between(&reading(before, 0), &reading(after, bits))
}

#[test]
fn a_fall_of_more_than_a_twentieth_is_described() {
    assert_eq!(clock(1980, 1410, 4).below(1980).as_deref(), Some("1,980 to 1,410 MHz, power"));
    assert_eq!(clock(2000, 1900, 4).below(2000), None);
    assert_eq!(clock(2000, 1899, 0).below(2000).as_deref(), Some("2,000 to 1,899 MHz"));
}

#[test]
fn a_clock_that_is_low_throughout_is_one_number_and_one_that_rises_two() {
    assert_eq!(clock(1410, 1395, 0x24).below(1980).as_deref(), Some("1,395 MHz, power, temperature"));
    assert_eq!(clock(345, 1980, 0).below(1980).as_deref(), Some("345 to 1,980 MHz"));
}

#[test]
fn json_names_the_reasons_and_is_read_again() {
    let clock = clock(1980, 1410, 0x80 | 0x01);
    let json = serde_json::json!({
        "sm_mhz": [1980, 1410], "max_sm_mhz": 1980, "power_w": 693.5, "temperature_c": null, "throttled": ["power"],
    });
    assert_eq!(serde_json::to_value(clock).unwrap(), json);
    let read: Clock = serde_json::from_value(json).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), serde_json::to_value(clock).unwrap());
}

#[test]
fn an_idle_gpu_is_not_held_down_and_every_reason_has_bits_of_its_own() {
    assert_eq!(Throttled::from_bits(1), Throttled::default());
    let all: u64 = REASONS.iter().map(|(mask, _)| mask).sum();
    assert_eq!(all.count_ones(), REASONS.iter().map(|(mask, _)| mask.count_ones()).sum::<u32>());
}
