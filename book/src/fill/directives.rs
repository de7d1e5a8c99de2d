//! The directives, `{{word argument …}}`, and their replacements.

use super::kernels::{Kernel, chosen, of_problems, stage};
use super::many::parse_number;
use super::{
    Sources, attention, block_starts, card, chip, costs, counters, devices, diff, differences, exercises, explorer,
    fastest_kernels, faults, figure, formula, ladder, languages, latency, lines, many, minutes, peaks, physics,
    planted, player, plot, profile, results, roofline, sizes, source, sweep, trace, traffic, twins, variants,
};
use crate::validation::{kernels, launches};
use anyhow::{Result, bail};
use common::stage::Rung;

/// A directive.
struct Directive {
    /// Its word and its arguments: capital letters stand for one argument, `…` for any number of them.
    usage: &'static str,
    /// Whether a block of Markdown or HTML replaces it, so that it must be alone on its line.
    is_block: bool,
    /// Returns the replacement, from the arguments.
    expand: fn(&Sources, &[&str]) -> Result<String>,
}

const fn block(usage: &'static str, expand: fn(&Sources, &[&str]) -> Result<String>) -> Directive {
    Directive { usage, is_block: true, expand }
}

const fn inline(usage: &'static str, expand: fn(&Sources, &[&str]) -> Result<String>) -> Directive {
    Directive { usage, is_block: false, expand }
}

