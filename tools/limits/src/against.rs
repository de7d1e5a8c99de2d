//! Rates compared with recorded ones: `cargo run -p limits -- --quick --against results/nvidia-h200/limits.json`.

use common::ceilings::{Measured, Unit, rates};
use common::error::Error;
use common::format::{DASH, three_digits};
use std::path::Path;

/// The largest accepted distance of a ratio from 1.
const TOLERANCE: f64 = 0.03;

/// The highest rate of a unit, as the column *limited by* takes it, now and in a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The unit.
    pub unit: Unit,
    /// The rate that was measured now; `None` if there is none.
    pub measured: Option<f64>,
    /// The recorded rate.
    pub recorded: Option<f64>,
}

impl Comparison {
    /// Returns the measured rate divided by the recorded one; `None` without both.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        Some(self.measured? / self.recorded?)
    }

    /// Returns whether the rates agree; `None` without a record, and for a launch, which takes the host's time too.
    #[must_use]
    pub fn agrees(&self) -> Option<bool> {
        self.recorded.filter(|_| self.unit != Unit::Launch)?;
        Some(self.ratio().is_some_and(|ratio| (ratio - 1.0).abs() <= TOLERANCE))
    }

    /// Returns the row of a table.
    #[must_use]
    pub fn row(&self) -> Vec<String> {
        let or_dash = |rate: Option<f64>| rate.map_or_else(|| DASH.into(), three_digits);
        let (_, quantity) = Unit::ALL[self.unit as usize];
        vec![
            self.unit.name().into(),
            or_dash(self.measured),
            or_dash(self.recorded),
            format!("{}/s", quantity.unit()),
            self.ratio().map_or_else(|| DASH.into(), |ratio| format!("{ratio:.3}")),
            self.agrees().map_or("not compared", |agrees| if agrees { "agrees" } else { "DIFFERS" }).into(),
        ]
    }
}

/// The headings of the rows.
pub const COLUMNS: [&str; 6] = ["unit", "measured", "recorded", "in", "ratio", "within 3 %"];

/// Reads a record of rates.
///
/// # Errors
/// [`Error::Usage`], naming the file.
pub fn read(file: &Path) -> Result<Vec<Measured>, Error> {
    let failed = |reason: String| Error::Usage(format!("--against: cannot read {}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

/// Compares the units of which there is a rate.
#[must_use]
pub fn compare(measured: &[Measured], recorded: &[Measured]) -> Vec<Comparison> {
    let (measured, recorded) = (rates(measured), rates(recorded));
    let rate =
        |unit| Comparison { unit, measured: measured.get(&unit).copied(), recorded: recorded.get(&unit).copied() };
    let all = Unit::ALL.into_iter().map(|(unit, _)| rate(unit));
    all.filter(|one| one.measured.or(one.recorded).is_some()).collect()
}
