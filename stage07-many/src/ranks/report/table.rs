//! The tables of stage 7: times on GPUs, counts on the emulator.

use super::{Recorded, Row, Verdict};
use crate::ranks::model::Link;
use crate::ranks::rank::Rank;
use common::device::Backend;
use common::format::{DASH, factor, milliseconds, percent, rate, three_digits};
use common::report::Table;

const GPU_COLUMNS: [&str; 10] =
    ["kernel", "kernels", "transfers", "time", "predicted", "overlap", "gain", "bytes", "at link", "result"];

const EMULATOR_COLUMNS: [&str; 11] = [
    "kernel",
    "time",
    "gain",
    "interactions",
    "instructions",
    "kernels",
    "transfers",
    "bytes/rank",
    "from other machines",
    "exposed",
    "result",
];

/// The counts that are left out for want of room, the first first.
const OPTIONAL: [&str; 3] = ["instructions", "kernels", "interactions"];

/// The numbers for which a table is read: kept even if all rows are equal.
const MAIN: [&str; 8] = ["kernels", "transfers", "time", "gain", "bytes", "bytes/rank", "exposed", "result"];

/// Returns the first line: the ranks, the device, and on GPUs the measured link.
pub fn banner(rank: &Rank, link: Option<Link>, has_times: bool) -> String {
    let world = rank.devices;
    let device = &rank.device;
    let ranks = match (world, rank.place.world) {
        (1, _) => "1 rank".to_owned(),
        (_, 1) => format!("one process with {world} devices"),
        _ => format!("{world} ranks"),
    };
    match (device.backend, link) {
        (Backend::Emulator, _) => {
            let times = if has_times { "times recorded on GPUs" } else { "times are not shown" };
            format!("{ranks}, on emulated devices: counts are exact, {times}")
        }
        (Backend::Cuda, None) => format!("{ranks}: {}", device.banner()),
        (Backend::Cuda, Some(link)) => format!(
            "{ranks}: {}\nlink: {} and {} GB/s to each rank (all_gather)",
            device.banner(),
            milliseconds(link.latency),
            rate(link.bandwidth * 1e3 / 1e9)
        ),
    }
}

/// Returns the tables, one for each problem and size, and the lines below them.
pub fn render(rows: &[Row], emulated: bool) -> (String, String) {
    let headings: &[&str] = if emulated { &EMULATOR_COLUMNS } else { &GPU_COLUMNS };
    let groups = rows.chunk_by(|one, next| title(one, emulated) == title(next, emulated));
    let tables: Vec<String> = groups
        .map(|group| {
            let cells: Vec<Vec<String>> = group.iter().map(|row| cells(row, emulated)).collect();
            let mut table = Table::new(title(&group[0], emulated));
            table.note(group.iter().find_map(source).unwrap_or_default());
            for (column, heading) in headings.iter().enumerate() {
                table.add(heading, cells.iter().map(|row| row[column].clone()).collect());
                let place = OPTIONAL.iter().position(|optional| emulated && optional == heading);
                place.into_iter().for_each(|place| table.optional(OPTIONAL.len() - place));
            }
            table.without_silent(&MAIN).render() + &reasons(group).join("")
        })
        .collect();
    (format!("\n{}", tables.join("\n").trim_end()), notes(rows, emulated).join("\n"))
}

/// `A  all-pairs forces, 1,000 bodies`
fn title(row: &Row, emulated: bool) -> String {
    let backend = if emulated { Backend::Emulator } else { Backend::Cuda };
    format!("{}  {}", row.strategy.facts().letter, row.strategy.describe(row.size.n, backend))
}

/// `times of 131,072 bodies recorded on 2 x H200`; `None` without a record.
fn source(row: &Row) -> Option<String> {
    let title = row.strategy.describe(row.recorded.as_ref()?.as_ref().ok()?.size, Backend::Cuda);
    let (_, size) = title.split_once(", ")?;
    Some(format!("times of {size} recorded on {}", gpus(row)?))
}

/// `2 x H200`: the GPUs of a recorded time.
fn gpus(row: &Row) -> Option<String> {
    let Recorded { ranks, device, .. } = row.recorded.as_ref()?.as_ref().ok()?;
    Some(format!("{ranks} x {}", device.trim_start_matches("NVIDIA ")))
}

fn cells(row: &Row, emulated: bool) -> Vec<String> {
    let mut cells = vec![row.strategy.name().to_owned()];
    let did_run = matches!(row.outcome.verdict, Verdict::Right | Verdict::Wrong);
    cells.extend(match (did_run, emulated) {
        (true, true) => counts(row),
        (true, false) => times(row),
        (false, true) => vec![DASH.to_owned(); EMULATOR_COLUMNS.len() - 2],
        (false, false) => vec![DASH.to_owned(); GPU_COLUMNS.len() - 2],
    });
    let result = match row.outcome.verdict {
        Verdict::Right => "correct",
        Verdict::Wrong => "WRONG",
        Verdict::LeftOut(_) => "left out",
        Verdict::Failed(_) => "FAILED",
    };
    cells.push(result.into());
    cells
}

