//! The columns of a table: the chosen ones, or those that suit the run.

use crate::columns::{Chosen, Column};
use crate::report::data::view::View;

/// The columns of a run without times; those that are left out for want of room have a number, the highest goes first.
const WITHOUT_TIMES: [(Column, Option<usize>); 13] = [
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

/// Returns the columns of a run with times, on any device, and the counts that the stage shows of a problem. The last counts go first for
/// want of room, before them the time of the CPU, which only a machine with a GPU compares.
fn with_times(view: &View, problem: &str) -> Vec<(Column, Option<usize>)> {
    let shape = view.is_sweep.then_some((Column::Shape, None));
    let counts = (view.stage.counts)(problem).iter().enumerate().map(|(place, column)| (*column, Some(1 + place)));
    let times = [(Column::Time, None), (Column::Gain, None), (Column::LimitedBy, None)];
    let kernel = std::iter::once((Column::Kernel, None)).chain(shape);
    let rest = [(Column::VersusCpu, Some(usize::MAX)), (Column::Rust, Some(0)), (Column::Result, None)];
    kernel.chain(times).chain(counts).chain(rest).collect()
}

/// Returns whether rendered tables have a column, whose heading may have two lines.
pub fn has(tables: &str, column: Column) -> bool {
    column.name().split(' ').all(|word| tables.contains(word))
}

/// The columns of a problem in the order of the table. Kernel, shape and result are part of every choice.
pub fn columns(view: &View, problem: &str) -> Vec<(Column, Option<usize>)> {
    let default = match view.has_times {
        _ if view.with_counters => WITH_COUNTERS.to_vec(),
        true => with_times(view, problem),
        false => WITHOUT_TIMES.to_vec(),
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
