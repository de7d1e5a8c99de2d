//! Findings on standard error, for programs that do not take them.

use super::lock;
use emulator::{Diagnosis, Place};
use std::collections::HashSet;
use std::io::Write;
use std::sync::Mutex;

/// The most findings that are printed. A program with more has to mend those first.
const MOST: usize = 100;

/// The keys of the findings that have been printed.
static PRINTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// A program may have closed standard error.
fn write(text: &str) {
    let _closed = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints that the checks are on, so that a program without findings is not taken for one that was not checked.
pub(super) fn begin() {
    write("coalesced: checks are on: races, uninitialized reads, barriers, the order of streams\n");
}

/// Returns the key by which repeated findings are recognized: the same mistake of the same instructions is printed once. Numbers
/// differ from launch to launch.
fn key(finding: &Diagnosis) -> String {
    let title: String =
        finding.title.lines().next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).collect();
    let places: Vec<_> = finding.sides.iter().map(|side| (side.place.line, &side.place.instruction)).collect();
    format!("{:?} {title} {places:?}", finding.tool)
}

fn side(verb: &str, place: &Place) -> String {
    let place = place.to_string().replace('\n', "\n  ");
    format!("  {verb}{}{place}\n", if verb.is_empty() { "" } else { " " })
}

/// Prints a finding, unless the same has been printed.
pub(super) fn print(finding: &Diagnosis) {
    let printed = &mut *lock(&PRINTED);
    let printed = printed.get_or_insert_default();
    if printed.len() > MOST || !printed.insert(key(finding)) {
        return;
    }
    if printed.len() > MOST {
        return write("coalesced: more findings are not printed\n");
    }
    let tool = finding.tool.map_or_else(|| "fault".to_owned(), |tool| tool.to_string());
    let sides: String = finding.sides.iter().map(|each| side(&each.verb, &each.place)).collect();
    write(&format!("coalesced: {tool}: {}\n{sides}", finding.title));
}
