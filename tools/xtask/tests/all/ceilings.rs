//! The size of each crate's `src`, which has a ceiling. Raise one by hand, in the commit that needs it, with the reason there.

use crate::floors::crates;
use std::collections::BTreeMap;
use workspace_root::workspace_root;

/// The largest number of lines in the files of each crate's `src`.
const MAX_LINES: &[(&str, usize)] = &[];

/// Returns the number of lines in the sources of a crate.
fn lines(krate: &str) -> usize {
    crate::floors::house(krate).values().map(|text| text.lines().count()).sum()
}

#[test]
fn no_crate_grows_beyond_its_ceiling() {
    let ceilings: BTreeMap<&str, usize> = MAX_LINES.iter().copied().collect();
    let crates = crates();
    let mut complaints = Vec::new();
    for krate in &crates {
        match (lines(krate), ceilings.get(krate.as_str())) {
            (lines, Some(ceiling)) if lines > *ceiling => {
                complaints.push(format!("{krate} has {lines} lines, of at most {ceiling}"));
            }
            (_, Some(_)) => {}
            (lines, None) => complaints.push(format!("{krate} has {lines} lines and no ceiling")),
        }
    }
    let gone = ceilings.keys().filter(|krate| !workspace_root().join(krate).join("src").is_dir());
    complaints.extend(gone.map(|krate| format!("{krate} has a ceiling, and there is no such crate")));
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
