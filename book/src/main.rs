//! `cargo run -p book`: builds the course's book and serves it to this machine.

use anyhow::{Result, bail};
use book::compiler::{self, Form};
use book::exam::Exam;
use book::slides::{self, Links};
use book::validation::{estimate_kernels, estimate_launches};
use book::{build, check, preprocess, prices, serve, site};
use clap::{Args, Parser, Subcommand};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

/// Build the course's book and serve it at localhost, with its first page opened in the browser
#[derive(Parser)]
#[command(name = "book", args_conflicts_with_subcommands = true)]
struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serving: Serving,
}

#[derive(Args, Clone, Copy)]
struct Serving {
    /// The port at localhost; 0 is any free port.
    #[arg(long, value_name = "PORT", default_value_t = 3000)]
    port: u16,
    /// Open no browser.
    #[arg(long)]
    no_open: bool,
}

#[derive(Args, Clone)]
struct Publishing {
    /// A new folder, or one with an earlier site, which is replaced.
    folder: PathBuf,
    /// The path of the site at its host: `/coalesced/`.
    #[arg(long, value_name = "PATH", default_value = "/")]
    at: String,
    /// Leave out the compiler, so only PTX can be edited.
    #[arg(long)]
    without_compiler: bool,
}

#[derive(Args, Clone)]
struct Showing {
    /// The session; without it, all five.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=5))]
    session: Option<u32>,
    /// The folder of the pages, which then have no links to the book; without it, target/book/slides.
    folder: Option<PathBuf>,
}

#[derive(Args, Clone, Copy)]
struct Examining {
    /// The number from which the exam is made: the same number gives the same exam.
    #[arg(long, value_name = "N")]
    seed: u64,
    /// Print the answers instead of the questions; with --json, beside them.
    #[arg(long)]
    answers: bool,
    /// Print JSON instead of Markdown.
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Build the book in target/book; its index.html can be opened from disk.
    Build,
    /// Build and serve the book, which is also the default.
    Serve(Serving),
    /// Build the book as a site for a static host, with the compiler of the pages (npm downloads it once).
    Site(Publishing),
    /// Write the slides of a class, one page for each session; `build` writes them too.
    Slides(Showing),
    /// Print an exam of ten questions, whose numbers come from a seed.
    Exam(Examining),
    /// Compare the book with the repository: chapters, cards, tables, links, paths, records (`cargo x check-content`).
    Check,
    /// Replace the directives of a book on standard input; the stock `mdbook build book` calls this.
    #[command(hide = true)]
    Preprocess {
        /// `supports RENDERER` asks whether the book can be rendered by RENDERER.
        #[arg(num_args = 0..=2)]
        question: Vec<String>,
    },
    /// Estimate the recorded kernels anew, for book/estimates.json.
    #[command(hide = true)]
    Estimates {
        /// Estimate all launch shapes and sizes instead, for book/evaluation.json; --check estimates a sample of them.
        #[arg(long)]
        all: bool,
        /// Only compare the file with what would be written.
        #[arg(long)]
        check: bool,
    },
    /// Measure what each compiler setting contributes to kernels in Rust, for results/DEVICE/prices.json.
    #[command(hide = true, subcommand)]
    Prices(prices::Step),
}

fn run(options: &Options) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let build = || -> Result<PathBuf> {
        let folder = build::build(root)?;
        println!("The book is built: {}", folder.join("index.html").display());
        Ok(folder)
    };
    let build_and_serve = |serving: Serving| {
        let folder = build()?;
        offer_compiler(folder.clone());
        serve::serve(&folder, serving.port, !serving.no_open)
    };
    match &options.command {
        None => build_and_serve(options.serving),
        Some(Command::Serve(serving)) => build_and_serve(*serving),
        Some(Command::Build) => build().map(drop),
        Some(Command::Site(publishing)) => publish(root, publishing),
        Some(Command::Slides(showing)) => show(root, showing),
        Some(Command::Exam(examining)) => examine(*examining),
        Some(Command::Check) => check(root),
        Some(Command::Preprocess { question }) => preprocess::answer(question),
        Some(Command::Estimates { check: false, all: false }) => estimate_kernels::write(root),
        Some(Command::Estimates { check: true, all: false }) => estimate_kernels::compare(root),
        Some(Command::Estimates { check: false, all: true }) => estimate_launches::write(root),
        Some(Command::Estimates { check: true, all: true }) => estimate_launches::compare_sample(root),
        Some(Command::Prices(step)) => prices::measure(root, step),
    }
}

fn publish(root: &Path, publishing: &Publishing) -> Result<()> {
    let Publishing { folder, at, without_compiler } = publishing;
    site::write(root, folder, at, !without_compiler)?;
    println!("The site is built: {}", folder.display());
    Ok(())
}

/// Writes slides, and prints the names of their pages.
fn show(root: &Path, showing: &Showing) -> Result<()> {
    let book = root.join("../target/book");
    let (folder, links) = match &showing.folder {
        Some(folder) => (folder.clone(), Links::AsText),
        None => (book.join(slides::FOLDER), Links::ToBook),
    };
    for page in slides::write(root, &folder, showing.session.map(|session| session as usize), links)? {
        println!("{}", page.canonicalize().unwrap_or(page).display());
    }
    if links == Links::ToBook && !book.join("index.html").is_file() {
        println!("Their links lead to the book, which is not built yet: cargo run -p book -- build");
    }
    Ok(())
}

fn examine(Examining { seed, answers, json }: Examining) -> Result<()> {
    let exam = Exam::new(seed);
    match (json, answers) {
        (true, _) => println!("{}", serde_json::to_string_pretty(&exam.json(answers))?),
        (false, true) => print!("{}", exam.answers()),
        (false, false) => print!("{}", exam.text()),
    }
    Ok(())
}

/// Puts the compiler beside the pages while they are served already: the first time it is downloaded.
fn offer_compiler(folder: PathBuf) {
    thread::spawn(move || {
        let outcome = match compiler::copy_to(&folder, Form::Plain) {
            Ok(()) => "Kernels can be edited and compiled in the pages".to_owned(),
            Err(error) => format!("The pages do without a compiler: {error:#}"),
        };
        // Not `println!`, which panics if nobody reads the output any more.
        let _ = writeln!(io::stdout(), "{outcome}");
    });
}

/// Prints the mistakes, one per line, or a summary of the checks.
fn check(root: &Path) -> Result<()> {
    let report = check::run(root)?;
    for finding in &report.findings {
        println!("{finding}");
    }
    for notice in &report.notices {
        println!("notice: {notice}");
    }
    if !report.notices.is_empty() {
        println!("{} notices, which fail nothing; `cargo x record` on that GPU fills such gaps", report.notices.len());
    }
    match report.findings.len() {
        0 => println!("The content is correct: {}", report.looked_at.join(", ")),
        1 => bail!("1 mistake in the content"),
        count => bail!("{count} mistakes in the content"),
    }
    Ok(())
}

fn main() -> ExitCode {
    build::show_warnings();
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("book: {error:#}");
            ExitCode::FAILURE
        }
    }
}
