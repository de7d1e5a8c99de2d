//! The marks for records whose kernels have changed since. A record contains the hash of its kernel.

use super::kernels::STAGES;
use common::stage::Rung;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The versions of all kernels, computed once because the PTX is long.
static VERSIONS: LazyLock<BTreeMap<(&str, bool), String>> = LazyLock::new(|| {
    let rows = STAGES.into_iter().flat_map(|stage| stage.rungs);
    let both = rows.flat_map(|rung| [false, true].map(|in_rust| (rung, in_rust)));
    both.map(|(rung, in_rust)| ((rung.kernel, in_rust), rung.version(in_rust))).collect()
});

/// Returns the version of a rung's kernel, or of its Rust version, in the repository.
pub fn now(rung: &Rung, in_rust: bool) -> Option<&'static str> {
    VERSIONS.get(&(rung.kernel, in_rust)).map(String::as_str)
}

/// The words that mark a number of an older version of a kernel.
pub const MARK: &str = "of an older version";

/// Returns the mark after a number in a sentence; empty if its kernel has not changed.
pub fn inline(kernels: &[&str]) -> String {
    if kernels.is_empty() { String::new() } else { format!(" ({MARK})") }
}

/// Returns the mark below a table or a plot; empty if no kernel has changed.
pub fn below(kernels: &[&str]) -> String {
    remark(&format!("Numbers {MARK} of the kernel, which has changed since the run"), kernels)
}

/// Returns the remark on missing records below a table or a plot; empty if every kernel is recorded.
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
