//! The columns of a table: the chosen ones, or those that suit the run.

use crate::columns::{Chosen, Column};
use crate::device::Backend;
use crate::outcome::Outcome;
use crate::report::data::view::View;
use crate::session::Smaller;

/// The columns of a run on a GPU; those that are left out for want of room have a number, the highest goes first.
const ON_A_GPU: [(Column, Option<usize>); 12] = [
    (Column::Kernel, None),
    (Column::Shape, None),
    (Column::Stage, Some(5)),
    (Column::Time, None),
    (Column::Gain, None),
    (Column::Rate, None),
    (Column::OfPeak, Some(2)),
    (Column::LimitedBy, None),
    (Column::Registers, Some(4)),
    (Column::VersusCpu, Some(3)),
    (Column::Rust, Some(1)),
    (Column::Result, None),
];

/// The columns of a run on the emulator without times.
const ON_THE_EMULATOR: [(Column, Option<usize>); 13] = [
    (Column::Kernel, None),
    (Column::Shape, None),
    (Column::Stage, Some(5)),
    (Column::Instructions, None),
    (Column::SectorsPerLoad, None),
    (Column::SectorsPerStore, Some(2)),
    (Column::Traffic, None),
    (Column::Barriers, Some(1)),
    (Column::Shuffles, None),
    (Column::Divergent, Some(3)),
    (Column::Lanes, Some(4)),
    (Column::Rust, None),
    (Column::Result, None),
];

/// The columns of `--counters`; times exist only on a GPU.
const WITH_COUNTERS: [(Column, Option<usize>); 12] = [
    (Column::Kernel, None),
    (Column::Shape, None),
    (Column::Stage, Some(1)),
    (Column::Time, None),
    (Column::Gain, Some(2)),
    (Column::SectorsPerLoad, None),
    (Column::SectorsPerStore, None),
    (Column::ConflictsPerLoad, None),
    (Column::ConflictsPerStore, None),
    (Column::Traffic, None),
    (Column::Lanes, None),
    (Column::Result, None),
];

/// The numbers for which a table is read: kept even if all rows are equal.
pub const MAIN: [Column; 10] = [
    Column::Kernel,
    Column::Shape,
    Column::Time,
    Column::Gain,
    Column::Rate,
    Column::LimitedBy,
    Column::Instructions,
    Column::Traffic,
    Column::Rust,
    Column::Result,
];

/// Returns the columns of a run on the emulator: times, and the counts that the stage is about, the last of which go first for want of
/// room.
fn with_times(view: &View) -> Vec<(Column, Option<usize>)> {
    let shape = view.is_sweep.then_some((Column::Shape, None));
    let counts = view.stage.counts.iter().enumerate().map(|(place, column)| (*column, Some(1 + place)));
    let times = [(Column::Time, None), (Column::Gain, None), (Column::LimitedBy, None)];
    let kernel = std::iter::once((Column::Kernel, None)).chain(shape);
    kernel.chain(times).chain(counts).chain([(Column::Result, None)]).collect()
}

/// The columns in the order of the table. Kernel, shape and result are part of every choice.
pub fn columns(view: &View) -> Vec<(Column, Option<usize>)> {
    let default = match (view.backend, view.with_counters) {
        (_, true) => WITH_COUNTERS.to_vec(),
        (Backend::Cuda, false) => ON_A_GPU.to_vec(),
        (Backend::Emulator, false) if view.has_times => with_times(view),
        (Backend::Emulator, false) => ON_THE_EMULATOR.to_vec(),
    };
    let all = || Column::all().map(|column| (column, None));
    let mut columns: Vec<(Column, Option<usize>)> = match view.chosen {
        None => default,
        Some(Chosen::All) => all().collect(),
        Some(Chosen::These(these)) => all()
            .filter(|(column, _)| {
                these.contains(column) || matches!(column, Column::Kernel | Column::Shape | Column::Result)
            })
            .collect(),
    };
    if view.is_sweep && !columns.iter().any(|(column, _)| *column == Column::Best) {
        columns.insert(columns.len() - 1, (Column::Best, None));
    }
    columns
}

/// Returns the meanings of the marks `~` in the shown columns of counts.
#[must_use]
pub fn footnotes(view: &View) -> Vec<String> {
    let marked =
        [(Column::SectorsPerLoad, "global_load_sectors"), (Column::ConflictsPerLoad, "shared_load_wavefronts")];
    let shown = columns(view);
    let is_shown = |column: Column| shown.iter().any(|(other, _)| *other == column);
    let counters = marked.into_iter().filter(|(column, _)| is_shown(*column)).map(|(_, counter)| counter);
    let mut notes = view.readings.footnotes(view.rows, &counters.collect::<Vec<_>>());
    notes.extend(sample_notes(view.rows));
    notes
}

/// Returns the meanings of the marks of counts that are not of all blocks at the size of the table.
fn sample_notes(rows: &[Outcome]) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.iter().any(|row| row.run.sample.as_ref().is_some_and(|sample| !sample.is_uniform)) {
        notes.push("~ a mean of sampled blocks that differ.".to_owned());
    }
    let smaller = rows.iter().filter_map(|row| Some((row, row.run.smaller.filter(|smaller| smaller.is_counted)?)));
    for (row, Smaller { n, .. }) in smaller {
        let note = format!("* counted at {}: its blocks depend on each other.", row.run.plan.facts().count(n));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
