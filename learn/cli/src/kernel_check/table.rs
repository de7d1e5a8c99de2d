//! The counts of all lines as a table.

use super::costs::{Costs, Line, loaded};
use crate::output::say_row;
use judge::group_digits;

/// The headings and widths of the columns before the source.
const COLUMNS: [(&str, usize); 8] = [
    ("work", 6),
    ("instructions", 14),
    ("lanes", 6),
    ("loaded", 15),
    ("stored", 15),
    ("other", 10),
    ("wavefronts", 12),
    ("conflicts", 11),
];

/// Prints the lines, the most expensive first, and the sums.
pub fn print(costs: &Costs) {
    let head: String = COLUMNS.iter().map(|(name, width)| format!("{name:>width$}")).collect();
    say_row(&format!("{head}  "), "line");
    costs.lines.iter().for_each(|line| say_row(&row(line), &format!("{} {}", line.place(), line.text)));
    let end = if costs.ends_with_a_fault { "; counted up to the fault" } else { "" };
    say_row(
        "",
        &format!(
            "work: the part of what the units of a multiprocessor do, not of the time; loaded, stored: sectors of global memory, and \
             how much of them is used; other: sectors of atomics and of local memory{end}"
        ),
    );
}

fn row(line: &Line) -> String {
    let count = |count: u64| if count == 0 { String::new() } else { group_digits(count as f64) };
    let with_use = |sectors: u64, used: Option<f64>| {
        used.map_or_else(String::new, |used| format!("{} {used:.0}%", count(sectors)))
    };
    let (wavefronts, conflicts) = line.wavefronts();
    let counters = &line.counters;
    let local = counters.local_load_sectors + counters.local_store_sectors;
    let cells = [
        format!("{:.1}%", line.work_percent),
        count(counters.warp_instructions),
        format!("{:.1}", line.lanes),
        with_use(loaded(counters), line.loaded_used_percent),
        with_use(counters.global_store_sectors, line.stored_used_percent),
        count(counters.global_atomic_sectors + local),
        count(wavefronts),
        count(conflicts),
    ];
    let cells: String = cells.iter().zip(COLUMNS).map(|(cell, (_, width))| format!("{cell:>width$}")).collect();
    format!("{cells}  ")
}
