//! A copy of the book in a folder of its own, to be changed and built.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The book's folder and the records beside it, copied.
pub struct Copy {
    folder: TempDir,
}

impl Copy {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        for part in ["text", "theme", "figures"] {
            copy(&book.join(part), &folder.path().join("book").join(part));
        }
        for file in ["book.toml", "emulator.wasm"] {
            fs::copy(book.join(file), folder.path().join("book").join(file)).unwrap();
        }
        copy(&book.join("../results"), &folder.path().join("results"));
        Self { folder }
    }

    /// The folder of `book.toml`.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("book")
    }

    /// A file of the copy, `results/nvidia-h200/stage01.json`.
    pub fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Puts a line at the end of a chapter and returns its number.
    pub fn add_line(&self, chapter: &str, line: &str) -> usize {
        let file = self.root().join("text").join(chapter);
        let text = fs::read_to_string(&file).unwrap() + "\n" + line + "\n";
        fs::write(&file, &text).unwrap();
        text.lines().count()
    }

    /// Puts another line in place of a chapter's only one of these words.
    pub fn replace_line(&self, chapter: &str, line: &str, other: &str) {
        let file = self.root().join("text").join(chapter);
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().filter(|candidate| *candidate == line).count(), 1, "{line} in {chapter}");
        fs::write(&file, text.replace(&format!("\n{line}\n"), &format!("\n{other}\n"))).unwrap();
    }

    /// Builds the copy; the folder of its pages, or the error with its causes.
    pub fn build(&self) -> Result<PathBuf, String> {
        book::build::build(&self.root()).map_err(|error| format!("{error:#}"))
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
