//! What the rest of the program must know of a problem, as data: its name, sizes, units, limit and options.

use super::size::{Parameters, Size};
use crate::device::{Backend, Limits};
use serde_json::Number;
use std::ops::RangeInclusive;

/// The facts of a problem, and its options.
#[derive(Debug)]
pub struct Facts {
    /// The letter by which the course calls it, `A`. Problems with the same letter are the same.
    pub letter: &'static str,
    /// What it computes, in a few words.
    pub title: &'static str,
    /// What `--n` counts, one and several: `body`, `bodies`.
    pub unit: [&'static str; 2],
    /// The published size.
    pub n: usize,
    /// Sizes accepted. An f64 reference of all pairs takes n² steps of about a nanosecond on each run; a problem of more
    /// bodies than that is for compares a sample of them.
    pub accepted: RangeInclusive<usize>,
    /// How many time steps; `None` for a problem without, which then has no `--steps`.
    pub steps: Option<Steps>,
    /// What the instructions of a step grow with: pairs of bodies, elements, atoms at points.
    pub work: fn(&Size) -> f64,
    /// What its speed is measured in.
    pub rate: Rate,
    /// The highest rate of arithmetic that it could reach.
    pub roof: Roof,
    /// What the count of moved bytes leaves out; empty if nothing.
    pub traffic_note: &'static str,
    /// Two sizes at which one launch takes well under a second on the emulator: with a tail, and with several blocks.
    pub small: [usize; 2],
    /// Its own options with a number.
    pub parameters: &'static [Parameter],
    /// Its own options with a file to write.
    pub files: &'static [FileOption],
    /// Elements along x and y, for kernels whose grid has two dimensions.
    pub extents: fn(&Size) -> [u32; 2],
    /// How its own options show in the description of a size; empty if they do not.
    pub describe: fn(&Parameters) -> String,
}

/// Time steps of a run where `--steps` does not say.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// As the tutorial has it.
    pub published: u32,
    /// On the emulator, where each step counts the same.
    pub emulated: u32,
}

/// A rate, and the device's limit of it.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The unit, in 10⁹ of what a [`Cost`](super::Cost) counts.
    pub unit: &'static str,
    /// The device's limit, a second; `None` where it does not say.
    pub limit: fn(&Limits) -> Option<f64>,
    /// What the limit is of, as the book says it below a table.
    pub limit_name: &'static str,
    /// What it counts, as the lines below the table say it.
    pub legend: &'static str,
}

/// [`Rate::limit_name`] of single precision.
pub const FP32: &str = "single-precision arithmetic, where a fused multiply-add counts as two operations";

/// The flat roof of a roofline.
#[derive(Clone, Copy, Debug)]
pub struct Roof {
    /// What is at its limit there.
    pub name: &'static str,
    /// The unit whose limit it is.
    pub unit: &'static str,
    /// Operations of a run over n elements, where its [`Rate`] does not count operations.
    pub operations: Option<fn(usize) -> f64>,
    /// What an operation is, where it is not a floating-point operation; else empty.
    pub note: &'static str,
}

/// An option of a problem that takes a number.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// `width` of `--width`.
    pub name: &'static str,
    /// What stands for the value in `--help`.
    pub value_name: &'static str,
    /// What `--help` says.
    pub help: &'static str,
    /// Which numbers it takes.
    pub accepted: Accepted,
    /// Its value where the option is not given.
    pub default: f64,
    /// The same under `--check`.
    pub checked: f64,
}

/// Numbers that an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Accepted {
    /// Whole numbers from the first to the second.
    Whole(u32, u32),
    /// Numbers from the first to the second.
    Real(f64, f64),
}

/// An option of a problem that names a file to write.
#[derive(Clone, Copy, Debug)]
pub struct FileOption {
    /// `track` of `--track`.
    pub name: &'static str,
    /// What stands for the file in `--help`.
    pub value_name: &'static str,
    /// What `--help` says.
    pub help: &'static str,
    /// What no chosen kernel does, if none can write it.
    pub refusal: &'static str,
    /// What the file's name must end in, and what to say if it does not.
    pub extension: Option<(&'static str, &'static str)>,
    /// Another option without which this one makes no sense.
    pub requires: Option<&'static str>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.letter == other.letter
    }
}

