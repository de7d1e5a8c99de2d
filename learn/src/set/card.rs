//! What a card says: `card.toml` in the folder of an exercise.

use kernel_file::{Argument, Buffer, Language};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// A card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// A few words.
    pub title: String,
    /// The folder of the stage whose chapter it belongs to.
    pub stage: String,
    /// What is the matter with the skeleton.
    pub kind: Kind,
    /// Name of the kernel.
    pub kernel: String,
    /// What to do, for someone who has read the chapter up to there.
    pub task: String,
    /// Where to look, what is so, how to do it.
    pub hints: [String; 3],
    /// What the page of the exercises asks before a reader opens the answer.
    #[serde(default, rename = "question")]
    pub questions: Vec<Question>,
    /// Whether the learner's file says grid, block and shared memory, in a line `// launch <<<grid, block, shared>>>`.
    #[serde(default)]
    pub launch_line: bool,
    /// What the checks must say of the skeleton.
    pub skeleton: Expectation,
    /// The inputs that a kernel is run with. Limits and scores are counted in the first.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
    /// Counts that must be met.
    #[serde(default, rename = "limit")]
    pub limits: Vec<Limit>,
    /// The count that earns a medal.
    pub score: Option<Score>,
}

/// What is the matter with a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Lines are missing.
    Incomplete,
    /// It is right, and does more than it needs to.
    Slow,
    /// It has a mistake.
    Wrong,
}

impl Kind {
    /// As a list shows it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::Slow => "slow",
            Self::Wrong => "wrong",
        }
    }
}

/// Something to predict. In the answer, `{skeleton: COUNT}` and `{solution: COUNT per COUNT}` are what the emulator counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question.
    pub ask: String,
    /// What a reader compares with.
    pub answer: String,
}

/// What the checks must say in each language: `CHECK: words of its text`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    cuda: String,
    rust: String,
}

impl Expectation {
    /// That of a language.
    #[must_use]
    pub fn of(&self, language: Language) -> &str {
        match language {
            Language::Cuda => &self.cuda,
            Language::Rust => &self.rust,
        }
    }
}

/// One run: device memory, launches one after the other, and which of the memory is the result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What is special about it: `1,000 bodies in blocks of 128`.
    pub name: String,
    /// Buffers by name, in the notation of `cargo x check`: `f32[1000]=random`.
    pub buffers: BTreeMap<String, Text<Buffer>>,
    /// The launches.
    #[serde(rename = "launch")]
    pub launches: Vec<CaseLaunch>,
    /// Buffers that are compared with the solution's, and the relative tolerance; 0 is bit for bit.
    pub results: BTreeMap<String, f64>,
}

impl Case {
    /// What the host writes into a buffer before the first launch. Random contents are others for each buffer.
    #[must_use]
    pub fn contents(&self, name: &str) -> Option<Vec<u8>> {
        let seed = self.buffers.keys().position(|key| key == name)?;
        self.buffers[name].0.contents(seed as u64 + 1)
    }
}

/// A launch.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseLaunch {
    /// Blocks along up to three axes.
    pub grid: Vec<u32>,
    /// Threads of a block likewise.
    pub block: Vec<u32>,
    /// Dynamic shared memory of a block in bytes.
    #[serde(default)]
    pub shared: u32,
    /// The kernel, where it is not the card's.
    pub kernel: Option<String>,
    /// Names of buffers, and values such as `i32=5`, in the order of the parameters.
    pub arguments: Vec<String>,
    /// Arrays in constant memory that the host fills before: `atom_chunk = "atoms[0..16384]"`, elements of a buffer.
    #[serde(default)]
    pub constants: BTreeMap<String, Text<Part>>,
}

/// A count that must be met.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// A counter of the emulator, or `ptx WORD`: instructions in the PTX with that word.
    pub count: String,
    /// It is divided by this one.
    pub per: Option<String>,
    /// The largest value that passes.
    pub most: Option<f64>,
    /// The least one.
    pub least: Option<f64>,
    /// What the count means here, in a sentence.
    pub because: String,
}

/// A count that earns a medal: the fewer, the better.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// A counter.
    pub count: String,
    /// It is divided by this one.
    pub per: Option<String>,
    /// The most for bronze, silver and gold.
    pub medals: [f64; 3],
}

/// A medal of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Medal {
    /// The first.
    Bronze,
    /// The second.
    Silver,
    /// The best.
    Gold,
}

impl Score {
    /// The medal for a value, if it earns one.
    #[must_use]
    pub fn medal(&self, value: f64) -> Option<Medal> {
        let [bronze, silver, gold] = self.medals;
        let medals = [(gold, Medal::Gold), (silver, Medal::Silver), (bronze, Medal::Bronze)];
        medals.into_iter().find(|(most, _)| value <= *most).map(|(_, medal)| medal)
    }
}

/// Something that is written as text in a card.
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

/// Elements of a buffer: `atoms[0..16384]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The buffer's name.
    pub buffer: String,
    /// The elements.
    pub elements: Range<usize>,
}

impl<'de> Deserialize<'de> for Text<Part> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let refused = || serde::de::Error::custom(format!("`{text}` is not a part of a buffer, such as atoms[0..64]"));
        part(&text).map(Self).ok_or_else(refused)
    }
}

fn part(text: &str) -> Option<Part> {
    let (buffer, range) = text.strip_suffix(']')?.split_once('[')?;
    let (first, end) = range.split_once("..")?;
    Some(Part { buffer: buffer.to_owned(), elements: first.parse().ok()?..end.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_half_open_ranges_of_elements() {
        assert_eq!(part("atoms[4..8]"), Some(Part { buffer: "atoms".into(), elements: 4..8 }));
        assert!(["atoms", "atoms[4]", "atoms[a..b]", "atoms[1..2"].into_iter().all(|text| part(text).is_none()));
    }

    #[test]
    fn medals_are_for_few() {
        let score = Score { count: "branches".into(), per: None, medals: [30.0, 20.0, 10.0] };
        assert_eq!(score.medal(31.0), None);
        assert_eq!(
            [30.0, 20.0, 10.0].map(|value| score.medal(value)),
            [Medal::Bronze, Medal::Silver, Medal::Gold].map(Some)
        );
    }
}
