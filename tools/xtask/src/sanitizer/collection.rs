//! The collection of faulty kernels in `emulator/machine/tests/faults`, read from its files.

use std::path::Path;

/// A file: a kernel `faulty` and its twin `fixed`.
pub struct Case {
    /// The file's name without its extension.
    pub name: String,
    text: String,
}

/// Returns all files of the collection in `folder`, sorted by name.
///
/// # Panics
/// Panics if the folder or a file cannot be read.
pub fn all(folder: &Path) -> Vec<Case> {
    let kernels = folder.join("kernels");
    let entries = std::fs::read_dir(&kernels).unwrap_or_else(|error| panic!("{}: {error}", kernels.display()));
    let mut cases: Vec<Case> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| Case {
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            text: std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

impl Case {
    /// Returns the line of the card that begins with `label`, without the label.
    pub fn card(&self, label: &str) -> Option<&str> {
        let mut lines = self.text.lines().take_while(|line| line.starts_with("//"));
        lines.find_map(|line| Some(line.strip_prefix("// ")?.strip_prefix(label)?.strip_prefix("  ")?.trim()))
    }

    /// Returns the arguments of `cargo learn check` for `faulty` or `fixed`, relative to the collection's folder.
    ///
    /// # Panics
    /// Panics if the card has no launch.
    pub fn arguments(&self, kernel: &str) -> Vec<String> {
        let own = self.card(&format!("{kernel} launch"));
        let launch = own.or_else(|| self.card("launch")).unwrap_or_else(|| panic!("{}: no launch", self.name));
        let words = [format!("ptx/{}.ptx", self.name), "--kernel".into(), kernel.into()];
        words.into_iter().chain(launch.split_whitespace().map(str::to_owned)).collect()
    }

    /// Returns the file's explanation for a report of compute-sanitizer that differs from `cargo learn check`'s, if it has one.
    #[allow(dead_code, reason = "only the tests compare the reports")]
    pub fn sanitizer_note(&self) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix("// compute-sanitizer: "))
    }

    /// Returns the expected report of `cargo learn check` on `faulty`, which is the comment at the end of the file.
    #[allow(dead_code, reason = "only the tests compare the reports")]
    pub fn diagnosis(&self) -> String {
        let (_, said) = self.text.split_once("\n// cargo x check:\n").unwrap_or_default();
        said.lines().map(|line| line.strip_prefix("//   ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }
}