fn times(row: &Row) -> Vec<String> {
    let dash = || DASH.to_owned();
    let bytes = three_digits(row.outcome.counts.bytes_received);
    let Some(times) = row.outcome.times else { return vec![dash(); GPU_COLUMNS.len() - 2] };
    let exchange = if times.exchange > 0.0 { milliseconds(times.exchange) } else { dash() };
    vec![
        milliseconds(times.compute),
        exchange,
        milliseconds(times.total),
        row.predicted.map_or_else(dash, milliseconds),
        times.overlap().map_or_else(dash, percent),
        factor(times.speedup()),
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
    let times = row.times();
    let time = times.map_or_else(|| DASH.to_owned(), |times| milliseconds(times.total));
    let gain = times.map_or_else(|| DASH.to_owned(), |times| factor(times.speedup()));
    // What a graph enqueues, and what runs under checks, is not counted.
    let counts = numbers.into_iter().enumerate().map(|(column, number)| format_count(column, number));
    [time, gain].into_iter().chain(counts).collect()
}

/// Returns a count, or a dash for instructions that were not counted.
fn format_count(column: usize, number: f64) -> String {
    const INSTRUCTIONS: usize = 1;
    if column == INSTRUCTIONS && number == 0.0 { DASH.to_owned() } else { three_digits(number) }
}

/// Returns a line for each reason why strategies did not run, or have no time.
fn reasons(rows: &[Row]) -> Vec<String> {
    let reason = |row: &Row| match (&row.outcome.verdict, &row.recorded) {
        (Verdict::LeftOut(reason) | Verdict::Failed(reason), _) => Some(format!("{}: {reason}\n", row.strategy.name())),
        (_, Some(Err(reason))) => Some(format!("- no time: {reason}.\n")),
        _ => None,
    };
    let mut reasons: Vec<String> = rows.iter().filter_map(reason).collect();
    reasons.dedup();
    reasons
}

/// Returns the lines below the tables: what this run shows, the columns that need an explanation, and what to read next.
fn notes(rows: &[Row], emulated: bool) -> Vec<String> {
    let mut notes = vec![String::new()];
    notes.extend(most_efficient(rows));
    notes.extend(least_exposed(rows).filter(|_| emulated));
    if emulated && rows.iter().any(|row| row.times().is_some()) {
        notes.push("Gain: time on one GPU / this time, both recorded, at the size behind the title.".into());
    }
    notes.push(
        if emulated {
            "Counts are of rank 0. Exposed: bytes that arrive while no kernel of the rank may run."
        } else {
            "Gain: time on one GPU / this time. Overlap: the part of the shorter of kernels and transfers that runs\n\
             at the same time as the other. At link: the time of a rank's bytes at the measured rate of the link."
        }
        .into(),
    );
    notes.push(
        "Read on: diff each file of stage07-many/src/forces with the one before, in the order of the table".into(),
    );
    notes
}

/// `ring exposes 0 % of the bytes that it receives, all_gather 100 %.`: the strategies with the least and the
/// largest part of exposed bytes.
fn least_exposed(rows: &[Row]) -> Option<String> {
    let part = |row: &Row| row.outcome.counts.bytes_exposed / row.outcome.counts.bytes_received;
    let moving = || rows.iter().filter(|row| row.outcome.counts.bytes_received > 0.0);
    let least = moving().min_by(|one, other| part(one).total_cmp(&part(other)))?;
    let most = moving().max_by(|one, other| part(one).total_cmp(&part(other)))?;
    let [lowest, highest] = [least, most].map(|row| percent(part(row)));
    let [least_name, most_name] = [least, most].map(|row| row.strategy.name());
    (part(least) < part(most))
        .then(|| format!("{least_name} exposes {lowest} of the bytes that it receives, {most_name} {highest}."))
}

/// The strategy that gains most from the GPUs.
fn most_efficient(rows: &[Row]) -> Option<String> {
    let speedup = |row: &Row| row.times().map_or(0.0, |times| times.speedup());
    let best = rows.iter().max_by(|one, other| speedup(one).total_cmp(&speedup(other)))?;
    let name = best.strategy.name();
    let gain = Some(speedup(best)).filter(|gain| *gain > 0.0).map(factor)?;
    Some(match gpus(best) {
        Some(gpus) => format!("{name} on {gpus} is {gain} as fast as on one."),
        None => format!("{name} is {gain} as fast as one GPU."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headings_on_gpus_are_one_line() {
        let widest = "own_block_first|12.3 ms|12.3 ms|12.3 ms|12.3 ms|-249 %|0.42x|1.05 M|0.650 ms|left out";
        let cells = vec![widest.split('|').map(str::to_owned).collect()];
        let text = Table::from_rows("title", &GPU_COLUMNS, &cells).render();
        let heading = text.lines().find(|line| line.starts_with("kernel")).expect("a heading");
        assert!(GPU_COLUMNS.iter().all(|column| heading.contains(column)), "{text}");
    }
}
