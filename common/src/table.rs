//! The table of a run: times and rates on a GPU, counts on the emulator. At most [`WIDTH`] columns of text wide.

use crate::device::Backend;
use crate::stage::{Outcome, Session};
use crate::workload::Tutorial;
use emulator::Counters;
use prettytable::format::{Alignment, FormatBuilder};
use prettytable::{Cell, Row as TableRow, Table};

/// Columns of text that the table keeps within, for names of kernels up to 28 letters.
pub const WIDTH: usize = 100;

const DASH: &str = "-";
const SECTOR_BYTES: f64 = 32.0;
const WARP: f64 = 32.0;

const GPU_COLUMNS: [&str; 10] = [
    "kernel",
    "grid x\nblock",
    "time\nmedian",
    "spread",
    "GFLOP/s\nor GB/s",
    "of\nlimit",
    "regs",
    "occu-\npancy",
    "x CPU\nserial",
    "check",
];

const EMULATOR_COLUMNS: [&str; 10] = [
    "kernel",
    "grid x\nblock",
    "warp\ninstr.",
    "sect/\nload",
    "sect/\nstore",
    "moved/\nneeded",
    "bar-\nriers",
    "shuf-\nfles",
    "diver-\ngent",
    "lanes\nbusy",
];

/// The outcomes as a table, grouped by tutorial and size.
#[must_use]
pub fn render(session: &Session, outcomes: &[Outcome], is_sweep: bool) -> String {
    let emulated = session.gpu.backend == Backend::Emulator;
    let mut headings: Vec<&str> = if emulated { EMULATOR_COLUMNS.to_vec() } else { GPU_COLUMNS.to_vec() };
    if emulated {
        headings.push("check");
    }
    let rows = outcomes.iter().map(|outcome| {
        let is_best = is_sweep && is_best(outcome, outcomes);
        let cells = if emulated { emulator_cells(outcome) } else { gpu_cells(session, outcome) };
        (group_title(outcome), launch_cells(outcome, is_best).into_iter().chain(cells).collect())
    });
    render_groups(&headings, rows)
}

