//! Linking PTX texts: declarations find their definitions by name, so that joining the texts is enough.

use super::handle::Object;
use super::lock;
use crate::result::{CUresult, Outcome};
use std::sync::{Mutex, OnceLock};

/// Texts that are being linked.
#[derive(Default)]
pub struct Linker {
    texts: Mutex<Vec<String>>,
    /// The linked text with its closing NUL, once it is asked for.
    linked: OnceLock<Vec<u8>>,
}

impl Object for Linker {
    const NOUN: &str = "linker";
}

impl Linker {
    /// Adds a text, which may end with NUL; fails after the link is complete.
    pub(crate) fn add(&self, text: String) -> Outcome {
        if self.linked.get().is_some() {
            return Err(CUresult::INVALID_VALUE.because("the link is complete: nothing can be added"));
        }
        lock(&self.texts).push(text.trim_end_matches('\0').to_owned());
        Ok(())
    }

    /// Returns the linked text with its closing NUL; fails if there is nothing to link.
    pub(crate) fn complete(&self) -> Outcome<&[u8]> {
        let texts = lock(&self.texts);
        if texts.is_empty() {
            return Err(CUresult::INVALID_VALUE.because("nothing was added to the linker"));
        }
        Ok(self.linked.get_or_init(|| [join(&texts).as_bytes(), b"\0"].concat()))
    }
}

/// What a line of PTX begins with that stands once in a module.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];

/// What numbers its files by input, and would mix them up.
const LINE_INFORMATION: [&str; 2] = [".file", ".loc"];

/// Joins texts to one: with the newest version and target of all, and line information only if there is one text.
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

/// Returns the digits of a version or architecture as a number: 8.1 is 81, `sm_100` is 100.
fn number(line: &str) -> Option<u32> {
    let value = line.split_whitespace().nth(1)?.trim_start_matches(|mark: char| !mark.is_ascii_digit());
    let digits = value.split(|mark: char| !mark.is_ascii_digit() && mark != '.').next()?;
    digits.replace('.', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = ".version 8.1\n.target sm_75\n.address_size 64\n.file 1 \"a\"\n.extern .func f;";
    const SECOND: &str = "// c\n.version 9.0\n.target sm_100, debug\n.address_size 64\n.visible .func f\n{\n .loc 1 2 3\n.local .b8 l;\n}\0";

    #[test]
    fn one_text_stays_as_it_is() {
        let linker = Linker::default();
        linker.add(FIRST.to_owned()).unwrap();
        assert_eq!(linker.complete().unwrap(), [FIRST.as_bytes(), b"\0"].concat());
    }

    #[test]
    fn texts_are_joined_under_the_newest_header() {
        let linker = Linker::default();
        linker.add(FIRST.to_owned()).unwrap();
        linker.add(SECOND.to_owned()).unwrap();
        let expected = ".version 9.0\n.target sm_100, debug\n.address_size 64\n.extern .func f;\n// c\n.visible .func f\n{\n.local .b8 l;\n}\0";
        assert_eq!(String::from_utf8_lossy(linker.complete().unwrap()), expected);
    }

    #[test]
    fn nothing_to_link_and_a_late_text_are_errors() {
        let linker = Linker::default();
        assert!(linker.complete().is_err());
        linker.add(FIRST.to_owned()).unwrap();
        linker.complete().unwrap();
        assert_eq!(linker.add(FIRST.to_owned()).unwrap_err().code, CUresult::INVALID_VALUE);
    }
}
