//! The messages of a child process to its parent, on standard output.

use judge::{OnGpu, Verdict};
use serde::{Deserialize, Serialize};

/// The line that a child process writes after it has compiled the kernel.
pub const COMPILED: &str = "compiled\n";

/// The last message of a child process, as JSON.
#[derive(Serialize, Deserialize)]
pub enum Answer {
    /// The kernel was judged.
    Verdict {
        /// The verdict.
        verdict: Box<Verdict>,
        /// The judged kernel, a [`Compiled`] as JSON, for a second process that times it.
        submission: String,
    },
    /// The kernel was timed, or there is no GPU.
    Gpu(Option<OnGpu>),
    /// The kernel could not be judged or timed.
    Error(String),
}

/// The standard input of a child process that judges: the solution by the compiler of the answers.
#[derive(Default, Serialize, Deserialize)]
pub struct Reference {
    /// The solution's PTX; `None` if it is the set's, prebuilt or compiled.
    pub ptx: Option<String>,
    /// Whether another compiler made the set's.
    pub differs_in_compiler: bool,
}

/// A kernel's text and the PTX made from it.
#[derive(Default, Serialize, Deserialize)]
pub struct Compiled {
    /// The text.
    pub text: String,
    /// The PTX.
    pub ptx: String,
}
