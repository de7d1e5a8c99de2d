//! The meanings of the columns and limits of a run, a line each.

use crate::ceilings::Limiter;
use crate::columns::Column;
use crate::report::data::view::View;
use crate::report::table::columns::has;

/// The lines at most.
const MAX_LINES: usize = 8;

/// The columns of counts, those that most need an explanation first.
const COUNTS: [Column; 10] = [
    Column::SectorsPerLoad,
    Column::ConflictsPerLoad,
    Column::ConflictsPerAtomic,
    Column::Traffic,
    Column::Instructions,
    Column::Shuffles,
    Column::Barriers,
    Column::SectorsPerStore,
    Column::ConflictsPerStore,
    Column::Divergent,
];

/// Returns the legend of what occurs in these tables.
pub fn lines(view: &View, tables: &str) -> Vec<String> {
    let shown = |column: &Column| has(tables, *column).then(|| (column.name(), column.meaning()));
    let mut entries: Vec<(&str, &str)> = shown(&Column::Gain).into_iter().collect();
    let limiters: Vec<Limiter> = view.rows.iter().filter_map(|row| row.limiter(view.attributes)).collect();
    if let Some(limited) = shown(&Column::LimitedBy).filter(|_| !limiters.is_empty()) {
        entries.push(limited);
        for entry in limiters.iter().filter_map(Limiter::entry) {
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
    }
    entries.extend(COUNTS.iter().filter_map(shown));
    entries.truncate(MAX_LINES);
    let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    entries.into_iter().map(|(name, meaning)| format!("{name:<width$}  {meaning}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{outcome, timing, view};
    use crate::report::table::render;

    #[test]
    fn only_what_is_shown_is_explained() {
        let mut row = outcome(Some(timing(1.0, 1.0, 1.0)), None);
        row.run.resources.occupancy = Some(1.0);
        let rows = [row];
        let view = view(&rows);
        let lines = lines(&view, &render(&view));
        let names = ["limited by ", "n of m SMs "];
        assert!(lines.len() == 2 && lines.iter().zip(names).all(|(line, name)| line.starts_with(name)), "{lines:?}");
    }

    #[test]
    fn every_line_keeps_within_ninety_columns() {
        let longest = COUNTS.iter().map(|column| column.name().len()).max().unwrap_or(0);
        for column in COUNTS.iter().chain(&[Column::Gain, Column::LimitedBy]) {
            assert!(longest + 2 + column.meaning().chars().count() <= 90, "{}", column.meaning());
        }
    }
}
