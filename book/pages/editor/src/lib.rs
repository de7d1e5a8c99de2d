//! Editing kernels in a page of the book: the back end of its compiler, the emulator's checks, and the judge of the exercises.
//!
//! Questions and answers are JSON, passed as `emulator-web` does; [`answer`] is the whole interface. A page loads this module
//! when a reader edits a kernel first. A FINDING is described at [`found::json`].
//!
//! | question | answer |
//! |---|---|
//! | one of `emulator-web` | its answer |
//! | `{"ask":"translate","ir":"…"}` | `{"ptx":"…"}`, or what is not supported |
//! | `{"ask":"check","scene":{…},"file":"…","text":"…"}` | counters, FINDINGs, the comparison with the reference |
//! | `{"ask":"judge","exercise":{…},"language":"cu","text":"…","ptx":"…"}` | the verdict, in the words of `cargo learn` |
//! | `{"ask":"scenes","exercise":{…},"language":"cu","text":"…","ptx":"…"}` | the launches of an answer to an exercise |
//! | `{"ask":"progress","read":"…"}` or `"write":{…}` | a learner's progress from or to `progress.toml` |
//! | `{"ask":"digest","text":"…"}` | the SHA-256 of a solved file in a progress |
//!
//! `unpack` decompresses the page's compiler while it is downloaded.

mod check;
mod comparison;
mod exercise;
pub mod found;
mod question;
pub mod unpack;

use ir_ptx::Refusal;
use judge::progress::Progress;
use question::{Exchanged, Question};
use serde::Deserialize;
use serde_json::{Value, json};

#[cfg(target_family = "wasm")]
emulator_web::export_exchange!(answer);

/// The word of a question.
#[derive(Deserialize)]
struct Word {
    ask: String,
}

/// The words of the questions that this crate answers.
const WORDS: [&str; 6] = ["translate", "check", "judge", "scenes", "progress", "digest"];

/// Answers a question. The answer to an invalid question is `{"error": "…"}`.
#[must_use]
pub fn answer(question: &str) -> String {
    let is_ours = serde_json::from_str::<Word>(question).is_ok_and(|word| WORDS.contains(&word.ask.as_str()));
    if !is_ours {
        return emulator_web::answer(question);
    }
    let answered =
        serde_json::from_str(question).map_err(|error| error.to_string()).and_then(|question| reply(&question));
    answered.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn reply(question: &Question) -> Result<Value, String> {
    match question {
        Question::Translate { ir } => Ok(translate(ir)),
        Question::Check { scene, file, text } => check::check(scene, file, text),
        Question::Judge(kernel) => exercise::judge(kernel),
        Question::Scenes(kernel) => exercise::scenes(kernel),
        Question::Progress(progress) => exchange_progress(progress),
        Question::Digest { text } => Ok(json!({ "sha256": judge::set::sha256(text) })),
    }
}

/// Translates IR to PTX, or returns what is not supported.
fn translate(ir: &str) -> Value {
    match ir_ptx::translate(ir) {
        Ok(ptx) => json!({ "ptx": ptx }),
        Err(refusals) => {
            let refused: Vec<Value> = refusals.0.iter().map(describe_refusal).collect();
            json!({ "refused": refused, "text": refusals.to_string() })
        }
    }
}

fn describe_refusal(refusal: &Refusal) -> Value {
    let (file, line) = refusal.source.as_ref().map(|(file, line)| (file, line)).unzip();
    json!({ "file": file, "line": line, "ir_line": refusal.line, "construct": refusal.construct })
}

/// Reads or writes a progress.
fn exchange_progress(exchanged: &Exchanged) -> Result<Value, String> {
    match exchanged {
        Exchanged::Read(text) => Progress::parse(text.as_bytes()).map(|progress| json!(progress)),
        Exchanged::Write(progress) => {
            let text = progress.text()?;
            // What this page writes, the command line must read.
            Progress::parse(text.as_bytes())?;
            Ok(json!({ "toml": text }))
        }
    }
}
