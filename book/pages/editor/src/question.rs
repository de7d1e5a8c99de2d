//! The questions of a page.

use crate::comparison::Output;
use emulator::Scene;
use judge::progress::Progress;
use serde::Deserialize;

/// A question. Its fields are the fields of the JSON object.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Question {
    /// The PTX for LLVM's intermediate representation.
    Translate {
        /// The text that clang wrote.
        ir: String,
    },
    /// A launch under all checks.
    Check {
        /// The launch, with the PTX to check.
        scene: Box<Compared>,
        /// The name of the kernel's file, as the compiler was given it.
        file: String,
        /// The text of the file.
        text: String,
    },
    /// The verdict on an answer to an exercise.
    Judge(Box<Kernel>),
    /// The launches of an answer to an exercise.
    Scenes(Box<Kernel>),
    /// A learner's progress.
    Progress(Box<Exchanged>),
    /// The digest of a solved file.
    Digest {
        /// The text of the file.
        text: String,
    },
}

/// A launch, with the reference of its results if it has one.
#[derive(Deserialize)]
pub struct Compared {
    /// The launch.
    #[serde(flatten)]
    pub scene: Scene,
    /// The compared values.
    #[serde(default)]
    pub comparison: Vec<Output>,
}

/// A learner's kernel, and the exercise that it answers.
#[derive(Deserialize)]
pub struct Kernel {
    /// The exercise.
    pub exercise: Texts,
    /// The extension of the learner's file: `cu` or `rs`.
    pub language: String,
    /// The text of the learner's file.
    pub text: String,
    /// Its PTX, if it compiles.
    pub ptx: Option<String>,
    /// The compiler's messages: its errors, if there is no PTX, or its warnings.
    #[serde(default)]
    pub log: String,
}

/// The texts of an exercise.
#[derive(Deserialize)]
pub struct Texts {
    /// The name: `12_guard`.
    pub name: String,
    /// The text of `card.toml`.
    pub card: String,
    /// The solution.
    pub solution: Solution,
    /// The text that the learner began with, or the skeleton in it.
    pub skeleton: String,
}

/// The solution of an exercise in the language of the learner's file.
#[derive(Deserialize)]
pub struct Solution {
    /// The text.
    pub text: String,
    /// The PTX.
    pub ptx: String,
    /// Whether another compiler made it than the one that made the learner's.
    #[serde(default)]
    pub differs_in_compiler: bool,
}

/// A progress to read or to write.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exchanged {
    /// The contents of a `progress.toml`.
    Read(String),
    /// The progress that a page keeps.
    Write(Progress),
}
