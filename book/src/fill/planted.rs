//! `{{planted}}`: mistakes planted in other people's kernels, and how many of them are reported.

use super::records::read;
use anyhow::Result;
use serde::Deserialize;
use std::path::Path;

/// The kinds of mistakes in the record, and their names in the table.
const KINDS: [(&str, &str); 5] = [
    ("barrier", "a barrier removed"),
    ("fence", "a fence or a `__syncwarp` removed"),
    ("bound", "a bound removed, or off by one"),
    ("mask", "a wrong mask of lanes"),
    ("initialization", "an initialization removed"),
];

/// The contents of `planted.json`.
#[derive(Deserialize)]
struct Recorded {
    #[serde(rename = "compute-sanitizer")]
    release: String,
    device: String,
    originals_reported: usize,
    mistakes: Vec<Mistake>,
}

/// The tools that report a mistake, on each side.
#[derive(Deserialize)]
struct Mistake {
    kind: String,
    check: Vec<String>,
    #[serde(rename = "compute-sanitizer")]
    sanitizer: Vec<String>,
}

/// Returns a table with a row for each kind of mistake, and the totals below it.
///
/// # Errors
/// Returns an error if the record cannot be read.
pub fn table(repository: &Path) -> Result<String> {
    let recorded: Recorded = read(&repository.join("emulator/machine/tests/faults/planted.json"))?;
    let mut table =
        "| planted | mistakes | reported by `cargo learn check` | reported by compute-sanitizer |\n|---|--:|--:|--:|\n"
            .to_owned();
    for (kind, name) in KINDS {
        let [all, ours, theirs] = count(recorded.mistakes.iter().filter(|mistake| mistake.kind == kind));
        table += &format!("| {name} | {all} | {ours} | {theirs} |\n");
    }
    let [all, ours, theirs] = count(recorded.mistakes.iter());
    table += &format!(
        "\n<p class=\"source\">Reported, of {all}: {ours} by cargo learn check, {theirs} by compute-sanitizer {} on an {}. Of the same launches \
         without the mistakes: {}, on either side.</p>\n",
        recorded.release, recorded.device, recorded.originals_reported
    );
    Ok(table)
}

/// Counts mistakes, and those that each side reports.
fn count<'a>(mistakes: impl Iterator<Item = &'a Mistake>) -> [usize; 3] {
    mistakes.fold([0; 3], |[all, ours, theirs], mistake| {
        [all + 1, ours + usize::from(!mistake.check.is_empty()), theirs + usize::from(!mistake.sanitizer.is_empty())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loading::workspace_root;

    #[test]
    fn the_rows_add_up_to_all_mistakes() {
        let repository = workspace_root();
        let table = table(&repository).expect("the record");
        let cells = table.lines().filter_map(|line| line.split(" | ").nth(1)?.parse::<usize>().ok());
        let all: usize = cells.sum();
        assert!(all > 0 && table.contains(&format!("Reported, of {all}: ")), "{table}");
    }
}
