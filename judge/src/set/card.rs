//! The format of `card.toml`, which describes an exercise.

use crate::kernel_file::{Argument, Buffer, Language};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

/// The description of an exercise.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The title, a few words.
    pub title: String,
    /// The folder of the stage whose chapter the exercise belongs to.
    pub stage: String,
    /// The state of the skeleton.
    pub kind: Kind,
    /// The name of the kernel.
    pub kernel: String,
    /// The task, for a reader of the chapter.
    pub task: String,
    /// Three hints: where to look, what is wrong, how to solve it.
    pub hints: [String; 3],
    /// Questions for the page of the exercise, each with a hidden answer.
    #[serde(default, rename = "question")]
    pub questions: Vec<Question>,
    /// Whether the learner's file contains the launch, in a line `// launch <<<grid, block, shared>>>`.
    #[serde(default)]
    pub launch_line: bool,
    /// The check that the skeleton must fail.
    pub skeleton: Expectation,
    /// The inputs and launches that a kernel is judged by. Limits and scores apply to the first case.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
    /// Limits on counts.
    #[serde(default, rename = "limit")]
    pub limits: Vec<Limit>,
    /// The count that earns medals, if any.
    pub score: Option<Score>,
}

/// The state of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Lines of code are missing.
    Incomplete,
    /// It is correct, and does more work than necessary.
    Slow,
    /// It has a bug.
    Wrong,
}

impl Kind {
    /// Returns the kind as one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::Slow => "slow",
            Self::Wrong => "wrong",
        }
    }
}

/// A question to predict the answer of. In the answer, `{skeleton: COUNT}` and `{solution: COUNT per COUNT}` stand for the
/// emulator's counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question.
    pub ask: String,
    /// The answer.
    pub answer: String,
}

/// The expected failure in each language: `CHECK: beginning of its text`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    cuda: String,
    rust: String,
}

impl Expectation {
    /// Returns the expected failure in a language.
    #[must_use]
    pub fn of(&self, language: Language) -> &str {
        match language {
            Language::Cuda => &self.cuda,
            Language::Rust => &self.rust,
        }
    }
}

/// One run of a kernel: buffers, a sequence of launches, and the buffers that hold the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The size of the problem and of the launch: `1,000 bodies in blocks of 128`.
    pub name: String,
    /// The buffers by name, in the notation of `cargo x check`: `f32[1000]=random`.
    pub buffers: BTreeMap<String, Text<Buffer>>,
    /// The launches, in order.
    #[serde(rename = "launch")]
    pub launches: Vec<CaseLaunch>,
    /// The buffers that are compared with the solution's, each with a relative tolerance. 0 requires the same bits.
    pub results: BTreeMap<String, f64>,
}

impl Case {
    /// Returns what the host writes into a buffer before the first launch. Each buffer has its own random seed.
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        let seed = self.buffers.keys().position(|key| key == name)?;
        self.buffers[name].0.contents(seed as u64 + 1)
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

/// A limit on a count.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// A counter of the emulator, or `ptx WORD` for the number of PTX instructions that contain the word.
    pub count: String,
    /// The counter that the count is divided by.
    pub per: Option<String>,
    /// The largest value allowed.
    pub most: Option<f64>,
    /// The smallest value allowed.
    pub least: Option<f64>,
    /// The reason for the limit, in a sentence.
    pub because: String,
}

/// A count that earns medals: the lower, the better.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// A counter of the emulator.
    pub count: String,
    /// The counter that the count is divided by.
    pub per: Option<String>,
    /// The largest values for bronze, silver and gold.
    pub medals: [f64; 3],
}

/// A medal of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Medal {
    /// The third prize.
    Bronze,
    /// The second prize.
    Silver,
    /// The first prize.
    Gold,
}

impl Score {
    /// Returns the medal for a value, if it earns one.
    #[must_use]
    pub fn medal(&self, value: f64) -> Option<Medal> {
        let [bronze, silver, gold] = self.medals;
        let medals = [(gold, Medal::Gold), (silver, Medal::Silver), (bronze, Medal::Bronze)];
        medals.into_iter().find(|(most, _)| value <= *most).map(|(_, medal)| medal)
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
            Ok(Argument::Value(_)) => Err(serde::de::Error::custom(format!("`{text}` is a value, not a buffer"))),
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
