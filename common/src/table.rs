//! The table of a run: times and rates on a GPU, counts on the emulator. At most [`WIDTH`] columns of text wide.

use crate::device::Backend;
use crate::rungs::{Quantity, compared, global_bytes};
use crate::stage::{Outcome, Session, Stage};
use crate::workload::Tutorial;
use emulator::Counters;
use prettytable::format::{Alignment, FormatBuilder};
use prettytable::{Cell, Row as TableRow, Table};

/// Columns of text that the table keeps within, for names of kernels up to 28 letters.
pub const WIDTH: usize = 100;

pub(crate) const DASH: &str = "-";
const WARP: f64 = 32.0;

const GPU_COLUMNS: [&str; 9] = [
    "kernel",
    "grid x\nblock",
    "time\nmedian",
    "range",
    "rate in\n10^9/s",
    "of\nlimit",
    "reg",
    "occu-\npancy",
    "x CPU\ncore",
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
    "diver\ngent",
    "lanes\nbusy",
];

/// Present on a GPU where a kernel has a rung below.
const BELOW_COLUMN: &str = "x be-\nlow";

/// The outcomes as a table, grouped by tutorial and size.
#[must_use]
pub fn render(stage: &Stage, session: &Session, outcomes: &[Outcome], is_sweep: bool) -> String {
    let emulated = session.gpu.backend == Backend::Emulator;
    let has_rungs = !emulated && outcomes.iter().any(|outcome| outcome.plan.row.below.is_some());
    let mut headings: Vec<&str> = if emulated { EMULATOR_COLUMNS.to_vec() } else { GPU_COLUMNS.to_vec() };
    headings.extend(has_rungs.then_some(BELOW_COLUMN).into_iter().chain(["check"]));
    let rows = outcomes.iter().map(|outcome| {
        let is_best = is_sweep && is_best(outcome, outcomes);
        let mut cells = launch_cells(outcome, stage.is_baseline(outcome.plan.row), is_best).to_vec();
        cells.extend(if emulated { emulator_cells(outcome) } else { gpu_cells(session, outcome) });
        cells.extend(has_rungs.then(|| below_cell(outcome, outcomes)));
        cells.push(check(outcome));
        (group_title(outcome), cells)
    });
    render_groups(&headings, rows)
}

/// A heading, then a line for each change of group, and the rows.
pub(crate) fn render_groups(headings: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let (groups, rows): (Vec<String>, Vec<Vec<String>>) = rows.unzip();
    let table = render_lines(headings, &rows);
    let heading_lines = headings.iter().map(|heading| heading.lines().count()).max().unwrap_or(0);
    let mut lines: Vec<&str> = table.lines().take(heading_lines).collect();
    // Titles stand outside of the table: as a cell over all columns, they would widen narrow ones.
    for (index, row) in table.lines().skip(heading_lines).enumerate() {
        if index == 0 || groups[index] != groups[index - 1] {
            lines.push(&groups[index]);
        }
        lines.push(row);
    }
    lines.join("\n") + "\n"
}

