//! The directives, `{{word argument …}}`, and their replacements.
//!
//! | directive | replaced by |
//! |---|---|
//! | `{{kernel NAME}}` | the kernel's code without the card, in tabs for CUDA C++ and Rust |
//! | `{{kernel NAME item ITEM}}` | one function or type of the kernel's file, in tabs |
//! | `{{kernel NAME in rust}}` | only the Rust version |
//! | `{{card NAME}}` | the kernel's card |
//! | `{{diff NAME}}`, `{{diff NAME from OTHER}}` | the diff from the rung below or from another kernel, in tabs |
//! | `{{diff NAME in rust}}` | only the diff of the Rust versions |
//! | `{{ladder STAGE}}`, `{{plot STAGE}}` | the stage's recorded times, as tables or as a plot |
//! | `{{climb PROBLEM}}` | the fastest kernel of each stage for a problem, and the share of its busiest unit, as bars |
//! | `{{sweep STAGE}}`, `{{sweep STAGE KERNEL …}}` | times by threads per block, as a plot |
//! | `{{starts KERNEL …}}` | times divided by the number of blocks, by threads per block, as a plot |
//! | `{{sizes STAGE KERNEL …}}` | times, and rates relative to the peak, by n, as a plot |
//! | `{{roofline STAGE}}` | rooflines, one per problem: rates by operations per byte of the L1 caches, the L2 cache and memory, under the device's limits |
//! | `{{traffic STAGE}}`, `{{traffic STAGE KERNEL …}}` | memory traffic relative to minimum traffic, as bars |
//! | `{{results}}` | the times of all stages in one table, with the published ones |
//! | `{{counters NAME …}}` | Nsight Compute's readings of kernels |
//! | `{{faults}}` | faulty kernels, and which tools notice each, as a table |
//! | `{{planted}}` | mistakes in other people's kernels, and how many are reported, as a table |
//! | `{{player STAGE}}` | a player that runs and steps through the stage's kernels |
//! | `{{explorer NAME}}` | an interactive explorer: banks, coalescing, occupancy, parallelism or shuffle |
//! | `{{access NAME N BLOCK SPACE DIRECTION TEXT}}` | the sectors or banks of a warp's first such access, on a line with the text |
//! | `{{lanes NAME N BLOCK}}` | the active lanes of a warp during its instructions |
//! | `{{lines FILE}}`, `{{lines FILE: TEXT}}`, `{{lines FILE: TEXT … TEXT}}` | a file of the repository, one of its lines, or a range of lines |
//! | `{{exercises STAGE}}` | a list of a stage's exercises, for the end of its chapter |
//! | `{{exercise NAME}}` | an exercise's card, skeleton and questions |
//! | `{{exercise NAME briefly}}` | its title, the command that begins it, and the limits, for a slide |
//! | `{{player STAGE exercises}}` | a player for the skeletons of a stage's exercises |
//! | `{{figure NAME}}` | `book/figures/NAME.svg` |
//! | `{{chip UNIT}}` | a small picture of an H200 with one unit lit: multiprocessors, schedulers, registers, fp32, special, shared, l1, l2, memory or blocks |
//! | `{{formula LATEX}}` | a formula on a separate line |
//! | `{{time STAGE NAME}}`, `{{ratio …}}`, `{{rate …}}`, `{{share …}}`, `{{occupancy …}}` | one recorded number |
//! | `{{cpu STAGE NAME WHAT}}` | the same work on the recorded machine's CPU: serial, parallel, threads, gain |
//! | `{{time STAGE NAME at N}}`, `{{cpu STAGE NAME WHAT at N}}` … | the same at another recorded size |
//! | `{{limiter STAGE NAME}}`, `{{unit STAGE NAME UNIT}}` | what limits a kernel, or the share of a unit |
//! | `{{limits}}`, `{{limit NAME}}` | the measured peak rates of the units as a table, or one of them |
//! | `{{waits STAGE}}`, `{{waits STAGE KERNEL …}}` | the stall reasons of kernels, as bars |
//! | `{{issue SIZE SIZE KERNEL …}}` | instructions per interaction, and per clock with few and with many warps, as a table |
//! | `{{levels KERNEL …}}` | the traffic of the L1 caches, the L2 cache and memory, as a table |
//! | `{{profiled KERNEL WHAT}}`, `{{profiled KERNEL SIZE WHAT}}` | one number of a profile: issued, warps, clocks, busy, a unit, or a stall reason |
//! | `{{answers}}`, `{{schedulers}}`, `{{flight}}` | the latencies of the units, as a table; instructions by warps, and bytes per second by bytes in flight, as plots |
//! | `{{latency unit NAME}}`, `{{latency read WARPS LOADS}}`, `{{latency issue WARPS CHAINS}}` | one of these numbers |
//! | `{{cost start BODY THREADS}}`, `{{cost store STRIDE BYTES}}`, `{{cost l2 BYTES}}` and others | what one action costs |
//! | `{{estimates GROUP}}` | estimated times beside recorded ones, of cuda, rust or matmul, as a table |
//! | `{{estimated GROUP WHAT}}` | one number of such a table: kernels, mean, median, worst, band, order, limiter, apart, registers-mean, registers-median, registers-worst, occupancy |
//! | `{{estimated_twins WAY WHAT}}` | how well a recorded time in CUDA C++, times a ratio of estimates, gives that in Rust: pairs, unchanged, ratio |
//! | `{{estimated_waits GROUP}}` | what warps wait for, as estimated and as profiled, as a table |
//! | `{{evaluated SET WHAT}}` | one number of all recorded launch shapes, sizes, or of an H100: points, missing, mean, median, worst, band, order, lost, unchanged, ratio |
//! | `{{outside SET}}` | the launches of a set outside of the band, as a table |
//! | `{{count NAME COUNTER}}` | one reading of Nsight Compute |
//! | `{{momentum STAGE NAME}}` | the sum of a kernel's forces divided by the sum of their magnitudes |
//! | `{{heads STAGE KERNELS}}` | recorded rates of attention by positions and heads, beside those of others |
//! | `{{departures STAGE}}` | the steps after which bodies deviate from double precision |
//! | `{{twins}}` | times and instructions of the kernels in Rust relative to CUDA C++, as a table |
//! | `{{twin NAME}}` | the time of a kernel in Rust divided by its time in CUDA C++ |
//! | `{{many PROBLEM N RANKS}}` | the rungs of stage 7 on this number of GPUs, as a table |
//! | `{{on_ranks RUNG N RANKS WHAT}}` | one number of a rung: speedup, efficiency, alone, compute, exchange, total, predicted, bandwidth, latency |
//! | `{{strong PROBLEM RANKS}}`, `{{weak PROBLEM RANKS}}` | speedups by n, as a plot; the same work per GPU, as a table |
//! | `{{timeline RUNG N RANKS}}` | the timeline of a step, on each stream of each rank |
//! | `{{paper N}}` | the prediction of stage 7's model for more GPUs |
//! | `{{prices}}` | the effect of each compiler setting for kernels in Rust, as a table |
//! | `{{variants}}` | kernels beside changed copies of them, as a table: what a time is due to |
//! | `{{twins_mean time}}`, `{{twins_mean instructions}}` | the geometric mean of these ratios |
//! | `{{minutes PAGE}}`, `{{minutes PAGE ANCHOR …}}` | how long a page, or sections of it, take to read |
//! | `{{per_pair NAME}}` | machine instructions per interaction |
//!
//! A directive that is replaced by a block must be alone on its line. An error in a directive fails the build with its file and
//! line.

