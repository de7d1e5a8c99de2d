//! The format of `card.toml`, which describes an exercise.

use super::case::Case;
use crate::kernel_file::Language;
use serde::Deserialize;

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
    /// One to five hints; in the course three: where to look, what is wrong, how to solve it.
    pub hints: Vec<String>,
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
    /// The bounds above which a kernel that passes is called wasteful.
    #[serde(default)]
    pub wasteful: Wasteful,
}

/// Bounds on the work of a kernel, as multiples of the solution's in the first case.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wasteful {
    /// The bound on warp instructions. Compilers differ by less than a factor of 2 on the same kernel, and one thread that does
    /// the work of all needs over 10 times as many.
    pub warp_instructions: f64,
    /// The bound on sectors of global and local memory.
    pub sectors: f64,
}

impl Default for Wasteful {
    fn default() -> Self {
        Self { warp_instructions: 4.0, sectors: 2.0 }
    }
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

/// The expected failure in each language of the set: `CHECK: beginning of its text`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    cuda: Option<String>,
    rust: Option<String>,
}

impl Expectation {
    /// Returns the expected failure in a language, if the card has it.
    #[must_use]
    pub fn get(&self, language: Language) -> Option<&str> {
        match language {
            Language::Cuda => self.cuda.as_deref(),
            Language::Rust => self.rust.as_deref(),
        }
    }
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
