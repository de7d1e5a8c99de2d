//! The collection of faulty kernels, `emulator/tests/faults`, as its files describe themselves.

use std::path::Path;

/// A file: a kernel `faulty` and its twin `fixed`.
pub struct Case {
    /// The file's name, without its end.
    pub name: String,
    text: String,
}

/// All files, by name.
///
/// # Panics
/// A folder or file that cannot be read.
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
    /// The line of the card that begins with `label`.
    pub fn card(&self, label: &str) -> Option<&str> {
        let mut lines = self.text.lines().take_while(|line| line.starts_with("//"));
        lines.find_map(|line| Some(line.strip_prefix("// ")?.strip_prefix(label)?.strip_prefix("  ")?.trim()))
    }

    /// What follows `cargo x check` for `faulty` or `fixed`, from the collection's folder.
    ///
    /// # Panics
    /// A card without a launch.
    pub fn arguments(&self, kernel: &str) -> Vec<String> {
        let own = self.card(&format!("{kernel} launch"));
        let launch = own.or_else(|| self.card("launch")).unwrap_or_else(|| panic!("{}: no launch", self.name));
        let words = [format!("ptx/{}.ptx", self.name), "--kernel".into(), kernel.into()];
        words.into_iter().chain(launch.split_whitespace().map(str::to_owned)).collect()
    }

    /// Why compute-sanitizer says something else than `cargo x check`, where it does.
    #[allow(dead_code, reason = "not every program asks")]
    pub fn sanitizer_note(&self) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix("// compute-sanitizer: "))
    }

    /// What `cargo x check` says of `faulty`: the comment at the end of the file.
    #[allow(dead_code, reason = "not every program compares it")]
    pub fn diagnosis(&self) -> String {
        let (_, said) = self.text.split_once("\n// cargo x check:\n").unwrap_or_default();
        said.lines().map(|line| line.strip_prefix("//   ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }
}