/// A heading and rows, without groups.
pub(crate) fn render_lines(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.set_format(FormatBuilder::new().padding(0, 1).build());
    table.set_titles(line(headings));
    rows.iter().for_each(|cells| _ = table.add_row(line(cells)));
    let lines: Vec<_> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// Names to the left, numbers to the right.
fn line<T: AsRef<str>>(texts: &[T]) -> TableRow {
    let align = |column| if column == 0 { Alignment::LEFT } else { Alignment::RIGHT };
    let cell = |(column, text): (usize, &T)| Cell::new_align(text.as_ref(), align(column));
    TableRow::new(texts.iter().enumerate().map(cell).collect())
}

pub(crate) fn group_title(outcome: &Outcome) -> String {
    let tutorial = outcome.plan.row.work.tutorial();
    format!("{tutorial:?}  {}, {}", tutorial.title(), outcome.plan.describe_size())
}

/// Whether no other launch shape of the same kernel was faster.
pub(crate) fn is_best(outcome: &Outcome, outcomes: &[Outcome]) -> bool {
    let same = outcomes.iter().filter(|other| other.plan.row.kernel == outcome.plan.row.kernel);
    let Some(own) = outcome.timing else { return false };
    same.filter_map(|other| other.timing).all(|other| own.median <= other.median)
}

pub(crate) fn launch_cells(outcome: &Outcome, is_baseline: bool, is_best: bool) -> [String; 2] {
    let mark = if is_best { "*" } else { "" };
    let baseline = if is_baseline { " ^" } else { "" };
    let plan = &outcome.plan;
    [format!("{}{baseline}", plan.row.kernel), format!("{mark}{}x{}", plan.grid, plan.block)]
}

/// What the step from the rung below bought, in time.
pub(crate) fn below_cell(outcome: &Outcome, outcomes: &[Outcome]) -> String {
    let below = compared(outcome, outcomes).filter(|below| below.of == Quantity::Time);
    below.map_or(DASH.into(), |below| format!("{}x", three_digits(below.ratio)))
}

fn gpu_cells(session: &Session, outcome: &Outcome) -> Vec<String> {
    let timing = outcome.timing;
    let rate = outcome.rate().map(|rate| three_digits(rate.value));
    let speed_up = timing.map(|timing| three_digits(outcome.cpu.serial_ms / timing.median));
    vec![
        timing.map_or(DASH.into(), |timing| milliseconds(timing.median)),
        timing.map_or(DASH.into(), |timing| percent((timing.high - timing.low) / timing.median)),
        rate.unwrap_or(DASH.into()),
        outcome.limit_share(session).map_or(DASH.into(), percent),
        outcome.registers.map_or(DASH.into(), |count| count.to_string()),
        outcome.occupancy.map_or(DASH.into(), percent),
        speed_up.unwrap_or(DASH.into()),
    ]
}

fn emulator_cells(outcome: &Outcome) -> Vec<String> {
    match &outcome.counters {
        Some(counters) => count_cells(counters, outcome.cost.bytes_needed_by_a_launch),
        None => vec![DASH.into(); EMULATOR_COLUMNS.len() - 2],
    }
}

fn count_cells(counters: &Counters, bytes_needed: f64) -> Vec<String> {
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let per_request = |sectors, requests| share(sectors, requests).map_or(DASH.into(), |value| format!("{value:.1}"));
    let moved = global_bytes(counters) as f64 / bytes_needed;
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
pub(crate) fn check(outcome: &Outcome) -> String {
    match (outcome.report.passed(), outcome.report.max_relative_error) {
        (false, _) => "FAILED".into(),
        (true, 0.0) => "exact".into(),
        (true, error) => format!("ok {error:.0e}"),
    }
}

/// What all steps of a run take, on the CPU and by each kernel in its fastest shape; one paragraph a tutorial with
/// several steps, and none without times.
#[must_use]
pub fn totals(outcomes: &[Outcome]) -> Vec<String> {
    let mut paragraphs = Vec::new();
    for first in first_of_sizes(outcomes) {
        let (plan, cpu) = (&first.plan, &first.cpu);
        let same = |other: &&Outcome| {
            other.plan.row.work.tutorial() == plan.row.work.tutorial() && other.plan.size == plan.size
        };
        let same: Vec<_> = outcomes.iter().filter(same).collect();
        let fastest = same.iter().filter(|outcome| is_best(outcome, outcomes));
        let kernel =
            |outcome: &&Outcome| Some(format!("{} {}", outcome.plan.row.kernel, milliseconds(outcome.timing?.median)));
        let kernels: Vec<String> = fastest.filter_map(kernel).collect();
        if kernels.is_empty() || plan.size.step_count() == 1 {
            continue;
        }
        let (serial, parallel) = (milliseconds(cpu.serial_ms), milliseconds(cpu.parallel_ms));
        let cpu = [format!("CPU serial {serial}"), format!("CPU {} threads {parallel}", cpu.threads)];
        let title = format!("Total, {:?}, {}: ", plan.row.work.tutorial(), plan.describe_size());
        paragraphs.push(filled(&title, cpu.into_iter().chain(kernels)));
    }
    paragraphs
}

/// The first outcome of each tutorial and size.
fn first_of_sizes<'o, 'a>(outcomes: &'o [Outcome<'a>]) -> Vec<&'o Outcome<'a>> {
    let mut first: Vec<&Outcome> = Vec::new();
    for outcome in outcomes {
        let key = |outcome: &Outcome| (outcome.plan.row.work.tutorial(), outcome.plan.size);
        if !first.iter().any(|other| key(other) == key(outcome)) {
            first.push(outcome);
        }
    }
    first
}

/// Parts after a title, with commas, in lines within [`WIDTH`].
fn filled(title: &str, parts: impl Iterator<Item = String>) -> String {
    let (mut text, mut column) = (title.to_owned(), title.len());
    for (index, part) in parts.enumerate() {
        if index > 0 {
            let is_full = column + part.len() + ", ,".len() > WIDTH;
            text += if is_full { ",\n  " } else { ", " };
            column = if is_full { 2 } else { column + 2 };
        }
        column += part.len();
        text += &part;
    }
    text
}

/// What the CPU's own loop takes, one line a tutorial and size.
#[must_use]
pub fn cpu_lines(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for outcome in outcomes {
        let (tutorial, cpu): (Tutorial, _) = (outcome.plan.row.work.tutorial(), &outcome.cpu);
        let scaled = cpu.scaled_from.as_ref().map_or(String::new(), |part| format!(" (scaled from {part})"));
        // The kernels of tutorial E may run at different sizes.
        let atoms = outcome.plan.slice.map_or(String::new(), |_| format!(", {} atoms", outcome.plan.size.n));
        let line = format!(
            "CPU, {tutorial:?}{atoms}: serial {}, {} threads {}{scaled}",
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

/// `1 kernel`, `2 kernels`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A time with three digits, in the unit that suits it.
pub(crate) fn milliseconds(value: f64) -> String {
    match value {
        value if value >= 1e3 => format!("{} s", three_digits(value / 1e3)),
        value if value >= 1.0 => format!("{} ms", three_digits(value)),
        value => format!("{} us", three_digits(value * 1e3)),
    }
}

pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        value if value == 0.0 || value >= 9.95 => format!("{value:.0}%"),
        value => format!("{value:.1}%"),
    }
}

/// A number with three digits, and a letter for its power of ten.
pub(crate) fn three_digits(value: f64) -> String {
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
    fn parts_fill_lines_within_the_width() {
        let parts = |count| (0..count).map(|part| format!("periodicSharedCoalesced {part}"));
        assert_eq!(filled("Total: ", parts(2)), "Total: periodicSharedCoalesced 0, periodicSharedCoalesced 1");
        let text = filled("Total: ", parts(9));
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
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
        let baseline = format!("{name} ^");
        let name = baseline.as_str();
        let columns: Vec<&str> = GPU_COLUMNS.into_iter().chain([BELOW_COLUMN, "check"]).collect();
        let gpu = [name, "*131072x128", "12.3 ms", "12%", "12.3k", "12%", "255", "100%", "12.3k", "0.82x", "ok 1e-7"];
        assert!(widest(&columns, &gpu) <= WIDTH, "{}", widest(&columns, &gpu));
        let columns: Vec<&str> = EMULATOR_COLUMNS.into_iter().chain(["check"]).collect();
        let emulator =
            [name, "131072x128", "4.57G", "32.0", "32.0", "1234x", "1.23M", "1.23M", "0.1%", "100%", "ok 1e-7"];
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
