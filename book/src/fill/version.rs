//! The versions of kernels, which records contain, and the remark on kernels without a record.

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

/// Returns the remark on missing records below a table or a plot; empty if every kernel is recorded.
pub fn gaps(kernels: &[&str]) -> String {
    if kernels.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = kernels.iter().map(|kernel| format!("<code>{kernel}</code>")).collect();
    names.dedup();
    format!("\n<p class=\"source older\">Not recorded yet: {}.</p>\n", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_names_each_kernel_once() {
        let remark = "\n<p class=\"source older\">Not recorded yet: <code>sum</code>, <code>scan</code>.</p>\n";
        assert_eq!(gaps(&["sum", "sum", "scan"]), remark);
        assert_eq!(gaps(&[]), "");
    }
}
