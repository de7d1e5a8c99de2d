//! `cargo run -p book -- check`: the book against the repository, without building a page.
//!
//! | module | what it checks |
//! |---|---|
//! | `document` | directives can be met |
//! | `kernels` | every kernel file is in a stage's table and in a chapter |
//! | `cards`, `statements` | the comment that opens a kernel's file agrees with table, entry points and records |
//! | `links` | links and anchors lead somewhere; words for those who see no picture |
//! | `paths` | files that the repository's texts name are there |
//! | `pages` | no page without a place in the summary, no figure without a page, lengths |
//! | `records` | records say of which version of a kernel they are, and the book says so too |
//! | `terms` | words as in the glossary, each linked to it at its first use in a stage's chapter |
//! | `numbers` | no measured number in a stage's sentences |
//! | `cuda_words` | the page of CUDA's words has all that kernels use |
//! | `exercises` | every exercise is on a page, with something to predict, and its stage's chapter leads to it |
//! | `metrics` | metrics of Nsight Compute are those of the readings |
//! | `phrases`, `spoken` | plain words in all that people read, comments and messages among it |

mod cards;
mod cuda_words;
mod document;
mod exercises;
mod kernel_file;
mod kernels;
mod links;
mod metrics;
mod numbers;
mod pages;
mod paths;
mod phrases;
mod prose;
mod records;
mod spoken;
mod statements;
mod terms;

use crate::fill::Sources;
use anyhow::{Context, Result};
use document::Document;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Something wrong, with where it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// From the root of the repository.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// What a check of the whole book says.
#[derive(Debug, Default)]
pub struct Report {
    /// By file and line.
    pub findings: Vec<Finding>,
    /// What was looked at, with counts: `27 kernel files`.
    pub looked_at: Vec<String>,
    /// What is missing, and is no mistake.
    pub notices: Vec<String>,
}

impl Report {
    fn add(&mut self, file: &str, line: usize, text: impl Into<String>) {
        self.findings.push(Finding { file: file.into(), line, text: text.into() });
    }

    fn count(&mut self, count: usize, what: &str) {
        self.looked_at.push(format!("{count} {what}"));
    }
}

/// The book with what lies beside it, read once for all checks.
struct Material {
    /// The folder of the stages, `results` and `book`.
    repository: PathBuf,
    sources: Sources,
    /// Every file of the repository, from its root, by name.
    tree: Vec<String>,
    /// `book/text/SUMMARY.md`, the list of pages.
    summary: Document,
    /// The pages, in the order of the summary.
    chapters: Vec<Document>,
    /// All other Markdown of the repository.
    texts: Vec<Document>,
}

/// Where the chapters lie, from the root of the repository.
const CHAPTERS: &str = "book/text";

/// Checks the book in `root`, the folder of `book.toml`, against the repository in which it lies.
///
/// # Errors
/// When a file that every check needs cannot be read; what is wrong with the content is in the report.
pub fn run(root: &Path) -> Result<Report> {
    let mut report = Report::default();
    let material = Material::read(root, &mut report)?;
    kernels::check(&material, &mut report)?;
    cards::check(&material, &mut report)?;
    pages::check(&material, &mut report)?;
    links::check(&material, &mut report)?;
    paths::check(&material, &mut report);
    records::check(&material, &mut report)?;
    terms::check(&material, &mut report)?;
    numbers::check(&material, &mut report);
    phrases::check(&material, &mut report)?;
    cuda_words::check(&material, &mut report)?;
    exercises::check(&material, &mut report)?;
    metrics::check(&material, &mut report)?;
    report.findings.sort();
    report.findings.dedup();
    Ok(report)
}

impl Material {
    fn read(root: &Path, report: &mut Report) -> Result<Self> {
        let repository = root.join("..").canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
        let sources = Sources { book: root.into() };
        let read = |file: &str| read(&repository, file);
        let summary = Document::plain(&format!("{CHAPTERS}/SUMMARY.md"), read(&format!("{CHAPTERS}/SUMMARY.md"))?);
        let mut chapters = Vec::new();
        for page in links::targets(&summary) {
            // a page that is not there is a dead link of the summary
            if let Ok(text) = read(&format!("{CHAPTERS}/{page}")) {
                chapters.push(Document::filled(&format!("{CHAPTERS}/{page}"), text, &sources, report));
            }
        }
        let tree = tree(&repository)?;
        let is_other = |file: &&String| file.ends_with(".md") && !file.starts_with(&format!("{CHAPTERS}/"));
        let texts = tree.iter().filter(is_other).map(|file| Ok(Document::plain(file, read(file)?)));
        let texts = texts.collect::<Result<_>>()?;
        let directives: usize = chapters.iter().map(|chapter| chapter.directives().count()).sum();
        report.count(chapters.len(), "pages");
        report.count(directives, "directives");
        Ok(Self { tree, repository, sources, summary, chapters, texts })
    }

    /// The chapters of the stages.
    fn stage_chapters(&self) -> impl Iterator<Item = &Document> {
        self.chapters.iter().filter(|chapter| chapter.name().starts_with("stage"))
    }

    /// The files of a folder with an extension, from the root of the repository, by name.
    fn files(&self, folder: &str, extension: &str) -> Result<Vec<String>> {
        let path = self.repository.join(folder);
        let entries = fs::read_dir(&path).with_context(|| format!("cannot read the folder {}", path.display()))?;
        let mut files = Vec::new();
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|is| is == extension) {
                files.push(format!("{folder}/{name}"));
            }
        }
        files.sort();
        Ok(files)
    }

    fn text(&self, file: &str) -> Result<String> {
        read(&self.repository, file)
    }
}

/// The files of a folder and of those in it, without what is hidden and what is built.
fn tree(root: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder)).with_context(|| format!("cannot read the folder {folder}"))?;
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') && name != "target" {
                let path = format!("{folder}{name}");
                // the copies of tests have links
                match root.join(&path).is_dir() {
                    true => folders.push(path + "/"),
                    false => files.push(path),
                }
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(repository: &Path, file: &str) -> Result<String> {
    fs::read_to_string(repository.join(file)).with_context(|| format!("cannot read {file}"))
}

/// The number of the line in which a byte of `text` stands, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count()
}

/// Places in `text` where `word` stands by itself, upper or lower case: not inside of a longer word, nor joined to
/// another by a hyphen. Both are ASCII where they match.
fn places_of<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let word = word.to_ascii_lowercase();
    let found: Vec<usize> = text.to_ascii_lowercase().match_indices(&word).map(|(place, _)| place).collect();
    found.into_iter().filter(move |&place| {
        let after = &text[place + word.len()..];
        let after = after
            .strip_prefix("es")
            .or_else(|| after.strip_prefix('s'))
            .filter(|rest| !joins(rest.chars().next()))
            .unwrap_or(after);
        !joins(text[..place].chars().next_back()) && !joins(after.chars().next())
    })
}
