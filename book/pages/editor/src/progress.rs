//! A learner's progress, between a page and the file that `cargo learn` reads.

use crate::question::Exchanged;
use judge::progress::Progress;
use serde_json::{Value, json};

/// Reads or writes a progress.
pub fn answer(exchanged: &Exchanged) -> Result<Value, String> {
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
