//! The preprocessor: replaces directives, `{{word argument …}}`, by what kernels, records and figures hold.
//!
//! | directive | becomes |
//! |---|---|
//! | `{{kernel NAME}}` | the kernel's file without its card |
//! | `{{kernel NAME item ITEM}}` | one function or type of it |
//! | `{{card NAME}}` | its card |
//! | `{{diff NAME}}`, `{{diff NAME from OTHER}}` | what it changes in its rung below, or in another kernel |
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
mod limits;
mod notation;
mod packed;
mod player;
mod plot;
pub(crate) mod records;
mod remembered;
mod results;
mod roofline;
mod sizes;
pub(crate) mod source;
mod sweep;
mod trace;
mod traffic;
pub(crate) mod version;

use anyhow::{Result, bail};
use common::limit::Known;
use common::stage::Rung;
use devices::Device;
use kernels::{Kernel, STAGES, chosen, stage};
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use records::{NOT_RECORDED, Readings, Records, Timed};
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
const BLOCKS: [&str; 17] = [
    "kernel", "card", "diff", "ladder", "plot", "sweep", "roofline", "traffic", "results", "counters", "figure",
    "player", "explorer", "access", "lanes", "sizes", "limits",
];

/// Directives whose first argument is a stage and that show its recorded times. Where a record is of an older version
/// of its kernel, they say so.
const OF_RECORDS: [&str; 13] = [
    "ladder",
    "plot",
    "sweep",
    "sizes",
    "roofline",
    "traffic",
    "time",
    "ratio",
    "rate",
    "share",
    "occupancy",
    "limiter",
    "unit",
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
            ["kernel", name] => source::whole(&Kernel::named(name)?),
            ["kernel", name, "item", item] => source::item(&Kernel::named(name)?, item),
            ["card", name] => card::render(&Kernel::named(name)?),
            ["diff", name] => diff::with_rung_below(&Kernel::named(name)?),
            ["diff", name, "from", other] => diff::between(&Kernel::named(other)?, &Kernel::named(name)?),
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

    /// What to add to what a directive became, when kernels have changed since their records were made.
    fn remark_on_age(&self, words: &[&str]) -> Result<String> {
        let of_stage = |name: &str| Ok(self.records(name)?.older(stage(name)?));
        match words {
            ["results"] => {
                let older: Vec<_> = STAGES.iter().map(|stage| of_stage(stage.name)).collect::<Result<_>>()?;
                Ok(version::below(&older.concat()))
            }
            [word, name, kernels @ ..] if OF_RECORDS.contains(word) => {
                let mut older = of_stage(name)?;
                if *word == "sizes" {
                    let others = self.sizes(name)?.older(stage(name)?);
                    older.extend(others.into_iter().filter(|kernel| !older.contains(kernel)).collect::<Vec<_>>());
                }
                older.retain(|kernel| kernels.is_empty() || kernels.contains(kernel));
                Ok(if BLOCKS.contains(word) { version::below(&older) } else { version::inline(&older) })
            }
            _ => Ok(String::new()),
        }
    }

    /// What to add to a block that shows recorded times, where kernels have none.
    fn remark_on_gaps(&self, words: &[&str]) -> Result<String> {
        let [word, name, kernels @ ..] = words else { return Ok(String::new()) };
        if !BLOCKS.contains(word) || !OF_RECORDS.contains(word) {
            return Ok(String::new());
        }
        let records = match *word {
            "sweep" => Records::sweep(&self.device()?.folder, name)?,
            "sizes" => self.sizes(name)?,
            _ => self.records(name)?,
        };
        let mut missing = records.missing(stage(name)?);
        // a whole stage's chart of launch shapes leaves out kernels that have one shape
        missing.retain(|kernel| kernels.contains(kernel) || (kernels.is_empty() && *word != "sweep"));
        if *word == "sweep" && records.list().is_empty() {
            missing = chosen(stage(name)?, kernels)?.iter().map(|row| row.kernel).collect();
        }
        // requests are counted by the emulator, on any machine
        Ok(if *word == "traffic" { String::new() } else { version::gaps(&missing) })
    }

    /// The recorded run of a stage that the book shows.
    ///
    /// # Errors
    /// As [`Records::in_folder`].
    pub(crate) fn records(&self, stage: &str) -> Result<Records> {
        Records::in_folder(&self.device()?.folder, stage)
    }

    /// The recorded runs of a stage at other sizes.
    fn sizes(&self, stage: &str) -> Result<Records> {
        Records::sizes(&self.device()?.folder, stage)
    }

    /// What is known of the limits of the device that the book shows.
    fn known(&self) -> Result<Known> {
        Ok(limits::known(&self.results(), &self.device()?))
    }

    /// What a recorded run says of the units' limits.
    fn of_limits(
        &self,
        name: &str,
        kernel: &str,
        say: impl FnOnce(&Rung, &Timed, &Known) -> Result<String>,
    ) -> Result<String> {
        let rung = chosen(stage(name)?, &[kernel])?[0];
        let (records, known) = (self.records(name)?, self.known()?);
        records.of(kernel)?.map_or_else(|| Ok(NOT_RECORDED.into()), |timed| say(rung, &timed, &known))
    }

    fn counted(&self, stage: &str) -> Result<Records> {
        Records::counted(&self.results(), stage)
    }

    fn readings(&self) -> Result<Readings> {
        Readings::read(&self.device()?.folder)
    }

    fn device(&self) -> Result<Device> {
        Device::shown(&self.results())
    }

    fn results(&self) -> PathBuf {
        self.book.join("../results")
    }
}
