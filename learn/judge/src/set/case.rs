//! The cases of a card: inputs and launches, at the sizes that learners see or at sizes and inputs of `grade`'s own.

use super::launch_line::LaunchLine;
use super::template::Template;
use crate::kernel_file::{Argument, Buffer};
use crate::random::SplitMix;
use serde::Deserialize;
use std::array::from_fn;
use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

/// The end of the name of a case with sizes and inputs that learners do not see.
pub const OTHER_INPUTS: &str = ", with other inputs";

/// One run of a kernel: buffers, a sequence of launches, and the buffers that hold the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Template")]
pub struct Case {
    /// The size of the problem and of the launch: `1,000 bodies in blocks of 128`.
    pub name: String,
    /// The buffers by name, in the notation of `cargo learn check`: `f32[1000]=random`.
    pub buffers: BTreeMap<String, Text<Buffer>>,
    /// The launches, in order.
    pub launches: Vec<CaseLaunch>,
    /// The buffers that are compared with the solution's, each with a relative tolerance. 0 requires the same bits.
    pub results: BTreeMap<String, f64>,
    /// The values of the sizes that the card's expressions name.
    pub sizes: BTreeMap<String, u64>,
    template: Template,
    /// The seed of the random numbers in the buffers: 0 if learners see the case.
    seed: u64,
}

/// The fields of a case in a card, after expressions are replaced by values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    name: String,
    buffers: BTreeMap<String, Text<Buffer>>,
    #[serde(rename = "launch")]
    launches: Vec<CaseLaunch>,
    results: BTreeMap<String, f64>,
}

impl TryFrom<Template> for Case {
    type Error = String;

    fn try_from(template: Template) -> Result<Self, String> {
        let usual = template.sizes.iter().map(|(name, size)| (name.clone(), size.usual)).collect();
        Self::from_template(template, &usual, 0)
    }
}

impl Case {
    fn from_template(template: Template, sizes: &BTreeMap<String, u64>, seed: u64) -> Result<Self, String> {
        let fields = template.fields_with(sizes)?;
        let Fields { name, buffers, launches, results } =
            Fields::deserialize(fields).map_err(|error| error.message().to_owned())?;
        Ok(Self { name, buffers, launches, results, sizes: sizes.clone(), template, seed })
    }

    /// Returns the case with sizes and inputs that depend on `seed`.
    ///
    /// # Errors
    /// An expression of the card has no value at these sizes.
    pub fn varied(&self, seed: u64) -> Result<Self, String> {
        let mut random = SplitMix::new(seed);
        let sizes = &self.template.sizes;
        let sizes = sizes.iter().map(|(name, size)| (name.clone(), size.chosen(random.next()))).collect();
        // 0 is the seed of the case that learners see.
        let mut case = Self::from_template(self.template.clone(), &sizes, random.next().max(1))?;
        case.name.push_str(OTHER_INPUTS);
        Ok(case)
    }

    /// Returns the case at the sizes that fill a GPU, if the card has all of them.
    ///
    /// # Errors
    /// An expression of the card has no value at these sizes.
    pub fn full(&self) -> Result<Option<Self>, String> {
        let sizes = &self.template.sizes;
        let full: BTreeMap<_, _> = sizes.iter().filter_map(|(name, size)| Some((name.clone(), size.full?))).collect();
        let is_complete = !full.is_empty() && full.len() == sizes.len();
        is_complete.then(|| Self::from_template(self.template.clone(), &full, self.seed)).transpose()
    }

    /// Returns what the host writes into a buffer before the first launch. Each buffer has its own random numbers.
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        let position = self.buffers.keys().position(|key| key == name)?;
        self.buffers[name].0.contents(self.seed.wrapping_add(position as u64 + 1))
    }
}

/// A launch of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseLaunch {
    /// The number of blocks along up to three axes.
    pub grid: Vec<u32>,
    /// The number of threads of a block along up to three axes.
    pub block: Vec<u32>,
    /// The dynamic shared memory per block, in bytes.
    #[serde(default)]
    pub shared: u32,
    /// The kernel, if it is not the card's.
    pub kernel: Option<String>,
    /// The arguments in the order of the parameters: names of buffers, and values such as `i32=5`.
    pub arguments: Vec<String>,
    /// The arrays in constant memory that the host fills before the launch, each with elements of a buffer:
    /// `atom_chunk = "atoms[0..16384]"`.
    #[serde(default)]
    pub constants: BTreeMap<String, Text<Part>>,
}

impl CaseLaunch {
    /// Returns the extents of the grid and of a block, and the dynamic shared memory per block, in bytes. A learner's launch line takes
    /// the place of the card's.
    #[must_use]
    pub fn shape(&self, line: Option<LaunchLine>) -> ([[u32; 3]; 2], u32) {
        // Missing extents are 1.
        let along = |extents: &[u32]| from_fn(|axis| extents.get(axis).copied().unwrap_or(1));
        match line {
            Some(line) => ([along(&[line.grid]), along(&[line.block])], line.shared),
            None => ([along(&self.grid), along(&self.block)], self.shared),
        }
    }
}

/// A value that is written as a string in a card.
#[derive(Clone, Debug)]
pub struct Text<T>(pub T);

impl<'de> Deserialize<'de> for Text<Buffer> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.parse() {
            Ok(Argument::Buffer(buffer)) => Ok(Self(buffer)),
            Ok(_) => Err(serde::de::Error::custom(format!("`{text}` is a value, not a buffer"))),
            Err(error) => Err(serde::de::Error::custom(error)),
        }
    }
}

/// A range of elements of a buffer: `atoms[0..16384]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name of the buffer.
    pub buffer: String,
    /// The elements.
    pub elements: Range<usize>,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = || {
            let (buffer, range) = text.strip_suffix(']')?.split_once('[')?;
            let (first, end) = range.split_once("..")?;
            Some(Self { buffer: buffer.to_owned(), elements: first.parse().ok()?..end.parse().ok()? })
        };
        part().ok_or_else(|| format!("`{text}` is not a part of a buffer, such as atoms[0..64]"))
    }
}

impl<'de> Deserialize<'de> for Text<Part> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map(Self).map_err(serde::de::Error::custom)
    }
}
