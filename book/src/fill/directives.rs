//! The directives, `{{word argument …}}`, and what each becomes.
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
//! | `{{climb PROBLEM}}` | the fastest kernel of each stage for a problem, against the limit, as bars |
//! | `{{sweep STAGE}}`, `{{sweep STAGE KERNEL …}}` | times against threads per block, as a plot |
//! | `{{sizes STAGE KERNEL …}}` | times and shares of the limit against n, as a plot |
//! | `{{roofline STAGE}}` | the stage's rates against operations for each byte moved, under the device's limits |
//! | `{{traffic STAGE}}`, `{{traffic STAGE KERNEL …}}` | bytes moved against bytes needed, as bars |
//! | `{{results}}` | the times of all stages in one table, beside the published figures |
//! | `{{counters NAME …}}` | Nsight Compute's readings of kernels |
//! | `{{player STAGE}}` | the stage's kernels to run and step through in the page |
//! | `{{explorer NAME}}` | banks, coalescing, occupancy, parallelism or shuffle, to try in the page |
//! | `{{access NAME N BLOCK SPACE DIRECTION TEXT}}` | sectors or banks of a warp's first such access, on a line with the text |
//! | `{{lanes NAME N BLOCK}}` | which lanes of a warp are active over its instructions |
//! | `{{lines FILE}}`, `{{lines FILE: TEXT}}`, `{{lines FILE: TEXT … TEXT}}` | a file of the repository, one line of it, or those from one to another |
//! | `{{exercises STAGE}}` | a list of a stage's exercises, for the end of its chapter |
//! | `{{exercise NAME}}` | its card, its skeleton, and what to predict |
//! | `{{player STAGE exercises}}` | the skeletons of a stage's exercises to run and step through in the page |
//! | `{{figure NAME}}` | `book/figures/NAME.svg` |
//! | `{{formula LATEX}}` | a formula on a line of its own |
//! | `{{time STAGE NAME}}`, `{{ratio …}}`, `{{rate …}}`, `{{share …}}`, `{{occupancy …}}` | one recorded number |
//! | `{{cpu STAGE NAME WHAT}}` | the same work on the recorded machine's CPU: serial, parallel, threads, gain |
//! | `{{time STAGE NAME at N}}`, `{{cpu STAGE NAME WHAT at N}}` … | the same at another size, where that was recorded |
//! | `{{limiter STAGE NAME}}`, `{{unit STAGE NAME UNIT}}` | the unit that is nearest to its measured limit, or a unit's share |
//! | `{{limits}}`, `{{limit NAME}}` | the measured limits of the units as a table, or one of them |
//! | `{{waits STAGE}}`, `{{waits STAGE KERNEL …}}` | what the warps of kernels wait for, as bars |
//! | `{{issue SIZE SIZE KERNEL …}}` | instructions of a pair, and per clock with few and with many warps, as a table |
//! | `{{levels KERNEL …}}` | bytes asked of the L1 caches, the L2 cache and memory, as a table |
//! | `{{profiled KERNEL WHAT}}`, `{{profiled KERNEL SIZE WHAT}}` | one number of a profile: issued, warps, clocks, busy, a unit, or a reason to wait |
//! | `{{answers}}`, `{{schedulers}}`, `{{flight}}` | clocks until units answer, as a table; instructions against warps, and bytes per second against bytes under way, as plots |
//! | `{{latency unit NAME}}`, `{{latency read WARPS LOADS}}`, `{{latency issue WARPS CHAINS}}` | one number of these |
//! | `{{count NAME COUNTER}}` | one reading |
//! | `{{momentum STAGE NAME}}` | the sum of a kernel's forces in relation to the sum of their magnitudes |
//! | `{{departures STAGE}}` | the steps after which bodies depart from double precision |
//! | `{{twins}}` | times and instructions of the kernels in Rust in relation to CUDA C++, as a table |
//! | `{{twin NAME}}` | time of a kernel in Rust over that of its twin in CUDA C++ |
//! | `{{many PROBLEM N RANKS}}` | the rungs of stage 7 on this number of GPUs, as a table |
//! | `{{on_ranks RUNG N RANKS WHAT}}` | one number of a rung: speedup, efficiency, alone, compute, exchange, total, predicted, bandwidth, latency |
//! | `{{strong PROBLEM RANKS}}`, `{{weak PROBLEM RANKS}}` | speedups against n, as a plot; the same work for each GPU, as a table |
//! | `{{timeline RUNG N RANKS}}` | what ran when in a step, on each stream of each rank |
//! | `{{paper N}}` | what stage 7's model predicts for more GPUs |
//! | `{{prices}}` | what each part of the way from Rust to PTX brings, as a table |
//! | `{{twins_mean time}}`, `{{twins_mean instructions}}` | the geometric mean of these ratios |
//! | `{{per_pair NAME}}` | machine instructions per pair of bodies |
//!
//! Those that become a block stand alone on a line. What cannot be met fails the build with its file and line.

