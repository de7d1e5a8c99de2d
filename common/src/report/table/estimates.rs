//! The times that a GPU would take, in a table of their own: they are estimates, and no column of measurements has them.

use super::cells::{name, shape, title};
use crate::format::DASH;
use crate::outcome::Outcome;
use crate::report::data::steps::rung_below;
use crate::report::print::{Table, name_lines};
use predict::{Gpu, RunEstimate, Way, two_digits};
use std::collections::BTreeMap;

/// The ratio of two estimates from which on the step is shown. PTX does not show what ptxas makes of unrolling and order, so
/// that smaller ratios mean nothing.
const CLEAR: f64 = 1.25;

/// The same if both are from machine code: about the mean error of those.
const CLEAR_FROM_MACHINE_CODE: f64 = 1.1;

/// The column of launch shapes, which only a sweep needs: the table above has them, too.
const SHAPE: usize = 1;

/// Returns the tables of the estimates, and a line for each reason why there is none, below an empty line.
///
/// The times are those of the launches that ran, at the sizes in the titles: a larger size would be another launch, with
/// other waves and other traffic, which nothing here has seen.
pub fn lines(rows: &[Outcome], gpu: &Gpu, is_sweep: bool) -> Vec<String> {
    let groups = rows.chunk_by(|one, next| title(one) == title(next));
    let tables = groups.filter_map(|group| table(group, rows, gpu, is_sweep));
    let tables = tables.map(|table| table.trim_end().to_owned()).chain(idle_note(rows, gpu));
    let fallbacks = by_reason(rows, "Estimated from the PTX", |outcome| {
        estimate(outcome)?.launches.iter().find_map(|launch| launch.fallback.as_deref())
    });
    let refusals = by_reason(rows, "No estimate", |outcome| Some(outcome.estimate.as_ref()?.as_ref().err()?.as_str()));
    let parts: Vec<String> = tables.chain(edit_note(rows)).chain(fallbacks).chain(refusals).collect();
    if parts.is_empty() { parts } else { std::iter::once(String::new()).chain(parts).collect() }
}

/// Returns a line if an estimated launch does not fill the GPU: the small sizes of the emulator turn whole ladders around.
fn idle_note(rows: &[Outcome], gpu: &Gpu) -> Option<String> {
    let is_small = |outcome: &&Outcome| {
        let (x, y, z) = outcome.run.plan.config().grid_dim;
        estimate(outcome).is_some() && u64::from(x) * u64::from(y) * u64::from(z) < gpu.multiprocessors
    };
    rows.iter().find(is_small)?;
    Some(format!(
        "Fewer than {} blocks leave multiprocessors idle: at --full-size the order can be another.",
        gpu.multiprocessors
    ))
}

/// Returns a line if an edited kernel was estimated and not yet compared with its record.
fn edit_note(rows: &[Outcome]) -> Option<String> {
    let is_edited = |outcome: &&Outcome| estimate(outcome).is_some() && outcome.run.is_edited;
    let outcome = rows.iter().find(is_edited).filter(|outcome| outcome.shipped.is_none())?;
    Some(format!(
        "{} was edited: --full-size --compare nvidia-h200 also multiplies its recorded time by what the edit changes.",
        outcome.run.plan.rung.kernel
    ))
}

fn table(group: &[Outcome], rows: &[Outcome], gpu: &Gpu, is_sweep: bool) -> Option<String> {
    let cells: Vec<Vec<String>> = group
        .iter()
        .filter_map(|outcome| {
            let estimate = estimate(outcome)?;
            let limiter = estimate.limiter.name().to_owned();
            Some(vec![
                mark_name(outcome, group, rows),
                shape(outcome),
                estimate.band_text(),
                limiter,
                gain(outcome, rows),
            ])
        })
        .collect();
    group.iter().find_map(estimate)?;
    let letter = group[0].run.plan.facts().letter;
    let on = gpu.phrase();
    let ways = ways(group);
    let title = format!("{letter}  {on}, ESTIMATED from {ways}, not measured");
    let headings = ["kernel", "grid x block", "estimated time", "limited by", "gain"];
    let mut table = Table::new(title);
    for (column, heading) in headings.iter().enumerate().filter(|(column, _)| *column != SHAPE || is_sweep) {
        table.add(heading, cells.iter().map(|row| row[column].clone()).collect());
    }
    Some(table.without_silent(&headings).render())
}

/// Returns what the estimates of a group were made from, in words.
fn ways(group: &[Outcome]) -> &'static str {
    let all = || group.iter().filter_map(estimate).map(|estimate| estimate.way);
    let is_some = |way: Way| all().any(|other| other == way);
    match (is_some(Way::MachineCode), is_some(Way::Ptx)) {
        (true, true) => "machine code (* the PTX)",
        (true, false) => Way::MachineCode.name(),
        (false, _) => Way::Ptx.name(),
    }
}

