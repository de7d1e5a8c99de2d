//! The list of phrases that plain English has other words for: wherever people read, a phrase of it is found.

use crate::content::{add_line, findings};
use std::fs;

/// Files, lines to put at their ends, and what is found there.
const ODD: [(&str, &str, &str); 8] = [
    ("README.md", "It reads what\nnobody wrote.", "nobody wrote"),
    ("book/text/sources.md", "The faulty one has four sectors *a request*.", "sectors a request"),
    ("emulator/INSTRUCTIONS.md", "## Other behaviour", "behaviour"),
    ("emulator-driver/README.md", "It stands in `code`, and it stands\nin a row.", "stands in"),
    ("xtask/src/main.rs", "// a line of code, one\n// a line", "one a line"),
    ("emulator/src/lib.rs", "fn colours() { println!(\"with many \\\n    colours\"); }", "colours"),
    ("emulator/tests/faults/kernels/tail_off_by_one.cu", "// once more: 4 requests a warp", "requests a warp"),
    ("book/theme/player.js", "/* a comment that bears it */", "bears"),
];

/// The same for what is let be.
const PLAIN: [(&str, &str); 3] = [
    ("CONTRIBUTING.md", "The word `behaviour` in code, and what stands for another thing."),
    ("emulator/src/warp.rs", "fn neighbours(colour: &str) {} // a launch, once a block ends"),
    ("emulator/src/scene.rs", "// it stands\nfn f() {}\n// in a row"),
];

#[test]
fn a_phrase_is_found_in_each_kind_of_text_and_at_its_line() {
    let found = findings(|copy| {
        ODD.iter().for_each(|(file, line, _)| add_line(copy, file, line));
        PLAIN.iter().for_each(|(file, line)| add_line(copy, file, line));
    });
    for (file, line, phrase) in ODD {
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
        let lines = fs::read_to_string(format!("{repository}{file}")).unwrap().lines().count();
        // the last of them, but for a string's end and a phrase of two lines
        let place = |number: usize| format!("{file}:{number}: `{phrase}`: write ");
        let is_here = |finding: &&String| (lines + 1..lines + 4).any(|number| finding.starts_with(&place(number)));
        assert_eq!(found.iter().filter(is_here).count(), 1, "{file}, {line}: {found:#?}");
    }
    assert_eq!(found.len(), ODD.len(), "{found:#?}");
}