/// A heading, then a line for each change of group, and the rows.
fn render_groups(headings: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let mut table = Table::new();
    table.set_format(FormatBuilder::new().padding(0, 1).build());
    table.set_titles(line(headings));
    let mut last_group = String::new();
    for (group, cells) in rows {
        if group != last_group {
            table.add_row(TableRow::new(vec![Cell::new(&group).with_hspan(headings.len())]));
            last_group = group;
        }
        table.add_row(line(&cells));
    }
    let lines: Vec<_> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// Names to the left, numbers to the right.
fn line<T: AsRef<str>>(texts: &[T]) -> TableRow {
    let align = |column| if column == 0 { Alignment::LEFT } else { Alignment::RIGHT };
    let cell = |(column, text): (usize, &T)| Cell::new_align(text.as_ref(), align(column));
    TableRow::new(texts.iter().enumerate().map(cell).collect())
}

fn group_title(outcome: &Outcome) -> String {
    let tutorial = outcome.plan.row.work.tutorial();
    format!("{tutorial:?}  {}, {}", tutorial.title(), outcome.plan.describe_size())
}

/// Whether no other launch shape of the same kernel was faster.
fn is_best(outcome: &Outcome, outcomes: &[Outcome]) -> bool {
    let same = outcomes.iter().filter(|other| other.plan.row.kernel == outcome.plan.row.kernel);
    let Some(own) = outcome.timing else { return false };
    same.filter_map(|other| other.timing).all(|other| own.median <= other.median)
}

fn launch_cells(outcome: &Outcome, is_best: bool) -> [String; 2] {
    let mark = if is_best { "*" } else { "" };
    [outcome.plan.row.kernel.into(), format!("{mark}{}x{}", outcome.plan.grid, outcome.plan.block)]
}

fn gpu_cells(session: &Session, outcome: &Outcome) -> Vec<String> {
    let timing = outcome.timing;
    let rate = outcome.rate().map(|rate| three_digits(rate.value));
    let speed_up = timing.map(|timing| format!("{}x", three_digits(outcome.cpu.serial_ms / timing.median)));
    vec![
        timing.map_or(DASH.into(), |timing| milliseconds(timing.median)),
        timing.map_or(DASH.into(), |timing| percent((timing.high - timing.low) / timing.median)),
        rate.unwrap_or(DASH.into()),
        outcome.limit_share(session).map_or(DASH.into(), percent),
        outcome.registers.map_or(DASH.into(), |count| count.to_string()),
        outcome.occupancy.map_or(DASH.into(), percent),
        speed_up.unwrap_or(DASH.into()),
        check(outcome),
    ]
}

fn emulator_cells(outcome: &Outcome) -> Vec<String> {
    let mut cells = match &outcome.counters {
        Some(counters) => count_cells(counters, outcome.cost.bytes_needed_by_a_launch),
        None => vec![DASH.into(); EMULATOR_COLUMNS.len() - 2],
    };
    cells.push(check(outcome));
    cells
}

fn count_cells(counters: &Counters, bytes_needed: f64) -> Vec<String> {
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let per_request = |sectors, requests| share(sectors, requests).map_or(DASH.into(), |value| format!("{value:.1}"));
    let sectors = counters.global_load_sectors + counters.global_store_sectors + counters.global_atomic_sectors;
    let moved = sectors as f64 * SECTOR_BYTES / bytes_needed;
    vec![
        three_digits(counters.warp_instructions as f64),
        per_request(counters.global_load_sectors, counters.global_load_requests),
        per_request(counters.global_store_sectors, counters.global_store_requests),
        format!("{}x", three_digits(moved)),
        three_digits(counters.barriers as f64),
        three_digits(counters.shuffles as f64),
        share(counters.divergent_branches, counters.branches).map_or(DASH.into(), percent),
        share(counters.thread_instructions, counters.warp_instructions)
            .map_or(DASH.into(), |lanes| percent(lanes / WARP)),
    ]
}

/// `ok` with the largest relative error, or `FAILED`.
fn check(outcome: &Outcome) -> String {
    match (outcome.report.passed(), outcome.report.max_relative_error) {
        (false, _) => "FAILED".into(),
        (true, 0.0) => "exact".into(),
        (true, error) => format!("ok {error:.0e}"),
    }
}

/// What the CPU's own loop takes, one line a tutorial and size.
#[must_use]
pub fn cpu_lines(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for outcome in outcomes {
        let (tutorial, cpu): (Tutorial, _) = (outcome.plan.row.work.tutorial(), &outcome.cpu);
        let scaled = cpu.scaled_from.as_ref().map_or(String::new(), |part| format!(" (scaled from {part})"));
        let line = format!(
            "CPU, {tutorial:?}: serial {}, {} threads {}{scaled}",
            milliseconds(cpu.serial_ms),
            cpu.threads,
            milliseconds(cpu.parallel_ms)
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// A time with three digits, in the unit that suits it.
fn milliseconds(value: f64) -> String {
    match value {
        value if value >= 1e3 => format!("{} s", three_digits(value / 1e3)),
        value if value >= 1.0 => format!("{} ms", three_digits(value)),
        value => format!("{} us", three_digits(value * 1e3)),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        value if value == 0.0 || value >= 9.95 => format!("{value:.0}%"),
        value => format!("{value:.1}%"),
    }
}

/// A number with three digits, and a letter for its power of ten.
fn three_digits(value: f64) -> String {
    let (scaled, letter) = match value {
        value if value >= 999.5e9 => (value / 1e12, "T"),
        value if value >= 999.5e6 => (value / 1e9, "G"),
        value if value >= 999.5e3 => (value / 1e6, "M"),
        value if value >= 9999.5 => (value / 1e3, "k"),
        value => (value, ""),
    };
    match scaled {
        scaled if scaled >= 99.95 || (scaled.fract() == 0.0 && letter.is_empty()) => format!("{scaled:.0}{letter}"),
        scaled if scaled >= 9.995 => format!("{scaled:.1}{letter}"),
        scaled => format!("{scaled:.2}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_letter() {
        let texts = [0.0, 5.0, 0.123_4, 12.34, 123.4, 9999.0, 12_345.0, 4_567_000_000.0].map(three_digits);
        assert_eq!(texts, ["0", "5", "0.12", "12.3", "123", "9999", "12.3k", "4.57G"]);
        assert_eq!(three_digits(999_999.0), "1.00M");
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        assert_eq!([0.0125, 10.07, 1234.0].map(milliseconds), ["12.5 us", "10.1 ms", "1.23 s"]);
    }

    #[test]
    fn shares_are_percentages() {
        assert_eq!([0.0, 0.012, 0.5, 1.0].map(percent), ["0%", "1.2%", "50%", "100%"]);
    }

    fn widest(headings: &[&str], row: &[&str]) -> usize {
        let cells = row.iter().map(|&text| text.to_owned()).collect();
        let title = "B  periodic N-body, 16384 bodies, 100000 steps".to_owned();
        let text = render_groups(headings, std::iter::once((title, cells)));
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn the_widest_rows_keep_within_the_width() {
        let name = "computeForces_Tiling_Shuffle";
        let gpu = [name, "*131072x128", "12.3 ms", "12%", "12.3k", "12%", "255", "100%", "12.3kx", "ok 1e-7"];
        assert!(widest(&GPU_COLUMNS, &gpu) <= WIDTH, "{}", widest(&GPU_COLUMNS, &gpu));
        let mut columns = EMULATOR_COLUMNS.to_vec();
        columns.push("check");
        let emulator =
            [name, "*131072x128", "4.57G", "32.0", "32.0", "1234x", "1.23M", "1.23M", "0.1%", "100%", "ok 1e-7"];
        assert!(widest(&columns, &emulator) <= WIDTH, "{}", widest(&columns, &emulator));
    }

    #[test]
    fn counts_become_ratios_and_what_did_not_happen_is_a_dash() {
        let counters = Counters {
            warp_instructions: 1000,
            thread_instructions: 16_000,
            global_load_requests: 10,
            global_load_sectors: 45,
            branches: 8,
            divergent_branches: 2,
            ..Counters::default()
        };
        let cells = count_cells(&counters, 720.0);
        assert_eq!(cells, ["1000", "4.5", "-", "2x", "0", "0", "25%", "50%"]);
    }
}
