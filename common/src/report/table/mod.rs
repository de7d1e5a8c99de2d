//! The tables of a run, one for each problem and size. Times and counts are this run's, or recorded ones of the same launches.

pub(in crate::report) mod cells;
mod clocks;
pub(in crate::report) mod columns;
mod estimates;
mod notes;

use crate::ceilings::Unit;
use crate::columns::Column;
use crate::error::Error;
use crate::format::{DASH, factor, percent, rate, thousands, three_digits};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::report::data::readings::Readings;
use crate::report::data::view::View;
use crate::report::lines;
use crate::report::print::{Output, Table};
use crate::session::Session;
use crate::stage::Stage;
use cells::{
    best, cpu_cells, divergent, each, error, gain, groups, in_rust, is_mean, is_of_one_step, is_smaller, lanes,
    limited_by, mark, marked_instructions, name, point_up, shape, share_of, sources, stage_of, time, title, traffic,
};
use columns::{MAIN, columns};
use emulator::Counters;

/// Prints the tables of the outcomes that were not shown yet, with notes about their code. Called whenever the kernels
/// of a problem have run, so that a long run shows its first results early.
///
/// # Errors
/// [`Error::Write`].
pub fn show(
    output: &mut Output,
    stage: &Stage,
    options: &Options,
    session: &mut Session,
    outcomes: &[Outcome],
) -> Result<(), Error> {
    let mut notes = session.take_notices();
    let readings = Readings::read(stage);
    notes.extend(readings.as_ref().err().map(ToString::to_string).filter(|_| options.counters && output.shown == 0));
    notes.iter().try_for_each(|note| output.say(&format!("Note: {note}")))?;
    let new = &outcomes[output.shown..];
    output.shown = outcomes.len();
    if new.is_empty() {
        return Ok(());
    }
    output.say_all(&lines::compiled_lines(new))?;
    let rows = rows(new, options.counters);
    let readings = readings.unwrap_or_default();
    let view = View::new(stage, session, options, &rows, &readings);
    output.say(&format!("\n{}", render(&view).trim_end()))?;
    output.say_all(&estimates::lines(&rows))
}

/// Returns the rows of the table: the kernels in CUDA C++, or in Rust if only those ran. With counters, each language has
/// rows.
pub fn rows<'a>(outcomes: &[Outcome<'a>], with_counters: bool) -> Vec<Outcome<'a>> {
    let only_rust = outcomes.iter().all(|outcome| outcome.run.plan.in_rust);
    let is_row = |outcome: &&Outcome| only_rust || with_counters || !outcome.run.plan.in_rust;
    outcomes.iter().filter(is_row).cloned().collect()
}

/// Returns the tables of a run with the default columns or the chosen ones, each with the meanings of its marks.
#[must_use]
pub fn render(view: &View) -> String {
    let render = |group: &[Outcome]| {
        let table = table(view, group).render();
        let notes = notes::lines(view, group, &table);
        table + &notes.concat() + &clocks::line(group).unwrap_or_default()
    };
    groups(view.rows).map(render).collect::<Vec<_>>().join("\n")
}

fn table(view: &View, group: &[Outcome]) -> Table {
    let columns = columns(view, group[0].run.plan.facts().letter);
    let is_shown = |column: Column| columns.iter().any(|(shown, _)| *shown == column);
    let unit = is_shown(Column::Rate).then(|| format!(", {}", group[0].run.plan.facts().rate.unit));
    let has_times = group.iter().any(|outcome| outcome.timing().is_some());
    let steps = if is_of_one_step(&group[0]) { " (counts of one)" } else { "" };
    let mut table = Table::new(title(&group[0]) + steps + &unit.filter(|_| has_times).unwrap_or_default());
    if view.has_times {
        table.note(sources(group));
    }
    let is_mixed = group.iter().any(|outcome| stage_of(outcome.run.plan.rung) != stage_of(group[0].run.plan.rung));
    for &(column, optional) in columns.iter().filter(|(column, _)| *column != Column::Stage || is_mixed) {
        let mut cells: Vec<String> = group.iter().map(|outcome| cell(view, column, outcome)).collect();
        if column == Column::Gain {
            point_up(&mut cells, group);
        }
        cells.extend(cpu_cells(column, group, is_shown(Column::Time)));
        table.add(column.name(), cells);
        if let Some(number) = optional {
            table.optional(number);
        }
    }
    if view.chosen.is_some() { table.without_missing() } else { table.without_silent(&MAIN.map(Column::name)) }
}

