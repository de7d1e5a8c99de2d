//! Findings as text: who, where in the source, at which instruction.

use emulator::{Diagnosis, Place, Side};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Looks up lines of the sources that a PTX file names.
#[derive(Debug)]
pub struct Sources {
    /// Folders that a relative name may be meant from.
    folders: Vec<PathBuf>,
    files: HashMap<String, Option<String>>,
}

impl Sources {
    /// The sources of the PTX or CUDA C++ file `file`: named from the current folder, or, as the repository's PTX has
    /// it, from the folder above the PTX file's.
    #[must_use]
    pub fn of(file: &Path) -> Self {
        let beside = file.parent().unwrap_or(Path::new("")).to_owned();
        Self { folders: vec![PathBuf::new(), beside.join(".."), beside], files: HashMap::new() }
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let folders = &self.folders;
        let read = || folders.iter().find_map(|folder| std::fs::read_to_string(folder.join(file)).ok());
        let text = self.files.entry(file.to_owned()).or_insert_with(read).as_ref()?;
        Some(text.lines().nth((line as usize).checked_sub(1)?)?.trim().to_owned())
    }
}

/// How much of a diagnosis is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Threads and lines of the source.
    Source,
    /// The PTX instructions too.
    Ptx,
}

/// The text of a diagnosis, without a line end.
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
        if detail == Detail::Source && place.location.is_some() {
            continue;
        }
        // Compilers set tabs between the words of an instruction.
        let instruction: Vec<&str> = instruction.split_whitespace().collect();
        let _ = write!(text, "\n    PTX line {line}: {}", instruction.join(" "));
    }
    text
}

/// A file's name from the current folder, where it lies in there.
fn shown(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    Path::new(file).strip_prefix(here).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
}