/// All directives. The first one whose usage fits replaces the text.
const DIRECTIVES: &[Directive] = &[
    // The kernel's code without the card, in tabs for CUDA C++ and Rust; only that in Rust; one of its functions or types.
    block("kernel NAME", |_, a| languages::kernel(a[0])),
    block("kernel NAME in rust", |_, a| source::whole(&Kernel::find(a[0])?.in_rust()?)),
    block("kernel NAME item ITEM", |_, a| languages::item(a[0], a[1])),
    block("card NAME", |_, a| card::render(&Kernel::find(a[0])?)),
    // The diff from the rung below, or from another kernel, in tabs.
    block("diff NAME", |_, a| {
        let kernel = Kernel::find(a[0])?;
        languages::diff(&kernel, &kernel.below()?)
    }),
    block("diff NAME in rust", |_, a| {
        let kernel = Kernel::find(a[0])?;
        diff::between(&kernel.below()?.in_rust()?, &kernel.in_rust()?)
    }),
    block("diff NAME from OTHER", |_, a| languages::diff(&Kernel::find(a[0])?, &Kernel::find(a[1])?)),
    // A file of the repository, the line with a text, or the lines from one text to another: `FILE: TEXT … TEXT`.
    block("lines FILE …", |book, a| {
        if book.omits_solutions && a[0].contains("/solution.") {
            return Ok("*(Part of a solution, which this edition leaves out.)*\n".into());
        }
        lines::render(a[0], &a[1..].join(" "))
    }),
    // The stage's recorded times, of all problems or of some, by their letters: as tables, and as a plot.
    block("ladder STAGE …", |book, a| {
        let rungs = of_problems(stage(a[0])?, &a[1..])?;
        ladder::render(&rungs, &book.records(a[0])?, &book.known()?)
    }),
    block("plot STAGE …", |book, a| {
        plot::render(stage(a[0])?, &of_problems(stage(a[0])?, &a[1..])?, &book.records(a[0])?)
    }),
    // The time of the fastest kernel of each stage for a problem, as bars.
    block("climb PROBLEM", |book, a| fastest_kernels::render(a[0], &book.device()?)),
    // Times by threads per block, as a plot; the same divided by the number of blocks.
    block("sweep STAGE …", |book, a| {
        let stage = stage(a[0])?;
        sweep::render(stage, &chosen(stage, &a[1..])?, &book.others(a[0], "sweep")?)
    }),
    block("starts …", |book, a| block_starts::render(a, &book.device()?)),
    // Times, and rates relative to the peak, by n, as a plot.
    block("sizes STAGE …", |book, a| {
        let stage = stage(a[0])?;
        sizes::render(stage, &chosen(stage, &a[1..])?, &book.others(a[0], "sizes")?)
    }),
    // Recorded rates of attention by positions and heads, beside those of others.
    block("heads STAGE …", |book, a| {
        let stage = stage(a[0])?;
        attention::render(stage, &chosen(stage, &a[1..])?, &book.device()?.folder)
    }),
    // Rooflines, one per problem, of all or of some: rates by operations per byte of the L1 caches, the L2 cache and memory, under the limits.
    block("roofline STAGE …", |book, a| {
        let limits = roofline::Limits::read(&book.device()?)?;
        let chosen = (stage(a[0])?, &of_problems(stage(a[0])?, &a[1..])?[..]);
        roofline::render(chosen, &book.records(a[0])?, &book.counts(a[0])?, &book.profiles()?, &limits)
    }),
    // Memory traffic relative to minimum traffic, as bars.
    block("traffic STAGE …", |book, a| {
        let stage = stage(a[0])?;
        traffic::render(stage, &chosen(stage, &a[1..])?, &book.records(a[0])?, &book.counts(a[0])?)
    }),
    // The times of all stages in one table, with the published ones.
    block("results", |book, _| results::render(&devices::all(&book.results())?)),
    // For each other GPU, its rates, its times, and the kernels that change order.
    block("differences", |book, _| differences::render(&book.results(), &devices::all(&book.results())?)),
    // One recorded number of a kernel: in the stage's table, `at N`, another size, or `with OPTION VALUE`.
    inline("time STAGE NAME …", |book, a| book.record_number(a, |timed| timed.number("time"))),
    inline("ratio STAGE NAME …", |book, a| book.record_number(a, |timed| timed.number("ratio"))),
    inline("rate STAGE NAME …", |book, a| book.record_number(a, |timed| timed.number("rate"))),
    inline("share STAGE NAME …", |book, a| book.record_number(a, |timed| timed.number("share"))),
    inline("occupancy STAGE NAME …", |book, a| book.record_number(a, |timed| timed.number("occupancy"))),
    // The same work on the recorded machine's CPU: serial, parallel, threads, gain.
    inline("cpu STAGE NAME WHAT …", |book, a| {
        book.record_number(&[&a[..2], &a[3..]].concat(), |timed| timed.cpu_number(a[2]))
    }),
    // The measured peak rates of the units as a table, or one of them; what limits a kernel, and the share of a unit.
    block("limits", |book, _| peaks::table(&book.list("limits.json")?)),
    inline("limit NAME", |book, a| peaks::one(&book.list("limits.json")?, a[0])),
    inline("limiter STAGE NAME", |book, a| {
        book.limit_number(a[0], a[1], |rung, timed, known| Ok(peaks::limiter(known, rung, timed)))
    }),
    inline("unit STAGE NAME UNIT", |book, a| {
        book.limit_number(a[0], a[1], |rung, timed, known| peaks::unit_share(known, rung, timed, a[2]))
    }),
    // Readings of Nsight Compute: a table, one of them, and machine instructions per interaction.
    block("counters NAME …", |book, a| counters::table(&book.readings()?, a)),
    inline("count NAME COUNTER", |book, a| counters::one(&book.readings()?, &Kernel::find(a[0])?, a[1])),
    inline("per_pair NAME", |book, a| counters::per_pair(&book.readings()?, &Kernel::find(a[0])?)),
    // The stall reasons of kernels, as bars.
    block("waits STAGE …", |book, a| {
        let records = book.records(a[0])?;
        let run = |rung: &Rung| Some(records.find(rung.kernel).ok()??.time.median);
        Ok(profile::waits(&chosen(stage(a[0])?, &a[1..])?, &book.profiles()?, run))
    }),
    // Instructions per interaction, and per clock with few and with many warps, as a table.
    block("issue FEW MANY …", |book, a| {
        Ok(profile::issue(&book.profiles()?, [parse_number(a[0])?, parse_number(a[1])?], &a[2..]))
    }),
    // The traffic of the L1 caches, the L2 cache and memory, as a table.
    block("levels …", |book, a| Ok(profile::levels(&book.profiles()?, a))),
    // One number of a profile: issued, warps, clocks, busy, a unit, or a stall reason.
    inline("profiled KERNEL WHAT", |book, a| book.profiles()?.number(a[0], None, a[1])),
    inline("profiled KERNEL SIZE WHAT", |book, a| book.profiles()?.number(a[0], Some(parse_number(a[1])?), a[2])),
    // The latencies of the units, as a table; instructions by warps, and bytes per second by bytes in flight, as plots.
    block("answers", |book, _| Ok(latency::answers(&book.list("latency.json")?))),
    block("schedulers", |book, _| Ok(latency::issue(&book.list("latency.json")?))),
    block("flight", |book, _| Ok(latency::flight(&book.list("latency.json")?))),
    // `unit NAME`, `read WARPS LOADS` or `issue WARPS CHAINS`.
    inline("latency …", |book, a| latency::one(&book.list("latency.json")?, a)),
    // The price of one action: `start BODY THREADS`, `store STRIDE BYTES`, `l2 BYTES SHARING` and others.
    inline("cost …", |book, a| costs::one(&book.list("costs.json")?, a)),
    // Estimates beside records. A group is cuda, rust or matmul, a set is shapes, sizes or h100; `-machine-code` may follow both.
    block("estimates GROUP", |book, a| Ok(kernels::table(&book.estimates(a[0])?))),
    inline("estimated GROUP WHAT", |book, a| kernels::number(&book.estimates(a[0])?, a[1])),
    inline("estimated_twins WAY WHAT", |book, a| book.estimated_twins(a[0], a[1])),
    block("estimated_waits GROUP", |book, a| Ok(kernels::waits_table(&book.estimates(a[0])?))),
    inline("evaluated SET WHAT", |book, a| {
        let (points, missing) = book.evaluation(a[0])?;
        launches::number(&points, missing, a[1])
    }),
    // The errors of a set by problem, and why launches of it have no estimate.
    block("families SET", |book, a| launches::families(&book.evaluation(a[0])?.0)),
    // The launches of a set outside of the band.
    block("outside SET", |book, a| Ok(launches::outside(&book.evaluation(a[0])?.0))),
    // Faulty kernels, and which tools notice each, as a table.
    block("faults", |book, _| faults::table(&book.book.join(".."))),
    // Mistakes in other people's kernels, and how many are reported, as a table.
    block("planted", |book, _| planted::table(&book.book.join(".."))),
    // Kernels beside changed copies of them, as a table: what a time is due to.
    block("variants", |book, _| Ok(variants::table(&book.variants()?))),
    // The sum of a kernel's forces divided by the sum of their magnitudes.
    inline("momentum STAGE NAME", |book, a| {
        chosen(stage(a[0])?, &[a[1]])?;
        Ok(physics::momentum(&book.others(a[0], "physics")?, a[1]))
    }),
    // The steps after which bodies deviate from double precision.
    block("departures STAGE", |book, a| physics::departures(&book.others(a[0], "physics")?)),
    // Times and instructions of the kernels in Rust relative to CUDA C++: a table, the time of one, geometric means.
    block("twins", |book, _| Ok(twins::table(&book.pairs()?))),
    inline("twin NAME", |book, a| Ok(twins::one(&book.pairs()?, Kernel::find(a[0])?.rung.kernel))),
    inline("twins_mean WHAT", |book, a| match a[0] {
        "time" => Ok(twins::mean(&book.pairs()?, twins::TIMES)),
        "instructions" => Ok(twins::mean(&book.pairs()?, twins::INSTRUCTIONS)),
        _ => bail!("the means are of time and instructions"),
    }),
    // The rungs of stage 7 on some GPUs: a table, and one number (speedup, efficiency, alone, compute, exchange, total, …).
    block("many PROBLEM N RANKS", |book, a| {
        Ok(many::table(&book.many()?, a[0], parse_number(a[1])?, parse_number(a[2])?))
    }),
    inline("on_ranks RUNG N RANKS WHAT", |book, a| book.many()?.number([a[0], a[1], a[2], a[3]])),
    // Speedups by n, as a plot; the same work per GPU, as a table.
    block("strong PROBLEM RANKS", |book, a| Ok(many::strong(&book.many()?, a[0], parse_number(a[1])?))),
    block("weak PROBLEM RANKS", |book, a| Ok(many::weak(&book.many()?, a[0], parse_number(a[1])?))),
    // The timeline of a step, on each stream of each rank.
    block("timeline RUNG N RANKS", |book, a| {
        Ok(many::timeline(&book.many()?, a[0], parse_number(a[1])?, parse_number(a[2])?))
    }),
    // The prediction of the stage's model for more GPUs.
    block("paper N", |book, a| Ok(many::paper(&book.many()?, parse_number(a[0])?))),
    // An exercise's card, skeleton and questions; the skeleton alone; the title, command and limits, for a slide; the list at the
    // end of a chapter.
    block("exercise NAME", |s, a| exercises::one(a[0], !s.omits_solutions)),
    block("exercise NAME alone", |s, a| exercises::alone(a[0], !s.omits_solutions)),
    block("exercise NAME briefly", |_, a| exercises::brief(a[0])),
    block("exercises STAGE", |_, a| exercises::list(stage(a[0])?.name)),
    // Players that run and step through the stage's kernels, which begin with the first or with another one, or through the
    // skeletons of its exercises.
    block("player STAGE", |book, a| player::render(stage(a[0])?, None, &book.readings()?)),
    block("player STAGE exercises", |_, a| exercises::player(stage(a[0])?.name)),
    block("player STAGE KERNEL", |book, a| player::render(stage(a[0])?, Some(a[1]), &book.readings()?)),
    // The sectors or banks of a warp's first such access, on a line with the text.
    block("access NAME N BLOCK SPACE DIRECTION …", |_, a| {
        trace::access(a[0], a[1], a[2], a[3], a[4], &a[5..].join(" "))
    }),
    // The active lanes of a warp during its instructions.
    block("lanes NAME N BLOCK", |_, a| trace::lanes(a[0], a[1], a[2])),
    // An interactive explorer: banks, coalescing, occupancy, parallelism or shuffle.
    block("explorer parallelism", |book, _| {
        Ok(latency::explorer(&book.list("latency.json")?, &book.list("limits.json")?))
    }),
    block("explorer NAME", |book, a| explorer::render(&book.book, a[0])),
    // `book/figures/NAME.svg`, or a small picture of an H200 with one unit lit.
    block("figure NAME", |book, a| figure::inline(&book.book, a[0])),
    block("chip UNIT", |book, a| chip::render(&book.book, a[0])),
    // A formula on a separate line, in LaTeX.
    inline("formula …", |_, a| formula::render(&a.join(" "))),
    // How long a page, or the sections with these anchors, take to read.
    inline("minutes PAGE …", |book, a| minutes::render(book, a[0], &a[1..])),
];

