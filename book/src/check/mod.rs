//! `cargo run -p book -- check`: the comparison of the book with the repository, which builds no page.
//!
//! | module | requirement |
//! |---|---|
//! | `document` | directives can be replaced |
//! | `kernels` | every kernel file is in a stage's table and in a chapter |
//! | `cards`, `statements` | a kernel's card agrees with the stage's table, the entry points and the records |
//! | `links` | links and anchors exist, and pictures have text alternatives |
//! | `paths` | files that texts name exist |
//! | `pages` | pages are in the summary, figures are on a page, and chapters have a reasonable length |
//! | `records` | records are of the present version of their kernel |
//! | `community` | files of GPUs, which anybody can send, are accepted |
//! | `numbers` | chapters of stages and slides contain no typed measurements |
//! | `slides` | slides follow the plan of their session, and can be read from the last row |
//! | `cuda_words` | the page of CUDA's words is complete |
//! | `exercises` | exercises are on a page, have a question, and are linked from their chapter |
//! | `machine_code` | listings of machine code are of the present versions of their kernels |
//! | `metrics` | metrics of Nsight Compute are recorded ones |

mod cards;
mod community;
mod cuda_words;
mod document;
mod exercises;
mod kernel_file;
mod kernels;
mod links;
mod machine_code;
mod metrics;
mod numbers;
mod pages;
mod paths;
mod records;
mod slides;
mod statements;

use crate::build::files_below;
use crate::fill::Sources;
use anyhow::{Context, Result};
use common::stage::Stage;
use document::Document;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the repository.
    pub file: String,
    /// The line number, from 1.
    pub line: usize,
    /// The mistake and its correction.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.text)
    }
}

/// The result of a check of the whole book.
#[derive(Debug, Default)]
pub struct Report {
    /// The mistakes, sorted by file and line.
    pub findings: Vec<Finding>,
    /// The numbers of checked items: `27 kernel files`.
    pub looked_at: Vec<String>,
    /// Missing items that are not mistakes.
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

/// The book and the repository, read once for all checks.
struct Material {
    /// The root of the repository.
    repository: PathBuf,
    sources: Sources,
    /// Every file of the repository, from its root, sorted.
    tree: Vec<String>,
    /// `book/text/SUMMARY.md`, the list of pages.
    summary: Document,
    /// The pages, in the order of the summary.
    chapters: Vec<Document>,
    /// The slides of each session.
    decks: Vec<Document>,
    /// All other Markdown files of the repository.
    texts: Vec<Document>,
}

/// The folder of the chapters, from the root of the repository.
const CHAPTERS: &str = "book/text";
/// The folder of the slides.
const DECKS: &str = "book/slides";

/// Compares the book in `root`, the folder of `book.toml`, with the repository around it.
///
/// # Errors
/// Returns an error if a file that the checks need cannot be read. Mistakes in the content are in the report.
pub fn run(root: &Path) -> Result<Report> {
    let mut report = Report::default();
    let material = Material::read(root, &mut report)?;
    kernels::check(&material, &mut report)?;
    cards::check(&material, &mut report)?;
    pages::check(&material, &mut report)?;
    links::check(&material, &mut report)?;
    paths::check(&material, &mut report);
    records::check(&material, &mut report)?;
    community::check(&material, &mut report)?;
    numbers::check(&material, &mut report);
    cuda_words::check(&material, &mut report)?;
    exercises::check(&material, &mut report)?;
    slides::check(&material, &mut report)?;
    machine_code::check(&material, &mut report)?;
    metrics::check(&material, &mut report)?;
    report.findings.sort();
    report.findings.dedup();
    Ok(report)
}

impl Material {
    fn read(root: &Path, report: &mut Report) -> Result<Self> {
        let repository = root.join("..").canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
        let sources = Sources { book: root.into(), omits_solutions: false };
        let read = |file: &str| read(&repository, file);
        let summary = Document::from_text(&format!("{CHAPTERS}/SUMMARY.md"), read(&format!("{CHAPTERS}/SUMMARY.md"))?);
        let mut chapters = Vec::new();
        for page in links::targets(&summary) {
            // `links` reports a missing page as a dead link of the summary.
            if let Ok(text) = read(&format!("{CHAPTERS}/{page}")) {
                chapters.push(Document::from_chapter(&format!("{CHAPTERS}/{page}"), text, &sources, report));
            }
        }
        let tree = tree(&repository)?;
        let mut decks = Vec::new();
        for file in tree.iter().filter(|file| is_in(file, DECKS)) {
            decks.push(Document::from_chapter(file, read(file)?, &sources, report));
        }
        let is_other = |file: &&String| file.ends_with(".md") && !is_in(file, CHAPTERS) && !is_in(file, DECKS);
        let texts = tree.iter().filter(is_other).map(|file| Ok(Document::from_text(file, read(file)?)));
        let texts = texts.collect::<Result<_>>()?;
        let directives: usize = chapters.iter().chain(&decks).map(|chapter| chapter.directives().count()).sum();
        report.count(chapters.len(), "pages");
        report.count(directives, "directives");
        Ok(Self { tree, repository, sources, summary, chapters, decks, texts })
    }

    /// Returns all texts with links and paths.
    fn documents(&self) -> impl Iterator<Item = &Document> {
        self.chapters.iter().chain(&self.decks).chain(&self.texts).chain([&self.summary])
    }

    /// Returns the chapters of the stages.
    fn stage_chapters(&self) -> impl Iterator<Item = &Document> {
        self.chapters.iter().filter(|chapter| chapter.name().starts_with("stage"))
    }

    /// Returns the files of a folder with an extension, from the root of the repository, sorted.
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

    /// Returns the kernel files of a stage in CUDA C++. A stage whose rungs launch the kernels of others has none.
    fn kernel_files(&self, stage: &Stage) -> Result<Vec<String>> {
        let folder = format!("{}/kernels", stage.name);
        if self.repository.join(&folder).is_dir() { self.files(&folder, "cu") } else { Ok(Vec::new()) }
    }

    fn text(&self, file: &str) -> Result<String> {
        read(&self.repository, file)
    }
}

/// Returns whether a file is in a folder.
fn is_in(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns all files below a folder, except hidden ones and the target folder.
fn tree(root: &Path) -> Result<Vec<String>> {
    let files = files_below(root, &|name| !name.starts_with('.') && name != "target")?;
    let from_root = |file: &PathBuf| file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let mut files: Vec<String> = files.iter().map(from_root).collect();
    files.sort();
    Ok(files)
}

fn read(repository: &Path, file: &str) -> Result<String> {
    fs::read_to_string(repository.join(file)).with_context(|| format!("cannot read {file}"))
}

/// Returns the number of the line, from 1, that contains a byte of `text`.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count()
}

/// Returns the places in `text` where `word` occurs as a whole word, also in the plural and in upper or lower case. A word that
/// is joined to another by a hyphen does not count.
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
