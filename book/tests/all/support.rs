//! A copy of the book in a temporary folder, which a test can change and build.

use loading::workspace_root;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A copy of the book's texts and of the records.
pub struct Copy {
    folder: TempDir,
}

impl Copy {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        for part in ["text", "theme", "figures", "slides"] {
            copy(&book.join(part), &folder.path().join("book").join(part));
        }
        for file in entries(book).into_iter().map(|(_, path)| path).filter(|path| path.is_file()) {
            fs::copy(&file, folder.path().join("book").join(file.file_name().unwrap())).unwrap();
        }
        copy(&book.join("../results"), &folder.path().join("results"));
        // its folder of faults is a record too
        symlink(book.join("../emulator"), folder.path().join("emulator")).unwrap();
        Self { folder }
    }

    /// A copy with the rest of the repository. Texts and kernels are copied, and all other files are links.
    pub fn with_repository() -> Self {
        let repository = workspace_root().canonicalize().unwrap();
        let this = Self::new();
        let is_elsewhere = |name: &str| matches!(name, "book" | "emulator" | "results" | "target" | ".git");
        for (name, path) in entries(&repository).into_iter().filter(|(name, _)| !is_elsewhere(name)) {
            let here = this.file(&name);
            if name.starts_with("stage") {
                fs::create_dir(&here).unwrap();
                copy(&path.join("kernels"), &here.join("kernels"));
                link_entries(&path, &here);
            } else if path.is_file() {
                fs::copy(path, here).unwrap();
            } else {
                symlink(path, here).unwrap();
            }
        }
        link_entries(&repository.join("book"), &this.root());
        this
    }

    /// Returns the folder of `book.toml`.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("book")
    }

    /// Returns the path of a file in the copy: `results/nvidia-h200/stage01.json`.
    pub fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Replaces the links on the way to a file by copies, so that the file can be changed.
    pub fn own(&self, path: &str) {
        let mut here = self.folder.path().to_owned();
        for part in Path::new(path) {
            here.push(part);
            if here.is_symlink() {
                let there = fs::read_link(&here).unwrap();
                fs::remove_file(&here).unwrap();
                if there.is_dir() {
                    fs::create_dir(&here).unwrap();
                    link_entries(&there, &here);
                } else {
                    fs::copy(there, &here).unwrap();
                }
            }
        }
    }

    /// Adds a line to the end of a chapter and returns its number.
    pub fn add_line(&self, chapter: &str, line: &str) -> usize {
        let file = self.root().join("text").join(chapter);
        let text = fs::read_to_string(&file).unwrap() + "\n" + line + "\n";
        fs::write(&file, &text).unwrap();
        text.lines().count()
    }

    /// Replaces a line of a chapter, which must occur once.
    pub fn replace_line(&self, chapter: &str, line: &str, other: &str) {
        let file = self.root().join("text").join(chapter);
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().filter(|candidate| *candidate == line).count(), 1, "{line} in {chapter}");
        fs::write(&file, text.replace(&format!("\n{line}\n"), &format!("\n{other}\n"))).unwrap();
    }

    /// Replaces the first occurrence of words in a file of the copy, and never in the file that it is a link to.
    pub fn edit(&self, file: &str, words: &str, others: &str) {
        self.own(file);
        let text = fs::read_to_string(self.file(file)).unwrap();
        assert!(text.contains(words), "{words} in {file}");
        fs::write(self.file(file), text.replacen(words, others, 1)).unwrap();
    }

    /// Builds only one chapter, which is faster, and returns its page with plain spaces.
    pub fn page(&self, chapter: &str) -> String {
        let folder = self.build_of(chapter).unwrap();
        fs::read_to_string(folder.join(chapter).with_extension("html")).unwrap().replace('\u{a0}', " ")
    }

    /// Builds one chapter of the copy. Returns the folder of its page, or the error with its causes.
    pub fn build_of(&self, chapter: &str) -> Result<PathBuf, String> {
        let summary = self.root().join("text/SUMMARY.md");
        let whole = fs::read(&summary).unwrap();
        fs::write(&summary, format!("# Summary\n\n- [A chapter]({chapter})\n")).unwrap();
        let built = self.build();
        fs::write(&summary, whole).unwrap();
        built
    }

    /// Builds the copy. Returns the folder of its pages, or the error with its causes.
    pub fn build(&self) -> Result<PathBuf, String> {
        book::build::build(&self.root()).map_err(|error| format!("{error:#}"))
    }
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect()
}

/// Links the entries of a folder that do not exist yet.
fn link_entries(from: &Path, to: &Path) {
    for (name, path) in entries(from) {
        if !to.join(&name).exists() {
            symlink(path, to.join(name)).unwrap();
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Prints that the calling test is skipped, and what to install. The line goes around the capture of the test harness, so
/// that it is shown for a passing test.
pub fn skip(install: &str) {
    let test = std::thread::current();
    let _ = writeln!(std::io::stderr(), "skipped: {}: {install}", test.name().unwrap_or("a test"));
}
