//! `cargo run -p book`: builds the course's book and serves it to this machine.

use anyhow::{Result, bail};
use book::compiler::{self, Form};
use book::exam::Exam;
use book::minutes::Summary;
use book::serve::Site;
use book::site::{self, At};
use book::slides::{self, Links};
use book::validation::{estimate_kernels, estimate_launches};
use book::{build, check, preprocess, prices};
use clap::{Args, Parser, Subcommand};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

/// Build the course's book and serve it at localhost or to a room, with its first page opened in the browser
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
    /// Serve to a room: 0.0.0.0 for all addresses of this machine, or one of them. Without it, this machine alone gets the pages.
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,
    /// The port; 0 is any free port.
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
    /// The site's address, https://example.org/course/, which slides then show as QR codes; or its path at the host alone, /course/.
    #[arg(long, value_name = "URL", default_value = "/")]
    at: At,
    /// Leave out the compiler, so only PTX can be edited.
    #[arg(long)]
    without_compiler: bool,
    /// For graded exercises: leave out their solutions and last hints, the answers to their questions and of the test, and all
    /// that is for teachers.
    #[arg(long)]
    without_solutions: bool,
}

#[derive(Args, Clone)]
struct Showing {
    /// The session; without it, all five.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=5))]
    session: Option<u32>,
    /// The address of the book in the room or the site, to which links and QR codes lead: http://192.0.2.1:3000/.
    #[arg(long, value_name = "URL")]
    at: Option<At>,
    /// The folder of the pages, which without --at have no links to the book; without it, target/book/slides.
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

#[derive(Args, Clone)]
struct Timing {
    /// What readers have exported: zips with a log.json in them, or such files.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// Print JSON instead of tables.
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
    /// Print the minutes that readers took for pages and exercises, from the logs that they exported.
    Minutes(Timing),
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
    let build = |room: Option<&Site>| -> Result<PathBuf> {
        let folder = room.map_or_else(|| build::build(root), |site| build::build_for(root, site.address()))?;
        println!("The book is built: {}", folder.join("index.html").display());
        Ok(folder)
    };
    let build_and_serve = |serving: Serving| {
        // First, since a place that is taken needs no build.
        let site = Site::listen(serving.host, serving.port)?;
        let is_room = serving.host.is_some();
        let folder = build(is_room.then_some(&site))?;
        // Compressed for a network, which takes longer to unpack in each page.
        offer_compiler(folder.clone(), if is_room { Form::Compressed } else { Form::Plain });
        site.announce(is_room);
        if !serving.no_open {
            site.open();
        }
        site.answer_all(&folder);
        bail!("the server has ended")
    };
    match &options.command {
        None => build_and_serve(options.serving),
        Some(Command::Serve(serving)) => build_and_serve(*serving),
        Some(Command::Build) => build(None).map(drop),
        Some(Command::Site(publishing)) => publish(root, publishing),
        Some(Command::Slides(showing)) => show(root, showing),
        Some(Command::Exam(examining)) => examine(*examining),
        Some(Command::Minutes(timing)) => show_minutes(root, timing),
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
    let Publishing { folder, at, without_compiler, without_solutions } = publishing;
    site::write(root, folder, at, !without_compiler, *without_solutions)?;
    println!("The site is built: {}", folder.display());
    Ok(())
}

/// Writes slides, and prints the names of their pages.
fn show(root: &Path, showing: &Showing) -> Result<()> {
    let book = root.join("../target/book");
    let address = showing.at.as_ref().map(At::address).transpose()?;
    let (folder, links) = match &showing.folder {
        Some(folder) => (folder.clone(), address.map_or(Links::AsText, Links::To)),
        None => (book.join(slides::FOLDER), address.map_or(Links::ToBook, Links::ToBookAt)),
    };
    for page in slides::write(root, &folder, showing.session.map(|session| session as usize), links)? {
        println!("{}", page.canonicalize().unwrap_or(page).display());
    }
    if showing.folder.is_none() && !book.join("index.html").is_file() {
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

fn show_minutes(root: &Path, Timing { logs, json }: &Timing) -> Result<()> {
    let summary = Summary::read(logs, &build::chapters(root)?)?;
    if *json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        print!("{}", summary.text());
    }
    Ok(())
}

/// Puts the compiler beside the pages while they are served already: the first time it is downloaded.
fn offer_compiler(folder: PathBuf, form: Form) {
    thread::spawn(move || {
        let outcome = match compiler::copy_to(&folder, form) {
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