use super::kernels::{Kernel, chosen, stage};
use super::records::Records;
use super::{
    Sources, card, chip, climb, costs, counters, cpu, devices, diff, estimates, evaluation, exercises, explorer,
    faults, figure, formula, heads, ladder, languages, latency, lines, many, minutes, peaks, physics, planted, player,
    plot, prices, profile, results, roofline, sizes, source, starts, sweep, trace, traffic, twins, variants,
};
use anyhow::{Result, bail};

/// The directives that are replaced by blocks of Markdown or HTML.
pub(super) const BLOCKS: [&str; 44] = [
    "kernel",
    "card",
    "diff",
    "ladder",
    "plot",
    "climb",
    "sweep",
    "starts",
    "roofline",
    "traffic",
    "results",
    "counters",
    "faults",
    "planted",
    "figure",
    "chip",
    "player",
    "explorer",
    "access",
    "lanes",
    "sizes",
    "limits",
    "heads",
    "departures",
    "twins",
    "prices",
    "variants",
    "many",
    "strong",
    "weak",
    "timeline",
    "paper",
    "lines",
    "exercises",
    "exercise",
    "waits",
    "issue",
    "levels",
    "answers",
    "schedulers",
    "flight",
    "estimates",
    "estimated_waits",
    "outside",
];

