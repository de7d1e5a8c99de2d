//! The linker of PTX texts. Declarations refer to definitions by name, so concatenating the texts links them.

use super::handle::Object;
use super::lock;
use crate::result::{Outcome, require};
use std::sync::{Mutex, OnceLock};

/// The texts of a link.
#[derive(Default)]
pub struct Linker {
    texts: Mutex<Vec<String>>,
    /// The linked text with its terminating NUL, once the link is complete.
    linked: OnceLock<Vec<u8>>,
}

impl Object for Linker {
    const NOUN: &str = "linker";
}

impl Linker {
    /// Adds a text, with or without a terminating NUL. Fails once the link is complete.
    pub(crate) fn add(&self, text: String) -> Outcome {
        require(self.linked.get().is_none(), "the link is complete: nothing can be added")?;
        lock(&self.texts).push(text.trim_end_matches('\0').to_owned());
        Ok(())
    }

    /// Completes the link and returns the linked text with its terminating NUL. Fails if there is nothing to link.
    pub(crate) fn complete(&self) -> Outcome<&[u8]> {
        let texts = lock(&self.texts);
        require(!texts.is_empty(), "nothing was added to the linker")?;
        Ok(self.linked.get_or_init(|| [join(&texts).as_bytes(), b"\0"].concat()))
    }
}

/// The directives that a module contains once.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];

/// The directives that refer to files by a number, which differs from input to input.
const LINE_INFORMATION: [&str; 2] = [".file", ".loc"];

/// Concatenates texts under the newest version and target among them. Keeps line information only of a single text.
fn join(texts: &[String]) -> String {
    let [first, rest @ ..] = texts else { return String::new() };
    if rest.is_empty() {
        return first.clone();
    }
    let starts = |line: &str, with: &[&str]| line.split_whitespace().next().is_some_and(|word| with.contains(&word));
    let newest = |directive: &str| {
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| starts(line, &[directive]));
        lines.max_by_key(|line| number(line)).unwrap_or_default()
    };
    let mut linked: Vec<&str> = HEADER.iter().map(|directive| newest(directive)).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    linked.extend(lines.filter(|line| !starts(line, &HEADER) && !starts(line, &LINE_INFORMATION)));
    linked.join("\n")
}

/// Returns the digits of a version or architecture as a number: 81 for `8.1`, 100 for `sm_100`.
fn number(line: &str) -> Option<u32> {
    let value = line.split_whitespace().nth(1)?.trim_start_matches(|mark: char| !mark.is_ascii_digit());
    let digits = value.split(|mark: char| !mark.is_ascii_digit() && mark != '.').next()?;
    digits.replace('.', "").parse().ok()
}