use super::kernels::{Kernel, chosen, stage};
use super::records::Records;
use super::{
    Sources, card, climb, counters, cpu, devices, diff, exercises, explorer, figure, formula, ladder, languages,
    latency, limits, lines, many, physics, player, plot, prices, profile, results, roofline, sizes, source, sweep,
    trace, traffic, twins,
};
use anyhow::{Result, bail};

/// Directives that become blocks of Markdown or HTML.
pub(super) const BLOCKS: [&str; 35] = [
    "kernel",
    "card",
    "diff",
    "ladder",
    "plot",
    "climb",
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
];

impl Sources {
    /// What a directive becomes; `alone` where nothing else is on its line.
    ///
    /// # Errors
    /// When it cannot be met.
    pub(super) fn expand(&self, directive: &str, alone: bool) -> Result<String> {
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
            ["climb", letter] => climb::render(letter, &self.device()?),
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
            ["exercises", name] => exercises::list(stage(name)?.name),
            ["exercise", name] => exercises::one(name),
            ["player", name, "exercises"] => exercises::player(stage(name)?.name),
            ["player", name] => player::render(stage(name)?, &self.readings()?),
            ["access", name, n, block, space, direction, ref text @ ..] => {
                trace::access(name, n, block, space, direction, &text.join(" "))
            }
            ["lanes", name, n, block] => trace::lanes(name, n, block),
            ["lines", file, ref selector @ ..] => lines::render(file, &selector.join(" ")),
            ["explorer", "parallelism"] => {
                Ok(latency::explorer(&self.latencies()?, &limits::measured(&self.device()?)?))
            }
            ["explorer", name] => explorer::render(&self.book, name),
            ["formula", ref latex @ ..] => formula::render(&latex.join(" ")),
            ["figure", name] => figure::inline(&self.book, name),
            ["momentum", name, kernel] => {
                chosen(stage(name)?, &[kernel])?;
                Ok(physics::momentum(&Records::physics(&self.device()?.folder, name)?, kernel))
            }
            ["departures", name] => physics::departures(&Records::physics(&self.device()?.folder, name)?),
            ["twins"] => twins::table(&self.pairs()?),
            ["prices"] => Ok(prices::table(&self.prices()?)),
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
            ["twins_mean", what] => twins::mean(&self.pairs()?, what),
            ["per_pair", name] => counters::per_pair(&self.readings()?, &Kernel::named(name)?),
            ["count", name, counter] => counters::one(&self.readings()?, &Kernel::named(name)?, counter),
            [what @ ("time" | "ratio" | "rate" | "share" | "occupancy"), name, kernel, ref at @ ..] => {
                self.of_record(name, kernel, at, |timed| timed.number(what))
            }
            ["cpu", name, kernel, what, ref at @ ..] => {
                self.of_record(name, kernel, at, |timed| cpu::number(timed, what))
            }
            _ => bail!("no such directive; they are listed in book/src/fill/directives.rs"),
        }?;
        Ok(text + &self.remark_on_age(&words)? + &self.remark_on_gaps(&words)?)
    }
}
