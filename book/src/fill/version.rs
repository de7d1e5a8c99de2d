//! What is said of recorded times whose kernels have changed since: a record has the hash of the kernel that ran.

use super::kernels::STAGES;
use common::stage::Rung;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The version of each kernel of the course, worked out once: the PTX is long.
static VERSIONS: LazyLock<BTreeMap<(&str, bool), String>> = LazyLock::new(|| {
    let rows = STAGES.into_iter().flat_map(|stage| stage.rungs);
    let both = rows.flat_map(|rung| [false, true].map(|in_rust| (rung, in_rust)));
    both.map(|(rung, in_rust)| ((rung.kernel, in_rust), rung.version(in_rust))).collect()
});

/// The version of a rung's kernel, or of its twin in Rust, that the repository holds now.
pub fn now(rung: &Rung, in_rust: bool) -> Option<&'static str> {
    VERSIONS.get(&(rung.kernel, in_rust)).map(String::as_str)
}

/// The words by which the book marks a number of another version of the kernel than the one shown.
pub const MARK: &str = "of an older version";

/// After a number in a sentence; nothing where its kernel has not changed.
pub fn inline(kernels: &[&str]) -> String {
    if kernels.is_empty() { String::new() } else { format!(" ({MARK})") }
}

/// Below a table or a plot; nothing where no kernel has changed.
pub fn below(kernels: &[&str]) -> String {
    remark(&format!("Numbers {MARK} of the kernel, which has changed since the run"), kernels)
}

/// Below a table or a plot; nothing where every kernel is recorded.
pub fn gaps(kernels: &[&str]) -> String {
    remark("Not recorded yet", kernels)
}

fn remark(words: &str, kernels: &[&str]) -> String {
    if kernels.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = kernels.iter().map(|kernel| format!("<code>{kernel}</code>")).collect();
    names.dedup();
    format!("\n<p class=\"source older\">{words}: {}.</p>\n", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remarks_bear_the_mark_and_name_the_kernels() {
        assert_eq!((inline(&[]), below(&[])), (String::new(), String::new()));
        assert_eq!(inline(&["sum"]), " (of an older version)");
        let remark = below(&["sum", "sum", "scan"]);
        assert!(remark.contains(MARK) && remark.contains("<code>sum</code>, <code>scan</code>"), "{remark}");
        assert_eq!(gaps(&["sum"]), "\n<p class=\"source older\">Not recorded yet: <code>sum</code>.</p>\n");
        assert_eq!(gaps(&[]), "");
    }
}
