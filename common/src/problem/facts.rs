//! The facts of a problem as data: its name, sizes, units, peak rate and options.

use crate::device::Attributes;
use crate::format::thousands;
use reference::size::{Parameters, Size, as_u32};
use serde_json::Number;
use std::ops::RangeInclusive;

/// The facts of a problem, and its options. Build them from [`Facts::new`] and set what differs.
#[derive(Debug)]
pub struct Facts {
    /// The letter that names the problem in the course, `A`. Problems with the same letter are the same.
    pub letter: &'static str,
    /// The computed quantity, in a few words.
    pub title: &'static str,
    /// The unit of `--n`, singular and plural: `body`, `bodies`.
    pub unit: [&'static str; 2],
    /// The published size.
    pub n: usize,
    /// The default size on the emulator, at which a whole table takes seconds. Counts follow from [`Facts::work`], so a
    /// smaller size shows the same ratios between kernels.
    pub emulated_n: usize,
    /// The default size of `--check`: not a multiple of a warp or a block, so that there are tails.
    pub checked_n: usize,
    /// The accepted sizes. A reference of all pairs in f64 takes n² steps of about a nanosecond in each run; problems of
    /// many bodies compare a sample.
    pub accepted: RangeInclusive<usize>,
    /// The number of time steps; `None` for a problem without, which then has no `--steps`.
    pub steps: Option<Steps>,
    /// The number of launches in a run that have a count of their own.
    pub launches: fn(&Size) -> u32,
    /// The launches that one count adds up, each over all data: 2 for a kernel of one step, of which a run takes two.
    pub passes: u32,
    /// A remark about the emulator's counts of a run that has several launches; empty if there is none.
    pub count_note: &'static str,
    /// The constants of the kernel's code that the launch relies on, by name.
    pub constants: &'static [(&'static str, u32)],
    /// The unit of work of a step, with whose number the instructions grow: pairs of bodies, elements, atoms at points.
    pub work: fn(&Size) -> f64,
    /// The unit of its speed.
    pub rate: Rate,
    /// The flat roof of its roofline.
    pub roof: Roof,
    /// The traffic that the count of moved bytes leaves out; empty if none.
    pub traffic_note: &'static str,
    /// Two sizes whose launch takes well under a second on the emulator: with a tail, and with several blocks.
    pub small: [usize; 2],
    /// Whether the inputs depend on `--seed`.
    pub is_seeded: bool,
    /// Its own options with a number.
    pub parameters: &'static [Parameter],
    /// Its own options with a file to write.
    pub files: &'static [FileOption],
    /// Returns the elements along x and y, for kernels whose grid has two dimensions.
    pub extents: fn(&Size) -> [u32; 2],
    /// Describes its own options as part of a size; empty if they are not part of it.
    pub describe: fn(&Parameters) -> String,
}

/// The default number of time steps.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// In the tutorial.
    pub published: u32,
    /// On the emulator, where each step has the same counts.
    pub emulated: u32,
}

/// A rate, and the device's peak of it.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// The unit, in 10⁹ of what a [`Cost`](super::Cost) counts.
    pub unit: &'static str,
    /// Returns the device's peak per second; `None` if the driver does not report it.
    pub limit: fn(&Attributes) -> Option<f64>,
    /// The name of the peak, as the book prints it below a table.
    pub limit_name: &'static str,
    /// The definition of the rate, as printed below the table.
    pub legend: &'static str,
}

impl Rate {
    /// Returns a rate of single-precision arithmetic, in GFLOP/s.
    #[must_use]
    pub const fn arithmetic(legend: &'static str) -> Self {
        Self {
            unit: "GFLOP/s",
            limit: |attributes| attributes.fp32_flops_per_second,
            limit_name: "single-precision arithmetic, where a fused multiply-add counts as two operations",
            legend,
        }
    }

    /// Returns a rate of the bytes that must move, in GB/s.
    #[must_use]
    pub const fn memory(limit_name: &'static str) -> Self {
        Self {
            unit: "GB/s",
            limit: |attributes| attributes.memory_bytes_per_second,
            limit_name,
            legend: "GB/s of the bytes that must move.",
        }
    }
}

/// The flat roof of a roofline.
#[derive(Clone, Copy, Debug)]
pub struct Roof {
    /// The unit at its peak rate.
    pub name: &'static str,
    /// The unit of the peak.
    pub unit: &'static str,
    /// Operations of a run over n elements, if its [`Rate`] does not count operations.
    pub operations: Option<fn(usize) -> f64>,
    /// The meaning of an operation, if it is not a floating-point operation; else empty.
    pub note: &'static str,
}

impl Roof {
    /// The roof of a problem whose rate counts floating-point operations.
    pub const ARITHMETIC: Self = Self { name: "arithmetic", unit: "GFLOP/s", operations: None, note: "" };
}

/// An option of a problem that takes a number.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The option's name, `width` for `--width`.
    pub name: &'static str,
    /// The name of the value in `--help`.
    pub value_name: &'static str,
    /// The text of `--help`.
    pub help: &'static str,
    /// The accepted numbers.
    pub accepted: Accepted,
    /// The default.
    pub default: f64,
    /// The default under `--check`.
    pub checked: f64,
}

