//! How much of a problem a run takes.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;

/// Seed of the inputs where `--seed` does not say: the year of Newton's Principia.
pub const DEFAULT_SEED: u64 = 1687;

/// The size of a run. Equal sizes have the same inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bodies or elements: what `--n` counts.
    pub n: usize,
    /// Time steps; `None` for a problem without.
    pub steps: Option<u32>,
    /// Seed of the inputs.
    pub seed: u64,
    /// Values of the problem's own options.
    pub parameters: Parameters,
}

impl Size {
    /// n bodies or elements from the default seed: no time steps, and the problem's own options at their defaults.
    #[must_use]
    pub fn of(n: usize) -> Self {
        Self { n, steps: None, seed: DEFAULT_SEED, parameters: Parameters::default() }
    }

    /// Time steps; 1 for a problem without.
    #[must_use]
    pub fn step_count(&self) -> u32 {
        self.steps.unwrap_or(1)
    }
}

/// A count as kernels take it.
///
/// # Panics
/// If it does not fit 31 bits, as every accepted size does.
#[must_use]
pub fn as_i32(count: usize) -> i32 {
    i32::try_from(count).expect("every accepted size fits 31 bits")
}

/// Values of a problem's own options by their names, such as `width`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Number>);

impl Parameters {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These values with another one; of a name that is there already, the value is replaced.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Number>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// A value; `None` if there is none of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Number::as_f64)
    }

    /// Names and values, as one would write them behind `--`.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Number)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}
