//! Diagnoses as text: the threads, the source lines and the instructions involved.

use emulator::{Diagnosis, Place, Side};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The source files that a PTX file's line table names, read when they are first quoted.
#[derive(Debug)]
pub struct Sources {
    /// The folders in which a relative name is looked up, in order.
    folders: Vec<PathBuf>,
    files: HashMap<String, Option<String>>,
}

impl Sources {
    /// Returns the sources of the PTX or kernel file `file`.
    ///
    /// Relative names are looked up in the current folder, in the folder above that of `file` (where the repository keeps
    /// the sources of its PTX), and in the folder of `file`.
    #[must_use]
    pub fn new(file: &Path) -> Self {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        Self { folders: vec![PathBuf::new(), folder.join(".."), folder], files: HashMap::new() }
    }

    /// Adds a file with its text, which is then not read.
    #[must_use]
    pub fn with(mut self, file: &Path, text: &str) -> Self {
        self.files.insert(shown(&file.display().to_string()), Some(text.to_owned()));
        self
    }

    /// Returns a line of a file, counted from 1, without spaces around it; `None` if there is no such line.
    pub fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let folders = &self.folders;
        // Comments may be in another encoding.
        let read = || folders.iter().find_map(|folder| std::fs::read(folder.join(file)).ok());
        let read = || read().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let text = self.files.entry(shown(file)).or_insert_with(read).as_ref()?;
        Some(text.lines().nth((line as usize).checked_sub(1)?)?.trim().to_owned())
    }
}

/// The level of detail of a diagnosis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Threads and source lines.
    Source,
    /// Also the PTX instructions.
    Ptx,
}

/// Formats a diagnosis, without a line break at its end.
#[must_use]
pub fn text(diagnosis: &Diagnosis, sources: &mut Sources, detail: Detail) -> String {
    let mut text = match diagnosis.tool {
        Some(tool) => format!("{tool}: {}", diagnosis.title),
        None => diagnosis.title.clone(),
    };
    for Side { verb, place } in &diagnosis.sides {
        let space = if verb.is_empty() { "" } else { " " };
        let Place { block, thread, warp, lane, line, instruction, .. } = place;
        // Writing to a String cannot fail.
        let _ = write!(text, "\n  {verb}{space}by thread {thread} (warp {warp}, lane {lane}) of block {block}");
        if let Some((file, line)) = &place.location {
            let source = sources.line(file, *line).unwrap_or_default();
            let _ = write!(text, "\n    {}:{line}: {source}", shown(file));
        }
        if let Some((file, line)) = &place.inlined {
            let source = sources.line(file, *line).unwrap_or_default();
            let _ = write!(text, "\n      inlined from {}:{line}: {source}", shown(file));
        }
        if detail == Detail::Source && place.location.is_some() {
            continue;
        }
        // Compilers put tabs between the parts of an instruction.
        let instruction: Vec<&str> = instruction.split_whitespace().collect();
        let _ = write!(text, "\n    PTX line {line}: {}", instruction.join(" "));
    }
    text
}

/// Returns the name of a file relative to the current folder if it is below it. A page has no current folder but the root.
#[must_use]
pub fn shown(file: &str) -> String {
    let current = std::env::current_dir().unwrap_or("/".into());
    Path::new(file).strip_prefix(current).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}
