//! The preprocessor: replaces directives, `{{word argument …}}`, by what kernels, records and figures hold.
//!
//! | directive | becomes |
//! |---|---|
//! | `{{kernel NAME}}` | the kernel's file without its card, in tabs with that of its twin in Rust |
//! | `{{kernel NAME item ITEM}}` | one function or type of it, likewise |
//! | `{{kernel NAME in rust}}` | the file of its twin in Rust alone |
//! | `{{card NAME}}` | its card |
//! | `{{diff NAME}}`, `{{diff NAME from OTHER}}` | what it changes in its rung below, or in another kernel, in tabs with what its twin does |
//! | `{{diff NAME in rust}}` | what its twin in Rust changes in the twin of its rung below, alone |
//! | `{{ladder STAGE}}`, `{{plot STAGE}}` | the stage's recorded times, as tables or as a plot |
//! | `{{sweep STAGE}}`, `{{sweep STAGE KERNEL …}}` | times against threads per block, as a plot |
//! | `{{sizes STAGE KERNEL …}}` | times and shares of the limit against n, as a plot |
//! | `{{roofline STAGE}}` | the stage's rates against operations for each byte moved, under the device's limits |
//! | `{{traffic STAGE}}`, `{{traffic STAGE KERNEL …}}` | bytes moved against bytes needed, as bars |
//! | `{{results}}` | the times of all stages in one table, beside the published figures |
//! | `{{counters NAME …}}` | Nsight Compute's readings of kernels |
//! | `{{player STAGE}}` | the stage's kernels to run and step through in the page |
//! | `{{explorer NAME}}` | banks, coalescing, occupancy or shuffle, to try in the page |
//! | `{{access NAME N BLOCK SPACE DIRECTION TEXT}}` | sectors or banks of a warp's first such access, on a line with the text |
//! | `{{lanes NAME N BLOCK}}` | which lanes of a warp are active over its instructions |
//! | `{{figure NAME}}` | `book/figures/NAME.svg` |
//! | `{{time STAGE NAME}}`, `{{ratio …}}`, `{{rate …}}`, `{{share …}}`, `{{occupancy …}}` | one recorded number |
//! | `{{limiter STAGE NAME}}`, `{{unit STAGE NAME UNIT}}` | the unit that is nearest to its measured limit, or a unit's share |
//! | `{{limits}}`, `{{limit NAME}}` | the measured limits of the units as a table, or one of them |
//! | `{{count NAME COUNTER}}` | one reading |
//! | `{{momentum STAGE NAME}}` | the sum of a kernel's forces in relation to the sum of their magnitudes |
//! | `{{departures STAGE}}` | the steps after which bodies depart from double precision |
//! | `{{twins}}` | times and instructions of the kernels in Rust in relation to CUDA C++, as a table |
//! | `{{prices}}` | what each part of the way from Rust to PTX brings, as a table |
//! | `{{twins_mean time}}`, `{{twins_mean instructions}}` | the geometric mean of these ratios |
//! | `{{per_pair NAME}}` | machine instructions per pair of bodies |
//!
//! Those that become a block stand alone on a line. What cannot be met fails the build with its file and line.

pub(crate) mod card;
mod chart;
mod counters;
mod devices;
mod diff;
pub(crate) mod entry_points;
mod explorer;
mod figure;
pub(crate) mod kernels;
mod ladder;
mod languages;
mod limits;
mod notation;
mod packed;
mod physics;
mod player;
mod plot;
pub mod prices;
mod recorded;
pub(crate) mod records;
mod remarks;
mod remembered;
mod results;
mod roofline;
mod sizes;
pub(crate) mod source;
mod sweep;
mod trace;
mod traffic;
pub(crate) mod twins;
pub(crate) mod version;

use anyhow::{Result, bail};
use kernels::{Kernel, chosen, stage};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use records::{NOT_RECORDED, Records};
use std::path::{Path, PathBuf};

/// The preprocessor that `book.toml` names.
#[derive(Clone, Copy, Debug)]
pub struct Course;

impl Preprocessor for Course {
    fn name(&self) -> &str {
        "course"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let sources = Sources { book: context.root.clone() };
        let text = context.root.join(&context.config.book.src);
        let mut failures = Vec::new();
        book.for_each_chapter_mut(|chapter| {
            let Some(path) = chapter.source_path.as_ref() else { return };
            match sources.fill(&text.join(path), &chapter.content) {
                Ok(content) => chapter.content = content,
                Err(error) => failures.push(format!("{error:#}")),
            }
        });
        if failures.is_empty() { Ok(book) } else { bail!("{}", failures.join("\n")) }
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(renderer == "html")
    }
}

/// Directives that become blocks of Markdown or HTML.
const BLOCKS: [&str; 20] = [
    "kernel",
    "card",
    "diff",
    "ladder",
    "plot",
    "sweep",
    "roofline",
    "traffic",
    "results",
    "counters",
    "figure",
    "player",
    "explorer",
    "access",
    "lanes",
    "sizes",
    "limits",
    "departures",
    "twins",
    "prices",
];

/// Where directives find what they ask for.
pub(crate) struct Sources {
    /// The folder of `book.toml`; `results` and the stages lie beside it.
    pub(crate) book: PathBuf,
}

