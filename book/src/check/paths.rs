//! The requirement that paths in sentences exist in the repository: from its root, from the folder of the text, or as the end
//! of a longer path (`machine/block.rs` in a text about the emulator).
//!
//! The comment `<!-- to come: a/b.rs, c.cu -->` lists files that the text asks its readers to write.

use super::document::Document;
use super::{Material, Report};
use mdbook_markdown::pulldown_cmark::Event;

/// The endings of paths. A placeholder in capitals, such as `FILE.cu`, is not a path.
const SOURCES: [&str; 7] = ["rs", "cu", "ptx", "md", "toml", "js", "css"];

pub fn check(material: &Material, report: &mut Report) {
    let mut count = 0;
    for document in material.documents() {
        let to_come = to_come(&document.text);
        for path in &to_come {
            if material.repository.join(path).exists() {
                let text = format!("`{path}` exists: remove it from the files to come");
                report.add(&document.file, line_of_comment(&document.text), text);
            }
        }
        for (event, range) in document.events() {
            let Event::Code(code) = event else { continue };
            if is_path(&code, material) && !to_come.contains(&code.as_ref()) {
                count += 1;
                if !is_there(&code, document, material) {
                    let text = format!("there is no `{code}` in the repository: correct the path");
                    report.add(&document.file, document.origin(range.start), text);
                }
            }
        }
    }
    report.count(count, "paths");
}

const TO_COME: &str = "<!-- to come:";

fn to_come(text: &str) -> Vec<&str> {
    let lists = text.lines().filter_map(|line| line.trim().strip_prefix(TO_COME)?.strip_suffix("-->"));
    lists.flat_map(|list| list.split(',').map(str::trim)).collect()
}

fn line_of_comment(text: &str) -> usize {
    text.lines().position(|line| line.trim().starts_with(TO_COME)).map_or(1, |index| index + 1)
}

fn is_path(code: &str, material: &Material) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if !code.chars().all(is_name) || code.starts_with(['.', '/']) || code.starts_with("target/") {
        return false;
    }
    let first = code.split_once('/').map(|(first, _)| first);
    let (stem, extension) = code.rsplit_once('.').unwrap_or((code, ""));
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let is_placeholder = name.chars().all(|c| !c.is_ascii_lowercase());
    first.is_some_and(|first| material.repository.join(first).is_dir())
        || (SOURCES.contains(&extension) && !name.is_empty() && !is_placeholder)
}

fn is_there(code: &str, document: &Document, material: &Material) -> bool {
    let folder = document.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = code.trim_end_matches('/');
    material.repository.join(path).exists()
        || material.repository.join(folder).join(path).exists()
        || material.tree.iter().any(|file| file.strip_suffix(path).is_some_and(|before| before.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_to_come_are_a_comment_of_their_own_line() {
        assert_eq!(to_come("a\n<!-- to come: a/b.rs, c.cu -->\nb"), ["a/b.rs", "c.cu"]);
        assert_eq!(line_of_comment("a\n<!-- to come: a/b.rs -->"), 2);
    }
}
