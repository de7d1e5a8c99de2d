//! Measures what each compiler setting contributes to the speed of kernels in Rust.
//!
//! `cargo run -p book -- prices compile FOLDER` writes the PTX of each kernel, compiled as usual and with one setting left
//! out at a time. `cargo run -p book -- prices run FOLDER` runs these files on a GPU and prints
//! `results/DEVICE/prices.json`. Without a GPU it only counts instructions. `cargo run -p book -- prices table` prints
//! `book/text/generated/compiler-settings.md` from the record.

use crate::fill::records;
use crate::validation::estimate_kernels::RECORDED;
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use common::device::{Backend, DeviceChoice};
use common::format::{milliseconds, significant};
use common::outcome::Outcome;
use common::problem::Size;
use common::report::Record;
use common::session::Session;
use common::stage::{Plan, Rung, Shape, Stage};
use rust_ptx::{Compiler, Without};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The measured kernels: a loop over global memory, a tile, an unrolled tile, a reduction tree that keeps its bounds checks,
/// shuffles, and constant memory.
static PRICED: [(&Stage, &Rung); 6] = [
    (&stage01_naive::STAGE, &stage01_naive::COMPUTE_FORCES),
    (&stage02_shared::STAGE, &stage02_shared::COMPUTE_FORCES_SHARED),
    (&stage03_unroll::STAGE, &stage03_unroll::COMPUTE_FORCES_UNROLL_64),
    (&stage03_unroll::STAGE, &stage03_unroll::REDUCE_SMEM_UNROLL_DYN),
    (&stage04_shuffle::STAGE, &stage04_shuffle::COMPUTE_FORCES_TILING_SHUFFLE),
    (&stage05_coulomb::STAGE, &stage05_coulomb::COULOMB_CONSTANT),
];

/// The architecture of the repository's PTX.
const ARCHITECTURE: i32 = 75;

/// The number of timed runs per kernel.
const RUNS: usize = 100;

/// The steps of the measurement, which may be on two machines.
#[derive(Clone, Debug, Subcommand)]
pub enum Step {
    /// Write the PTX of all variants to a folder
    Compile {
        /// The folder to write
        folder: PathBuf,
    },
    /// Run the PTX files of a folder, and print the record as JSON
    Run {
        /// The folder that `compile` wrote
        folder: PathBuf,
    },
    /// Print the table of the record as Markdown
    Table,
}

/// A kernel in Rust, compiled without one of the settings that make it fast.
#[derive(Debug, Serialize, Deserialize)]
struct Price {
    /// The name of the setting left out; `None` for the kernel as it is.
    without: Option<String>,
    /// Its run.
    record: Record,
}

/// The settings left out: their names in the record and in the table, in the table's order.
const COLUMNS: [(&str, &str); 5] = [
    ("multiply-add", "without multiply-adds"),
    ("unrolling", "unrolled as LLVM does"),
    ("address-spaces", "generic addresses"),
    ("order", "in the source's order"),
    ("checks", "without checks"),
];

/// Takes one step of the measurement.
///
/// # Errors
/// Returns an error if there is no compiler for kernels in Rust, if a file cannot be read or written, or if a kernel fails.
pub fn measure(book: &Path, step: &Step) -> Result<()> {
    match step {
        Step::Compile { folder } => compile(folder),
        Step::Run { folder } => run(folder),
        Step::Table => {
            print!("{}", table(&read(book)?));
            Ok(())
        }
    }
}

fn read(book: &Path) -> Result<Vec<Price>> {
    records::read(&book.join(RECORDED).join("prices.json"))
}

/// Returns a line for each kernel: its time, and the times without each setting divided by it.
fn table(prices: &[Price]) -> String {
    let mut text = format!("| kernel | time |{}\n|---|--:|", COLUMNS.map(|(_, words)| format!(" {words} |")).concat());
    text += &format!("{}\n", "--:|".repeat(COLUMNS.len()));
    let whole: Vec<&Price> = prices.iter().filter(|price| price.without.is_none()).collect();
    text.extend(whole.iter().map(|price| line(&price.record, prices)));
    let sources = whole.first().map(|price| records::device(&price.record));
    text += &format!(
        "\n<p class=\"source\">{}; medians, and the median without what a column names, over the first.</p>\n",
        sources.unwrap_or_default()
    );
    text
}

