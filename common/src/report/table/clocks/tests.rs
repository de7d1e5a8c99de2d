//! The line below tables.

use super::*;
use crate::device::{Clock, Throttled};
use crate::report::samples::{outcome, timing, view};
use crate::report::table::render;

fn at(sm_mhz: [u32; 2], bits: u64) -> Outcome<'static> {
    let throttled = Throttled::from_bits(bits);
    let clock = Clock { sm_mhz, max_sm_mhz: Some(1980), power_w: None, temperature_c: None, throttled };
    let mut timed = timing(1.0, 1.0, 1.0);
    timed.clock = Some(clock);
    outcome(Some(timed), None)
}

#[test]
fn kernels_at_a_lower_clock_are_named_below_their_table() {
    let rows = [at([1980, 1965], 0), at([1980, 1410], 4), at([1500, 1500], 0x20)];
    let table = render(&view(&rows));
    let line = "slower clock than this table's 1,980 MHz: computeForces 1,980 to 1,410 MHz, power; \
                computeForces 1,500 MHz, temperature\n";
    assert!(table.ends_with(line), "{table}");
}

#[test]
fn nothing_is_said_of_even_clocks_and_without_any() {
    for rows in [vec![at([1410, 1410], 4), at([1400, 1395], 4)], vec![outcome(Some(timing(1.0, 1.0, 1.0)), None)]] {
        assert_eq!(line(&rows), None);
    }
}