impl Sources {
    /// Returns the replacement of a directive. `alone` is whether nothing else is on its line.
    ///
    /// # Errors
    /// Returns an error if the directive is unknown or its arguments are wrong.
    pub(super) fn expand(&self, directive: &str, alone: bool) -> Result<String> {
        let words: Vec<&str> = directive.split_whitespace().collect();
        // mdBook's own directives are left to its next preprocessor.
        if words.first().is_some_and(|word| word.starts_with('#')) {
            return Ok(format!("{{{{{directive}}}}}"));
        }
        if words.first().is_some_and(|word| BLOCKS.contains(word)) && !alone {
            bail!("this directive is replaced by a block: put it alone on its line");
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
            ["climb", letter] => climb::render(letter, &self.results(), &self.device()?),
            ["sweep", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                sweep::render(stage, &chosen(stage, kernels)?, &Records::sweep(&self.device()?.folder, name)?)
            }
            ["starts", ref kernels @ ..] => starts::render(kernels, &self.device()?),
            ["sizes", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                sizes::render(stage, &chosen(stage, kernels)?, &self.sizes(name)?)
            }
            ["heads", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                heads::render(stage, &chosen(stage, kernels)?, &self.device()?.folder)
            }
            ["limits"] => peaks::table(&peaks::measured(&self.device()?)?),
            ["limit", name] => peaks::one(&peaks::measured(&self.device()?)?, name),
            ["limiter", name, kernel] => {
                self.of_limits(name, kernel, |rung, timed, known| Ok(peaks::limiter(known, rung, timed)))
            }
            ["unit", name, kernel, unit] => {
                self.of_limits(name, kernel, |rung, timed, known| peaks::of_unit(known, rung, timed, unit))
            }
            ["roofline", name] => {
                let (stage, limits) = (stage(name)?, roofline::Limits::of(&self.device()?)?);
                let (records, counted) = (self.records(name)?, self.counted(name)?);
                roofline::render(stage, &records, &counted, &self.profiles()?, &limits)
            }
            ["traffic", name, ref kernels @ ..] => {
                let stage = stage(name)?;
                traffic::render(stage, &chosen(stage, kernels)?, &self.records(name)?, &self.counted(name)?)
            }
            ["results"] => results::render(&devices::all(&self.results())?),
            ["counters", ref names @ ..] if !names.is_empty() => counters::table(&self.readings()?, names),
            ["faults"] => faults::table(&self.book.join("..")),
            ["planted"] => planted::table(&self.book.join("..")),
            ["exercises", name] => exercises::list(stage(name)?.name),
            ["exercise", name, "briefly"] => exercises::brief(name),
            ["exercise", name] => exercises::one(name),
            ["player", name, "exercises"] => exercises::player(stage(name)?.name),
            ["player", name] => player::render(stage(name)?, &self.readings()?),
            ["access", name, n, block, space, direction, ref text @ ..] => {
                trace::access(name, n, block, space, direction, &text.join(" "))
            }
            ["lanes", name, n, block] => trace::lanes(name, n, block),
            ["lines", file, ref selector @ ..] => lines::render(file, &selector.join(" ")),
            ["explorer", "parallelism"] => {
                Ok(latency::explorer(&self.latencies()?, &peaks::measured(&self.device()?)?))
            }
            ["explorer", name] => explorer::render(&self.book, name),
            ["formula", ref latex @ ..] => formula::render(&latex.join(" ")),
            ["chip", unit] => chip::render(&self.book, unit),
            ["figure", name] => figure::inline(&self.book, name),
            ["momentum", name, kernel] => {
                chosen(stage(name)?, &[kernel])?;
                Ok(physics::momentum(&Records::physics(&self.device()?.folder, name)?, kernel))
            }
            ["departures", name] => physics::departures(&Records::physics(&self.device()?.folder, name)?),
            ["twins"] => twins::table(&self.pairs()?),
            ["prices"] => Ok(prices::table(&self.prices()?)),
            ["variants"] => Ok(variants::table(&self.variants()?)),
            ["twin", name] => Ok(twins::one(&self.pairs()?, Kernel::named(name)?.rung.kernel)),
            ["many", problem, n, ranks] => {
                Ok(many::table(&self.many()?, problem, many::parsed(n)?, many::parsed(ranks)?))
            }
            ["on_ranks", rung, n, ranks, what] => self.many()?.number([rung, n, ranks, what]),
            ["strong", problem, ranks] => Ok(many::strong(&self.many()?, problem, many::parsed(ranks)?)),
            ["weak", problem, ranks] => Ok(many::weak(&self.many()?, problem, many::parsed(ranks)?)),
            ["timeline", rung, n, ranks] => {
                Ok(many::timeline(&self.many()?, rung, many::parsed(n)?, many::parsed(ranks)?))
            }
            ["paper", n] => Ok(many::paper(&self.many()?, many::parsed(n)?)),
            ["waits", name, ref kernels @ ..] => Ok(profile::waits(&chosen(stage(name)?, kernels)?, &self.profiles()?)),
            ["issue", few, many, ref kernels @ ..] => {
                Ok(profile::issue(&self.profiles()?, [many::parsed(few)?, many::parsed(many)?], kernels))
            }
            ["levels", ref kernels @ ..] => Ok(profile::levels(&self.profiles()?, kernels)),
            ["profiled", kernel, what] => self.profiles()?.number(kernel, None, what),
            ["profiled", kernel, size, what] => self.profiles()?.number(kernel, Some(many::parsed(size)?), what),
            ["answers"] => Ok(latency::answers(&self.latencies()?)),
            ["schedulers"] => Ok(latency::issue(&self.latencies()?)),
            ["flight"] => Ok(latency::flight(&self.latencies()?)),
            ["latency", ref words @ ..] => latency::one(&self.latencies()?, words),
            ["cost", ref words @ ..] => costs::one(&self.costs()?, words),
            ["estimates", group] => Ok(estimates::table(&self.estimates(group)?)),
            ["estimated", group, what] => estimates::number(&self.estimates(group)?, what),
            ["estimated_twins", way, what] => self.estimated_twins(way, what),
            ["estimated_waits", group] => Ok(estimates::waits_table(&self.estimates(group)?)),
            ["evaluated", set, what] => {
                let (points, missing) = self.evaluation(set)?;
                evaluation::number(&points, missing, what)
            }
            ["outside", set] => Ok(evaluation::outside(&self.evaluation(set)?.0)),
            ["minutes", page, ref anchors @ ..] => minutes::render(self, page, anchors),
            ["twins_mean", what] => twins::mean(&self.pairs()?, what),
            ["per_pair", name] => counters::per_pair(&self.readings()?, &Kernel::named(name)?),
            ["count", name, counter] => counters::one(&self.readings()?, &Kernel::named(name)?, counter),
            [what @ ("time" | "ratio" | "rate" | "share" | "occupancy"), name, kernel, ref at @ ..] => {
                self.of_record(name, kernel, at, |timed| timed.number(what))
            }
            ["cpu", name, kernel, what, ref at @ ..] => {
                self.of_record(name, kernel, at, |timed| cpu::number(timed, what))
            }
            _ => bail!("there is no such directive; book/src/fill/directives.rs lists them"),
        }?;
        Ok(text + &self.remark_on_gaps(&words)?)
    }
}