fn line(own: &Record, prices: &[Price]) -> String {
    let median = |record: &Record| record.time_ms.map(|time| time.median);
    let cell = |name: &str| {
        let is_meant = |price: &&Price| price.record.kernel == own.kernel && price.without.as_deref() == Some(name);
        let without = prices.iter().find(is_meant).and_then(|price| median(&price.record));
        without.zip(median(own)).map_or("–".into(), |(without, own)| significant(without / own))
    };
    let time = median(own).map_or("–".into(), |time| milliseconds(time).replace(' ', "\u{a0}"));
    let cells = COLUMNS.map(|(name, _)| format!(" {} |", cell(name))).concat();
    format!("| `{}` | {time} |{cells}\n", own.kernel)
}

type Variant = (&'static Stage, &'static Rung, Option<Without>);

fn variants() -> impl Iterator<Item = Variant> {
    let all = || std::iter::once(None).chain(Without::ALL.map(Some));
    PRICED.into_iter().flat_map(move |(stage, rung)| all().map(move |without| (stage, rung, without)))
}

fn file(folder: &Path, (_, rung, without): &Variant) -> PathBuf {
    folder.join(format!("{}.{}.ptx", rung.kernel, without.map_or("as-it-is", Without::name)))
}

fn compile(folder: &Path) -> Result<()> {
    let compiler = Compiler::find()?;
    fs::create_dir_all(folder)?;
    for variant in variants() {
        let (_, rung, without) = variant;
        let source = rung.source.written(true);
        let ptx = compiler.compile_without(without, &source.name(), &source.current_text(), ARCHITECTURE)?;
        fs::write(file(folder, &variant), ptx)?;
    }
    Ok(())
}

fn run(folder: &Path) -> Result<()> {
    let mut session = Session::open(DeviceChoice::Auto, None)?;
    let mut prices = Vec::new();
    for variant in variants() {
        let file = file(folder, &variant);
        let ptx = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        prices.push(price(&mut session, variant, ptx).with_context(|| file.display().to_string())?);
    }
    println!("{}", serde_json::to_string_pretty(&prices)?);
    Ok(())
}

fn price(session: &mut Session, (stage, rung, without): Variant, ptx: String) -> Result<Price> {
    session.replace_ptx(rung.source.written(true), ptx);
    let facts = rung.work.facts();
    let is_emulated = session.device.backend == Backend::Emulator;
    let size = Size::new(if is_emulated { facts.emulated_n } else { facts.n });
    let plan = Plan::new(rung, size, Shape::block(rung.block))?;
    let Some(plan) = plan.in_rust() else { bail!("{} is not written in Rust", rung.kernel) };
    let outcome = Outcome::measure(session, &plan, RUNS)?;
    if !outcome.run.report.passed() {
        bail!("wrong results: {:?}", outcome.run.report);
    }
    let record = Record::new(stage, session, &outcome, &[]);
    let version = Some(rung.version(true));
    Ok(Price {
        without: without.map(|without| without.name().into()),
        record: Record { kernel_sha256: version, ..record },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of the repository with another time.
    fn price(without: Option<&str>, median: f64) -> Price {
        let mut prices = read(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the record");
        let mut record = prices.remove(0).record;
        record.time_ms.as_mut().expect("a time").median = median;
        Price { without: without.map(str::to_owned), record }
    }

    #[test]
    fn a_price_is_the_time_without_over_the_time_with() {
        let text = table(&[price(None, 2.0), price(Some("order"), 3.0), price(Some("checks"), 1.9)]);
        assert!(text.contains(" | – | – | – | 1.50 | 0.950 |\n"), "{text}");
    }

    #[test]
    fn the_table_of_the_book_is_that_of_the_record() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR"));
        let written = fs::read_to_string(book.join("text/generated/compiler-settings.md")).expect("the table");
        assert_eq!(written, table(&read(book).expect("the record")), "`cargo run -p book -- prices table` prints it");
    }
}