fn cell(view: &View, column: Column, outcome: &Outcome) -> String {
    let timing = outcome.timing();
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| DASH.into());
    let share = |unit| or_dash(share_of(outcome, unit));
    let counters = outcome.counters().filter(|_| !is_smaller(outcome));
    let is_rough = is_mean(outcome) || view.difference(column, outcome).is_some();
    let counted = |text: &dyn Fn(&Counters) -> String| or_dash(counters.as_ref().map(|all| mark(is_rough, text(all))));
    match column {
        Column::Kernel => name(outcome, view.rows),
        Column::Shape => shape(outcome),
        Column::Stage => or_dash(stage_of(outcome.run.plan.rung)),
        Column::Time => or_dash(outcome.time().as_ref().map(time)),
        Column::Range => or_dash(timing.map(|timing| percent((timing.high - timing.low) / timing.median))),
        Column::Gain => gain(outcome, view.rows),
        Column::Rate => or_dash(outcome.per_second(Some(outcome.run.cost.amount)).map(|value| rate(value / 1e9))),
        Column::OfPeak => or_dash(outcome.limit_share(view.attributes).map(percent)),
        Column::LimitedBy => or_dash(limited_by(view, outcome)),
        Column::Issue => share(Unit::Issue),
        Column::Fp32 => share(Unit::Fp32),
        Column::Special => share(Unit::Special),
        Column::Tensor => share(Unit::Tensor),
        Column::Memory => share(Unit::Memory),
        Column::BlockStarts => share(Unit::Blocks),
        Column::Registers => or_dash(outcome.run.resources.registers.map(|count| count.to_string())),
        Column::SharedMemory => or_dash(outcome.run.resources.shared_bytes.map(|bytes| thousands(bytes.into()))),
        Column::Occupancy => or_dash(outcome.run.resources.occupancy.map(percent)),
        Column::VersusCpu => {
            let cpu = outcome.cpu.as_ref();
            or_dash(timing.zip(cpu).map(|(timing, cpu)| factor(cpu.serial_ms / timing.median)))
        }
        Column::Instructions => or_dash(marked_instructions(outcome, view.rows)),
        Column::SectorsPerLoad => {
            counted(&|counters| each(counters.global_load_sectors, counters.global_load_requests))
        }
        Column::SectorsPerStore => {
            counted(&|counters| each(counters.global_store_sectors, counters.global_store_requests))
        }
        Column::ConflictsPerLoad => {
            counted(&|counters| each(counters.shared_load_conflicts, counters.shared_load_requests))
        }
        Column::ConflictsPerStore => {
            counted(&|counters| each(counters.shared_store_conflicts, counters.shared_store_requests))
        }
        Column::ConflictsPerAtomic => {
            counted(&|counters| each(counters.shared_atomic_conflicts, counters.shared_atomic_requests))
        }
        Column::Traffic => or_dash(traffic(outcome).map(|ratio| mark(is_mean(outcome), factor(ratio)))),
        Column::Barriers => counted(&|counters| three_digits(counters.barriers as f64)),
        Column::Shuffles => counted(&|counters| three_digits(counters.shuffles as f64)),
        Column::Divergent => or_dash(divergent(outcome).map(percent)),
        Column::Lanes => counted(&|counters| percent(lanes(counters))),
        Column::Rust => in_rust(outcome),
        Column::Best => best(outcome, view.rows).unwrap_or_default().into(),
        Column::Error => error(outcome),
        Column::Result => if outcome.run.report.passed() { "correct" } else { "WRONG" }.into(),
    }
}

#[cfg(test)]
mod tests;