impl Sources {
    /// The chapter with its directives replaced.
    fn fill(&self, file: &Path, chapter: &str) -> Result<String> {
        let mut filled = String::with_capacity(chapter.len());
        let mut failures = Vec::new();
        for (number, line) in (1..).zip(chapter.lines()) {
            match self.fill_line(line) {
                Ok(line) => filled += &line,
                Err(error) => failures.push(format!("{}:{number}: {error:#}", file.display())),
            }
            filled.push('\n');
        }
        if filled.contains("class=\"player\"") || filled.contains("class=\"explorer\"") {
            filled += "\n";
            filled += &packed::emulator(&self.book)?;
        }
        if failures.is_empty() { Ok(filled) } else { bail!("{}", failures.join("\n")) }
    }

    /// One line of a chapter with its directives replaced.
    ///
    /// # Errors
    /// When one cannot be met.
    pub(crate) fn fill_line(&self, line: &str) -> Result<String> {
        let mut filled = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((inside, after)) = after.split_once("}}") else { bail!("{{{{ without }}}}") };
            filled += before;
            let alone = line.starts_with("{{") && line.ends_with("}}") && line.matches("{{").count() == 1;
            match self.expand(inside, alone) {
                Ok(text) => filled += &text,
                Err(error) => bail!("{{{{{inside}}}}}: {error:#}"),
            }
            rest = after;
        }
        Ok(filled + rest)
    }

    fn expand(&self, directive: &str, alone: bool) -> Result<String> {
        let words: Vec<&str> = directive.split_whitespace().collect();
        // mdBook's own directives are for its next preprocessor
        if words.first().is_some_and(|word| word.starts_with('#')) {
            return Ok(format!("{{{{{directive}}}}}"));
        }
        if words.first().is_some_and(|word| BLOCKS.contains(word)) && !alone {
            bail!("this directive becomes a block: let it stand alone on its line");
        }
        let text = match words[..] {
            ["kernel", name] => languages::kernel(name),
            ["kernel", name, "in", "rust"] => source::whole(&Kernel::named(name)?.in_rust()?),
            ["kernel", name, "item", item] => languages::item(name, item),
            ["card", name] => card::render(&Kernel::named(name)?),
            ["diff", name] => {
                let kernel = Kernel::named(name)?;
                languages::diff(&kernel, &kernel.below()?)
            }
            ["diff", name, "in", "rust"] => {
                let kernel = Kernel::named(name)?;
                diff::between(&kernel.below()?.in_rust()?, &kernel.in_rust()?)
            }
            ["diff", name, "from", other] => languages::diff(&Kernel::named(name)?, &Kernel::named(other)?),
            ["ladder", name] => ladder::render(stage(name)?, &self.records(name)?, &self.known()?),
            ["plot", name] => plot::render(stage(name)?, &self.records(name)?),
            ["sweep", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                sweep::render(stage, &chosen(stage, kernels)?, &Records::sweep(&self.device()?.folder, name)?)
            }
            ["sizes", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                sizes::render(stage, &chosen(stage, kernels)?, &self.sizes(name)?)
            }
            ["limits"] => limits::table(&limits::measured(&self.device()?)?),
            ["limit", name] => limits::one(&limits::measured(&self.device()?)?, name),
            ["limiter", name, kernel] => {
                self.of_limits(name, kernel, |rung, timed, known| Ok(limits::limiter(known, rung, timed)))
            }
            ["unit", name, kernel, unit] => {
                self.of_limits(name, kernel, |rung, timed, known| limits::of_unit(known, rung, timed, unit))
            }
            ["roofline", name] => {
                let limits = roofline::Limits::of(&self.device()?)?;
                roofline::render(stage(name)?, &self.records(name)?, &self.counted(name)?, &limits)
            }
            ["traffic", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                traffic::render(stage, &chosen(stage, kernels)?, &self.records(name)?, &self.counted(name)?)
            }
            ["results"] => results::render(&devices::all(&self.results())?),
            ["counters", ref names @ ..] if !names.is_empty() => counters::table(&self.readings()?, names),
            ["player", name] => player::render(stage(name)?),
            ["access", name, n, block, space, direction, ref text @ ..] => {
                trace::access(name, n, block, space, direction, &text.join(" "))
            }
            ["lanes", name, n, block] => trace::lanes(name, n, block),
            ["explorer", name] => explorer::render(&self.book, name),
            ["figure", name] => figure::inline(&self.book, name),
            ["momentum", name, kernel] => {
                chosen(stage(name)?, &[kernel])?;
                Ok(physics::momentum(&Records::physics(&self.device()?.folder, name)?, kernel))
            }
            ["departures", name] => physics::departures(&Records::physics(&self.device()?.folder, name)?),
            ["prices"] => Ok(prices::table(&self.prices()?)),
            ["twins"] => twins::table(&self.pairs()?),
            ["twins_mean", what] => twins::mean(&self.pairs()?, what),
            ["per_pair", name] => counters::per_pair(&self.readings()?, &Kernel::named(name)?),
            ["count", name, counter] => counters::one(&self.readings()?, &Kernel::named(name)?, counter),
            [what @ ("time" | "ratio" | "rate" | "share" | "occupancy"), name, kernel] => {
                chosen(stage(name)?, &[kernel])?;
                self.records(name)?.of(kernel)?.map_or_else(|| Ok(NOT_RECORDED.into()), |timed| timed.number(what))
            }
            _ => bail!("no such directive; they are listed in book/src/fill/mod.rs"),
        }?;
        Ok(text + &self.remark_on_age(&words)? + &self.remark_on_gaps(&words)?)
    }
}
