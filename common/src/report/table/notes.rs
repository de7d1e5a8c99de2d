//! The meanings of the marks in a table, which follow it.

use super::cell;
use super::cells::{MEAN, is_mean, rough_instructions, rough_shares, uncounted};
use super::columns::{columns, has};
use crate::columns::Column;
use crate::outcome::Outcome;
use crate::report::data::view::View;

/// Counts of the emulator, apart from instructions.
const COUNTS: [Column; 9] = [
    Column::SectorsPerLoad,
    Column::SectorsPerStore,
    Column::ConflictsPerLoad,
    Column::ConflictsPerStore,
    Column::ConflictsPerAtomic,
    Column::Traffic,
    Column::Barriers,
    Column::Shuffles,
    Column::Lanes,
];

/// Columns of shares, which are of counted instructions.
const SHARES: [Column; 5] = [Column::LimitedBy, Column::Issue, Column::Fp32, Column::Special, Column::Tensor];

/// Returns a line for each meaning of `~` and `-` in the counts and limits of a table, which may lack columns.
pub fn lines(view: &View, group: &[Outcome], table: &str) -> Vec<String> {
    let chosen = columns(view, group[0].run.plan.facts().letter);
    let is_chosen = |column: &Column| chosen.iter().any(|(other, _)| other == column);
    let is_shown = |column: &Column| is_chosen(column) && has(table, *column);
    let is_marked = |column: Column, row: &Outcome| cell(view, column, row).starts_with('~');
    let mut reasons: Vec<String> = Vec::new();
    for column in COUNTS.into_iter().filter(is_shown) {
        for row in group.iter().filter(|row| is_marked(column, row)) {
            reasons.extend(view.difference(column, row).map(|reason| format!("{reason}.")));
            reasons.extend(is_mean(row).then(|| MEAN.into()));
        }
    }
    for row in group {
        let shares = SHARES.into_iter().filter(|column| is_shown(column) && is_marked(*column, row));
        let shares = shares.map(|column| rough_shares(row, column));
        let instructions = rough_instructions(row, view.rows).filter(|_| is_shown(&Column::Instructions));
        reasons.extend(shares.chain(instructions).map(str::to_owned));
    }
    let has_counts = COUNTS.iter().chain(&[Column::Instructions]).any(is_chosen);
    let marked = reasons.into_iter().map(|reason| format!("~ not exact: {reason}\n"));
    let missing = group.iter().filter(|_| has_counts).filter_map(uncounted);
    let mut notes: Vec<String> = Vec::new();
    for note in marked.chain(missing.map(|reason| format!("- not counted: {reason}\n"))) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
