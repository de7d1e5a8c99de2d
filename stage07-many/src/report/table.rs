//! The table: times on GPUs, counts on the emulator.

use super::{Row, Verdict};
use crate::model::Link;
use crate::rank::Rank;
use common::device::Backend;
use common::report::{DASH, milliseconds, percent, render_lines, three_digits};

const GPU_COLUMNS: [&str; 10] = [
    "rung",
    "com-\npute",
    "ex-\nchange",
    "total",
    "pre-\ndicted",
    "over-\nlap",
    "x one\nGPU",
    "effi-\nciency",
    "bytes\na rank",
    "at link\nspeed",
];

const EMULATOR_COLUMNS: [&str; 8] = [
    "rung",
    "inter-\nactions",
    "warp\ninst.",
    "ker-\nnels",
    "trans-\nfers",
    "bytes\na rank",
    "from other\nmachines",
    "exposed\nbytes",
];

/// The line that says who runs, and what its numbers are worth.
pub fn banner(rank: &Rank, link: Option<Link>) -> String {
    let (world, device) = (rank.devices, &rank.device);
    let ranks = match (world, rank.place.world) {
        (1, _) => "1 rank".to_owned(),
        (_, 1) => format!("one process with {world} devices"),
        _ => format!("{world} ranks"),
    };
    match (device.backend, link) {
        (Backend::Emulator, _) => {
            format!("{ranks}, on emulated devices: counts are exact, times are not shown")
        }
        (Backend::Cuda, None) => format!("{ranks}: {}", device.banner()),
        (Backend::Cuda, Some(link)) => format!(
            "{ranks}: {}\nlink: {} and {} GB/s to each rank (all_gather)",
            device.banner(),
            milliseconds(link.latency),
            three_digits(link.bandwidth * 1e3 / 1e9)
        ),
    }
}

/// The rows under a title for each problem and size, and the lesson.
pub fn render(rows: &[Row], world: usize, emulated: bool) -> (String, String) {
    let headings: Vec<&str> = if emulated { EMULATOR_COLUMNS.to_vec() } else { GPU_COLUMNS.to_vec() };
    let headings: Vec<&str> = headings.into_iter().chain(["check"]).collect();
    let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row, world, emulated)).collect();
    let table = render_lines(&headings, &cells);
    let mut lines = table.lines();
    let above = headings.iter().map(|heading| heading.lines().count()).max().unwrap_or(0);
    let mut text: Vec<String> = lines.by_ref().take(above).map(str::to_owned).collect();
    for (index, line) in lines.enumerate() {
        let title = |index: usize| title(&rows[index], emulated);
        if index == 0 || title(index) != title(index - 1) {
            text.push(title(index));
        }
        text.push(line.to_owned());
    }
    text.extend(reasons(rows));
    (text.join("\n"), notes(emulated).join("\n"))
}

/// `A  all-pairs forces, 1000 bodies`
fn title(row: &Row, emulated: bool) -> String {
    let backend = if emulated { Backend::Emulator } else { Backend::Cuda };
    format!("{}  {}", row.rung.letter(), row.rung.describe(row.size.n, backend))
}

fn cells(row: &Row, world: usize, emulated: bool) -> Vec<String> {
    let mut cells = vec![row.rung.name().to_owned()];
    let did_run = matches!(row.outcome.verdict, Verdict::Right | Verdict::Wrong);
    cells.extend(match (did_run, emulated) {
        (true, true) => counts(row),
        (true, false) => times(row, world),
        (false, true) => vec![DASH.to_owned(); EMULATOR_COLUMNS.len() - 1],
        (false, false) => vec![DASH.to_owned(); GPU_COLUMNS.len() - 1],
    });
    let verdict = match row.outcome.verdict {
        Verdict::Right => "ok",
        Verdict::Wrong => "WRONG",
        Verdict::LeftOut(_) => "left out",
        Verdict::Failed(_) => "FAILED",
    };
    cells.push(verdict.into());
    cells
}

fn times(row: &Row, world: usize) -> Vec<String> {
    let dash = || DASH.to_owned();
    let bytes = three_digits(row.outcome.counts.bytes_received);
    let Some(times) = row.outcome.times else { return vec![dash(); GPU_COLUMNS.len() - 1] };
    let exchange = if times.exchange > 0.0 { milliseconds(times.exchange) } else { dash() };
    vec![
        milliseconds(times.compute),
        exchange,
        milliseconds(times.total),
        row.predicted.map_or_else(dash, milliseconds),
        times.overlap().map_or_else(dash, |overlap| format!("{:.0}%", 100.0 * overlap)),
        format!("{:.2}", times.speedup()),
        percent(times.speedup() / world as f64),
        bytes,
        row.at_link.map_or_else(dash, milliseconds),
    ]
}

fn counts(row: &Row) -> Vec<String> {
    let counts = &row.outcome.counts;
    let numbers = [
        counts.work,
        counts.warp_instructions,
        counts.kernels.into(),
        counts.transfers.into(),
        counts.bytes_received,
        counts.bytes_from_machines,
        counts.bytes_exposed,
    ];
    // What a graph enqueues, and what runs under checks, is not counted.
    numbers.into_iter().enumerate().map(|(column, number)| counted(column, number)).collect()
}

/// A count; a dash for instructions that nobody counted.
fn counted(column: usize, number: f64) -> String {
    const INSTRUCTIONS: usize = 1;
    if column == INSTRUCTIONS && number == 0.0 { DASH.to_owned() } else { three_digits(number) }
}

/// Why rungs did not run.
fn reasons(rows: &[Row]) -> impl Iterator<Item = String> {
    rows.iter().filter_map(|row| match &row.outcome.verdict {
        Verdict::LeftOut(reason) | Verdict::Failed(reason) => Some(format!("{}: {reason}", row.rung.name())),
        Verdict::Right | Verdict::Wrong => None,
    })
}

/// What the columns mean, and where to read on.
fn notes(emulated: bool) -> Vec<String> {
    let mut notes = vec![String::new()];
    notes.extend(
        if emulated {
            [
                "Counts are of rank 0. Exposed: bytes of transfers beside which no kernel of the rank may run. The",
                "ladder of A moves the same bytes, and hides them: first behind own bodies, then behind each share.",
            ]
        } else {
            [
                "x one GPU: the same work alone, over the total; efficiency: that over the ranks. Overlap: what of the",
                "shorter of compute and exchange runs beside the other. What can be hidden pays where it is long.",
            ]
        }
        .map(str::to_owned),
    );
    notes.push(
        "Read on: diff each file of stage07-many/src/forces with the one before, in the order of the table".into(),
    );
    notes
}