impl Directive {
    /// Returns the arguments if the words fit the usage.
    fn arguments<'a>(&self, words: &[&'a str]) -> Option<Vec<&'a str>> {
        let mut words = words.iter().copied();
        let mut arguments = Vec::new();
        for part in self.usage.split(' ') {
            if part == "…" {
                arguments.extend(words.by_ref());
            } else {
                let word = words.next()?;
                if part.chars().all(|letter| letter.is_ascii_uppercase()) {
                    arguments.push(word);
                } else if part != word {
                    return None;
                }
            }
        }
        words.next().is_none().then_some(arguments)
    }
}

impl Sources {
    /// Returns the replacement of a directive. `alone` is whether nothing else is on its line.
    ///
    /// # Errors
    /// Returns an error if the directive is unknown or its arguments are wrong. It fails the build with its file and line.
    pub(super) fn expand(&self, directive: &str, alone: bool) -> Result<String> {
        let words: Vec<&str> = directive.split_whitespace().collect();
        // mdBook's own directives are left to its next preprocessor.
        if words.first().is_some_and(|word| word.starts_with('#')) {
            return Ok(format!("{{{{{directive}}}}}"));
        }
        let found = DIRECTIVES.iter().find_map(|directive| Some((directive, directive.arguments(&words)?)));
        let Some((directive, arguments)) = found else {
            bail!("there is no such directive; book/src/fill/directives.rs lists them");
        };
        if directive.is_block && !alone {
            bail!("this directive is replaced by a block: put it alone on its line");
        }
        Ok((directive.expand)(self, &arguments)? + &self.remark_on_gaps(&words)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capital_letters_stand_for_arguments_and_an_ellipsis_for_the_rest() {
        let fits = |usage, words: &[&'static str]| block(usage, |_, _| Ok(String::new())).arguments(words);
        assert_eq!(fits("diff NAME from OTHER", &["diff", "a", "from", "b"]), Some(vec!["a", "b"]));
        assert_eq!(fits("diff NAME from OTHER", &["diff", "a", "in", "b"]), None);
        assert_eq!(fits("sweep STAGE …", &["sweep", "a", "b", "c"]), Some(vec!["a", "b", "c"]));
        assert_eq!(fits("sweep STAGE …", &["sweep"]), None);
        assert_eq!(fits("limits", &["limits", "a"]), None);
    }

    #[test]
    fn a_usage_is_listed_once() {
        let usages: std::collections::BTreeSet<&str> = DIRECTIVES.iter().map(|directive| directive.usage).collect();
        assert_eq!(usages.len(), DIRECTIVES.len());
    }
}