/// Returns a kernel's name, with a mark if its estimate is from the PTX and others of the table are not.
fn mark_name(outcome: &Outcome, group: &[Outcome], rows: &[Outcome]) -> String {
    let is_other = estimate(outcome).is_some_and(|estimate| estimate.way == Way::Ptx);
    let is_mixed = group.iter().filter_map(estimate).any(|estimate| estimate.way == Way::MachineCode);
    name(outcome, rows) + if is_other && is_mixed { " *" } else { "" }
}

fn estimate<'o>(outcome: &'o Outcome) -> Option<&'o RunEstimate> {
    outcome.estimate.as_ref()?.as_ref().ok()
}

/// Returns the gain in estimated time over the rung below.
fn gain(outcome: &Outcome, rows: &[Outcome]) -> String {
    let Some((below, own)) = rung_below(outcome, rows).and_then(estimate).zip(estimate(outcome)) else {
        return DASH.into();
    };
    let ratio = below.nanoseconds as f64 / own.nanoseconds as f64;
    let is_followed = [below, own].iter().all(|estimate| estimate.way == Way::MachineCode);
    let clear = if is_followed { CLEAR_FROM_MACHINE_CODE } else { CLEAR };
    if ratio.max(1.0 / ratio) < clear { "unclear".into() } else { format!("about {}x", two_digits(ratio)) }
}

/// Returns a line for each reason, with its kernels.
fn by_reason<'o>(rows: &'o [Outcome], what: &str, reason: impl Fn(&'o Outcome<'o>) -> Option<&'o str>) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for outcome in rows {
        let Some(reason) = reason(outcome) else { continue };
        let kernels = reasons.entry(reason).or_default();
        let kernel = outcome.run.plan.rung.kernel.to_owned();
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    let lines = |(reason, kernels): (&str, Vec<String>)| {
        std::iter::once(format!("{what}, because {reason}:")).chain(name_lines(&kernels))
    };
    reasons.into_iter().flat_map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{RUNG, outcome};
    use crate::stage::Rung;
    use predict::{H200, Limiter};

    static STEP: Rung = Rung { kernel: "computeForces_Shared", below: Some(&RUNG), ..RUNG };

    fn estimated(rung: &'static Rung, nanoseconds: u64) -> Outcome<'static> {
        let mut outcome = outcome(None, None);
        outcome.run.plan.rung = rung;
        let cycles = 2 * nanoseconds;
        let band = (nanoseconds, 2 * nanoseconds);
        let gpu = "H200".to_owned();
        let limiter = Limiter::BlockStarts;
        let launches = Vec::new();
        outcome.estimate = Some(Ok(RunEstimate { gpu, cycles, nanoseconds, band, limiter, way: Way::Ptx, launches }));
        outcome
    }

    fn words(rows: &[Outcome]) -> Vec<String> {
        let text = lines(rows, &H200, false).join("\n");
        text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn an_estimate_has_a_table_of_its_own_that_calls_it_one() {
        assert_eq!(
            words(&[estimated(&RUNG, 100_000), estimated(&STEP, 48_000)]),
            [
                "A on an H200, ESTIMATED from the PTX, not measured",
                "kernel estimated time limited by gain",
                "computeForces 100-200 µs block starts -",
                "computeForces_Shared 48-96 µs block starts about 2.1x",
                "Fewer than 132 blocks leave multiprocessors idle: at --full-size the order can be another.",
            ]
        );
    }

    #[test]
    fn the_title_states_what_estimates_were_made_from() {
        let from = |rung, nanoseconds, way| {
            let mut outcome = estimated(rung, nanoseconds);
            if let Some(Ok(estimate)) = &mut outcome.estimate {
                estimate.way = way;
            }
            outcome
        };
        let code = Way::MachineCode;
        let ptx = Way::Ptx;
        let both = words(&[from(&RUNG, 100_000, code), from(&STEP, 85_000, code)]);
        assert_eq!(both[0], "A on an H200, ESTIMATED from machine code, not measured");
        assert!(both[3].ends_with("about 1.2x"), "{both:?}");
        let mixed = words(&[from(&RUNG, 100_000, code), from(&STEP, 85_000, ptx)]);
        assert_eq!(mixed[0], "A on an H200, ESTIMATED from machine code (* the PTX), not measured");
        assert!(mixed[3].starts_with("computeForces_Shared * ") && mixed[3].ends_with("unclear"), "{mixed:?}");
    }

    #[test]
    fn a_small_gain_is_unclear() {
        assert_eq!(
            words(&[estimated(&RUNG, 100_000), estimated(&STEP, 81_000)])[3],
            "computeForces_Shared 81-160 µs block starts unclear"
        );
    }

    #[test]
    fn a_refusal_is_a_line_with_its_reason() {
        let mut refused = estimated(&RUNG, 1);
        refused.estimate = Some(Err("local memory is not modeled".into()));
        assert_eq!(words(&[refused]), ["No estimate, because local memory is not modeled:", "computeForces"]);
        assert_eq!(lines(&[outcome(None, None)], &H200, false), [""; 0]);
    }
}