impl Facts {
    /// `4096 bodies`, or `1 body`.
    #[must_use]
    pub fn count(&self, n: usize) -> String {
        let [one, several] = self.unit;
        format!("{n} {}", if n == 1 { one } else { several })
    }

    /// What `--n` counts, in the plural.
    #[must_use]
    pub fn units(&self) -> &'static str {
        self.unit[1]
    }

    /// Time steps of a run where `--steps` does not say; `None` for a problem without.
    #[must_use]
    pub fn default_steps(&self, backend: Backend) -> Option<u32> {
        self.steps.map(|steps| if backend == Backend::Emulator { steps.emulated } else { steps.published })
    }

    /// Whether this is one of its own options with a number.
    #[must_use]
    pub fn has_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// Whether this is one of its own options with a file.
    #[must_use]
    pub fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
    }

    /// Those of the given options that are its own.
    #[must_use]
    pub fn heeded(&self, given: &Parameters) -> Parameters {
        let own = given.iter().filter(|(name, _)| self.has_parameter(name));
        own.fold(Parameters::default(), |values, (name, value)| values.with(name, value.clone()))
    }

    /// `given`, and the problem's own options that it lacks at their defaults.
    #[must_use]
    pub fn complete(&self, given: &Parameters, is_check: bool) -> Parameters {
        self.parameters.iter().fold(given.clone(), |values, parameter| match values.get(parameter.name) {
            Some(_) => values,
            None => values.with(parameter.name, parameter.default_value(is_check)),
        })
    }

    /// `4096 bodies, 1000 steps`, or `10000 atoms, 512 x 512 points`.
    #[must_use]
    pub fn describe_size(&self, size: &Size) -> String {
        let parts = [self.count(size.n), (self.describe)(&size.parameters), describe_steps(size.steps)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

fn describe_steps(steps: Option<u32>) -> String {
    match steps {
        None => String::new(),
        Some(1) => "1 step".into(),
        Some(steps) => format!("{steps} steps"),
    }
}

impl Parameter {
    /// Reads a value.
    ///
    /// # Errors
    /// What is wrong with it, with the accepted range.
    pub fn parse(&self, text: &str) -> Result<Number, String> {
        let not_a_number = |_| format!("{text} is not a number");
        match self.accepted {
            Accepted::Whole(low, high) => {
                let value: i64 = text.parse().map_err(|_| format!("{text} is not a whole number"))?;
                let is_in = (i64::from(low)..=i64::from(high)).contains(&value);
                if is_in { Ok(value.into()) } else { Err(format!("{value} is not in {low}..={high}")) }
            }
            Accepted::Real(low, high) => {
                let value: f64 = text.parse().map_err(not_a_number)?;
                let number = Number::from_f64(value).filter(|_| (low..=high).contains(&value));
                number.ok_or_else(|| format!("{value} is not in {low}..={high}"))
            }
        }
    }

    fn default_value(&self, is_check: bool) -> Number {
        let value = if is_check { self.checked } else { self.default };
        match self.accepted {
            Accepted::Whole(..) => Number::from(value as i64),
            Accepted::Real(..) => Number::from_f64(value).expect("a default is finite"),
        }
    }
}

/// [`Facts::work`] of a problem with an interaction of each body with each.
#[must_use]
pub fn of_pairs(size: &Size) -> f64 {
    (size.n as f64).powi(2)
}

/// [`Facts::work`] of a problem with something to do for each element.
#[must_use]
pub fn of_elements(size: &Size) -> f64 {
    size.n as f64
}

/// [`Facts::extents`] of a problem whose elements are in one row.
#[must_use]
pub fn in_a_row(size: &Size) -> [u32; 2] {
    [u32::try_from(size.n).unwrap_or(u32::MAX), 1]
}

/// [`Facts::describe`] of a problem without options of its own.
#[must_use]
pub fn nothing_more(_: &Parameters) -> String {
    String::new()
}
