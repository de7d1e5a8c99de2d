//! Logarithmic scales.

/// The number of ticks above which only powers of ten have one.
const MAX_TICKS: usize = 7;

/// The least quotient of the outermost values and the ends.
const ROOM: f64 = 1.1;

/// A logarithmic scale from values to places in a picture.
#[derive(Clone, Copy)]
pub struct Log {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Log {
    /// Makes a scale for values above zero between two places, with some room around them. It begins and ends at 1, 2 or 5 times a
    /// power of ten and is never empty.
    pub fn over(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) =
            values.into_iter().fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let low = nice().rfind(|&tick| tick * ROOM <= low);
        let high = nice().find(|&tick| tick > high * ROOM);
        Self { low: low.unwrap_or(1.0), high: high.unwrap_or(10.0), from, to }
    }

    /// Makes a scale from one value to a larger one.
    pub fn between(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self { low, high, from, to }
    }

    /// Returns the place of a value, limited to the ends of the scale.
    pub fn at(&self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        self.from + share * (self.to - self.from)
    }

    /// Returns the first and the last value.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Returns the values with numbers: 1, 2 and 5 times powers of ten, or only powers of ten if these are too many.
    pub fn ticks(&self) -> Vec<f64> {
        let inside = |tick: &f64| (self.low * 0.999..=self.high * 1.001).contains(tick);
        let ticks: Vec<f64> = nice().filter(inside).collect();
        if ticks.len() > MAX_TICKS { nice().step_by(3).filter(inside).collect() } else { ticks }
    }
}

/// Returns 1, 2 and 5 times powers of ten, in increasing order.
fn nice() -> impl DoubleEndedIterator<Item = f64> + Clone {
    // Computed from an integer, since powers of ten below one are not exact.
    (-12..=18).flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| format!("{digit}e{exponent}").parse().unwrap_or(digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_round_values_around_its_own() {
        let scale = Log::over([0.336, 1.31], 0.0, 100.0);
        assert_eq!(scale.ends(), (0.2, 2.0));
        assert_eq!([0.2, 2.0, 99.0].map(|value| scale.at(value)), [0.0, 100.0, 100.0]);
        assert_eq!(scale.ticks(), [0.2, 0.5, 1.0, 2.0]);
    }

    #[test]
    fn equal_ratios_are_equally_far_apart() {
        let scale = Log::between(1.0, 10_000.0, 400.0, 0.0);
        assert_eq!([10.0, 100.0, 1000.0].map(|value| scale.at(value).round()), [300.0, 200.0, 100.0]);
    }

    #[test]
    fn a_long_scale_has_ticks_at_powers_of_ten_alone() {
        assert_eq!(Log::over([1.2, 1700.0], 0.0, 1.0).ticks(), [1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn a_single_value_has_room_too() {
        assert_eq!(Log::over([5.0], 0.0, 1.0).ends(), (2.0, 10.0));
    }
}