/// The numbers that an option accepts.
#[derive(Clone, Copy, Debug)]
pub enum Accepted {
    /// Whole numbers from the first to the second.
    Whole(u32, u32),
    /// Numbers from the first to the second.
    Real(f64, f64),
    /// These whole numbers.
    OneOf(&'static [u32]),
}

/// An option of a problem that names a file to write.
#[derive(Clone, Copy, Debug)]
pub struct FileOption {
    /// The option's name, `track` for `--track`.
    pub name: &'static str,
    /// The name of the file in `--help`.
    pub value_name: &'static str,
    /// The text of `--help`.
    pub help: &'static str,
    /// The message if no chosen kernel writes the file.
    pub refusal: &'static str,
    /// The required extension of the file's name, and the message if it has another.
    pub extension: Option<(&'static str, &'static str)>,
    /// Another option that this one needs.
    pub requires: Option<&'static str>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        self.letter == other.letter
    }
}

impl Facts {
    /// Returns the facts of a problem of the published size and up to the largest, without time steps or options of its own,
    /// whose work grows with n.
    #[must_use]
    pub const fn new(
        letter: &'static str,
        title: &'static str,
        unit: [&'static str; 2],
        [published, largest]: [usize; 2],
        rate: Rate,
    ) -> Self {
        Self {
            letter,
            title,
            unit,
            n: published,
            emulated_n: published,
            checked_n: 1000,
            accepted: 1..=largest,
            steps: None,
            launches: Size::step_count,
            passes: 1,
            count_note: "",
            constants: &[],
            work: elements,
            rate,
            roof: Roof::ARITHMETIC,
            traffic_note: "",
            small: [100, 512],
            is_seeded: true,
            parameters: &[],
            files: &[],
            extents: in_a_row,
            describe: nothing_more,
        }
    }

    /// Returns `4,096 bodies`, or `1 body`.
    #[must_use]
    pub fn count(&self, n: usize) -> String {
        let [one, several] = self.unit;
        format!("{} {}", thousands(n as u64), if n == 1 { one } else { several })
    }

    /// Returns the unit of `--n` in the plural.
    #[must_use]
    pub fn units(&self) -> &'static str {
        self.unit[1]
    }

    /// Returns the number of launches in a run, each over all data.
    #[must_use]
    pub fn launches_of_a_run(&self, size: &Size) -> u32 {
        (self.launches)(size) * self.passes
    }

    /// Returns whether this is one of its own options with a number.
    #[must_use]
    pub fn has_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// Returns whether this is one of its own options with a file.
    #[must_use]
    pub fn has_file(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
    }

    /// Returns those of the given options that are its own.
    #[must_use]
    pub fn select_own(&self, given: &Parameters) -> Parameters {
        let own = given.iter().filter(|(name, _)| self.has_parameter(name));
        own.fold(Parameters::default(), |values, (name, value)| values.with(name, value.clone()))
    }

    /// Returns `given`, with the defaults of the problem's own options that it lacks.
    #[must_use]
    pub fn complete(&self, given: &Parameters, is_check: bool) -> Parameters {
        self.parameters.iter().fold(given.clone(), |values, parameter| match values.get(parameter.name) {
            Some(_) => values,
            None => values.with(parameter.name, parameter.default_value(is_check)),
        })
    }

    /// Returns `4,096 bodies, 1,000 steps`, or `10,000 atoms, 512 x 512 points`.
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
        Some(steps) => format!("{} steps", thousands(steps.into())),
    }
}

impl Parameter {
    /// Parses a value.
    ///
    /// # Errors
    /// A message that names the accepted range.
    pub fn parse(&self, text: &str) -> Result<Number, String> {
        let not_a_number = |_| format!("{text} is not a number");
        match self.accepted {
            Accepted::Whole(low, high) => {
                let value: i64 = text.parse().map_err(|_| format!("{text} is not a whole number"))?;
                let is_in = (i64::from(low)..=i64::from(high)).contains(&value);
                if is_in { Ok(value.into()) } else { Err(format!("{value} is not in {low}..={high}")) }
            }
            Accepted::OneOf(values) => {
                let value = text.parse().ok().filter(|value| values.contains(value));
                value.map(Number::from).ok_or_else(|| format!("{text} is not one of {values:?}"))
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
            Accepted::Whole(..) | Accepted::OneOf(_) => Number::from(value as i64),
            Accepted::Real(..) => Number::from_f64(value).expect("a default is finite"),
        }
    }
}

/// [`Facts::work`] of a problem of all pairs.
#[must_use]
pub fn pairs(size: &Size) -> f64 {
    (size.n as f64).powi(2)
}

/// [`Facts::work`] of a problem whose work grows with the elements.
#[must_use]
pub fn elements(size: &Size) -> f64 {
    size.n as f64
}

/// [`Facts::extents`] of a problem whose elements are in one row.
///
/// # Panics
/// If the size does not fit 32 bits, as every accepted size does.
#[must_use]
pub fn in_a_row(size: &Size) -> [u32; 2] {
    [as_u32(size.n), 1]
}

/// [`Facts::extents`] of a problem of a matrix with as many rows as columns.
pub(super) fn in_a_square(size: &Size) -> [u32; 2] {
    [as_u32(size.n); 2]
}

/// [`Facts::describe`] of a problem without options of its own.
#[must_use]
pub fn nothing_more(_: &Parameters) -> String {
    String::new()
}
