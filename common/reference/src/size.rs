//! The size of a run.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::collections::BTreeMap;

/// The default of `--seed`: the year of Newton's Principia.
pub const DEFAULT_SEED: u64 = 1687;

/// The size of a run. Equal sizes have the same inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bodies or elements, the value of `--n`.
    pub n: usize,
    /// Time steps; `None` for a problem without.
    pub steps: Option<u32>,
    /// Seed of the inputs.
    pub seed: u64,
    /// Values of the problem's own options.
    pub parameters: Parameters,
}

impl Size {
    /// Returns the size of n bodies or elements with the default seed, no time steps, and default options.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { n, steps: None, seed: DEFAULT_SEED, parameters: Parameters::default() }
    }

    /// Returns the number of time steps; 1 for a problem without.
    #[must_use]
    pub fn step_count(&self) -> u32 {
        self.steps.unwrap_or(1)
    }
}

/// Converts a count to the type of the kernels' parameters.
///
/// # Panics
/// If it does not fit 31 bits, as every accepted size does.
#[must_use]
pub fn as_i32(count: usize) -> i32 {
    i32::try_from(count).expect("every accepted size fits 31 bits")
}

/// Converts a count to the type of launch shapes.
///
/// # Panics
/// If it does not fit 32 bits, as every accepted size does.
#[must_use]
pub fn as_u32(count: usize) -> u32 {
    u32::try_from(count).expect("every accepted size fits 32 bits")
}

/// Values of a problem's own options by name, such as `width`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(BTreeMap<String, Number>);

impl Parameters {
    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the parameters with `name` set to `value`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Number>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Returns a value; `None` if there is none of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Number::as_f64)
    }

    /// Returns names and values, as options spell them after `--`.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Number)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}
