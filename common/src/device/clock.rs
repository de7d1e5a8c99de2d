//! The clock of a GPU while a kernel is timed: a time is of a clock, and a clock falls with heat and power.

use crate::format::thousands;
use serde::{Deserialize, Serialize};

/// The state that a GPU reports at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The clock of the multiprocessors in MHz.
    pub sm_mhz: u32,
    /// The highest one that the chip allows.
    pub max_sm_mhz: Option<u32>,
    /// The power of the board in watts; on most boards a mean of the last second.
    pub power_w: Option<f64>,
    /// The temperature of the chip in degrees Celsius.
    pub temperature_c: Option<u32>,
    /// What holds the clock down.
    pub throttled: Throttled,
}

/// The clock of a timed kernel, in its last warm-up run and in its last timed one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// The clock of the multiprocessors in MHz, before and after the timed runs.
    pub sm_mhz: [u32; 2],
    /// The highest one that the chip allows; null if it is not reported.
    pub max_sm_mhz: Option<u32>,
    /// The power of the board after the timed runs, in watts; null if it is not reported.
    pub power_w: Option<f64>,
    /// The temperature of the chip after them, in degrees Celsius; null if it is not reported.
    pub temperature_c: Option<u32>,
    /// What held the clock down, before or after.
    pub throttled: Throttled,
}

/// The part of a clock by which another has to be lower to be remarked: less than a gain that a table calls clear.
const CLEAR_FALL: f64 = 0.05;

impl Clock {
    /// Returns the clock between two readings.
    #[must_use]
    pub fn between(before: &Reading, after: &Reading) -> Self {
        Self {
            sm_mhz: [before.sm_mhz, after.sm_mhz],
            max_sm_mhz: after.max_sm_mhz,
            power_w: after.power_w,
            temperature_c: after.temperature_c,
            throttled: before.throttled.or(after.throttled),
        }
    }

    /// Returns the higher one of the two clocks.
    #[must_use]
    pub fn highest(&self) -> u32 {
        self.sm_mhz[0].max(self.sm_mhz[1])
    }

    /// Returns whether the clock rose clearly.
    #[must_use]
    pub fn rose(&self) -> bool {
        is_clear_fall(self.sm_mhz[1], self.sm_mhz[0])
    }

    /// Describes a clock that is clearly below `highest`, as `1,980 to 1,410 MHz, power`; `None` if it is not.
    #[must_use]
    pub fn below(&self, highest: u32) -> Option<String> {
        let [before, after] = self.sm_mhz;
        let lowest = before.min(after);
        if !is_clear_fall(highest, lowest) {
            return None;
        }
        let range = if is_clear_fall(self.highest(), lowest) {
            format!("{} to {}", thousands(before.into()), thousands(after.into()))
        } else {
            thousands(lowest.into())
        };
        let reasons = self.throttled.names().map(|name| format!(", {name}"));
        Some(format!("{range} MHz{}", reasons.collect::<String>()))
    }
}

fn is_clear_fall(from: u32, to: u32) -> bool {
    f64::from(to) < (1.0 - CLEAR_FALL) * f64::from(from)
}

/// The reasons that hold a clock down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<&'static str>")]
pub struct Throttled(u64);

/// The reasons that NVML's `nvmlClocksThrottleReasons` name, without the first: an idle GPU is not held down.
const REASONS: [(u64, &str); 6] = [
    // a limit in software, and the brake of a power supply
    (0x04 | 0x80, "power"),
    // in software, and in hardware
    (0x20 | 0x40, "temperature"),
    // heat, power or a supply, which some chips do not tell apart
    (0x08, "hardware"),
    // clocks that somebody set
    (0x02, "setting"),
    (0x10, "sync boost"),
    (0x100, "display"),
];

impl Throttled {
    /// Returns the reasons among NVML's bits.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self(bits & REASONS.iter().map(|(mask, _)| mask).sum::<u64>())
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the names of the reasons.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        REASONS.iter().filter(move |(mask, _)| self.0 & mask != 0).map(|(_, name)| *name)
    }
}

impl From<Throttled> for Vec<&'static str> {
    fn from(throttled: Throttled) -> Self {
        throttled.names().collect()
    }
}

impl From<Vec<String>> for Throttled {
    fn from(names: Vec<String>) -> Self {
        let bits = REASONS.iter().filter(|(_, name)| names.iter().any(|other| other == name)).map(|(mask, _)| mask);
        Self(bits.sum())
    }
}

#[cfg(test)]
mod tests;
