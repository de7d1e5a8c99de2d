//! Converts the tables of Nsight Compute to readings.

use crate::measured::{Reading, Readings};
use crate::metrics::{PER_OPCODE, opcodes, sums};
use crate::{cases, reasons};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

/// The values of a launch's metrics.
type Metrics = HashMap<String, String>;

/// Returns the metrics of a group, as an argument of Nsight Compute.
pub fn metrics(group: &str) -> Result<String, Box<dyn Error>> {
    cases::of(group)?;
    let mut names: Vec<&str> = sums(group).flat_map(|(_, metrics)| metrics.iter().copied()).collect();
    if !opcodes(group).is_empty() {
        names.push(PER_OPCODE);
    }
    Ok(names.join(","))
}

/// Reads the tables of each group and writes its readings. A group may have several tables with different kernels. The name
/// of a table begins with the name of its group.
pub fn all(tables: &Path, folder: &Path, about: &str) -> Result<(), Box<dyn Error>> {
    let mut files: Vec<_> = tables.read_dir()?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    for group in cases::names() {
        let mut launches = HashMap::new();
        let name = |file: &Path| file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let of_group = |file: &&std::path::PathBuf| name(file).starts_with(group) && name(file).ends_with(".csv");
        if !files.iter().any(|file| of_group(&file)) {
            println!("{group}: no table; the recorded readings are unchanged");
            continue;
        }
        for file in files.iter().filter(of_group) {
            read(file, &mut launches).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let readings = readings(group, about, &mut launches)?;
        let file = folder.join(format!("{group}.json"));
        std::fs::write(&file, text(&readings)?).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{}: {} readings", file.display(), readings.readings.len());
    }
    Ok(())
}

/// Appends the launches of a table to those of each kernel, in order.
fn read(file: &Path, launches: &mut HashMap<String, VecDeque<Metrics>>) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    // The file also contains the program's output and the profiler's messages.
    let table: String = text.lines().filter(|line| line.starts_with('"')).flat_map(|line| [line, "\n"]).collect();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let mut last = None;
    for row in reader.deserialize::<HashMap<String, String>>() {
        let mut row = row?;
        let mut field = |name: &str| row.remove(name).ok_or_else(|| format!("no column `{name}`"));
        let id = field("ID")?;
        let kernel = field("Kernel Name")?;
        let metric = field("Metric Name")?;
        let value = field("Metric Value")?;
        let of_kernel = launches.entry(kernel).or_default();
        if last.as_ref() != Some(&id) {
            of_kernel.push_back(Metrics::new());
            last = Some(id);
        }
        if let Some(launch) = of_kernel.back_mut() {
            launch.insert(metric, value);
        }
    }
    Ok(())
}

fn readings(
    group: &str,
    about: &str,
    launches: &mut HashMap<String, VecDeque<Metrics>>,
) -> Result<Readings, Box<dyn Error>> {
    let mut readings = Vec::new();
    for case in cases::of(group)? {
        let launch = launches.get_mut(&case.kernel).and_then(VecDeque::pop_front);
        let launch = launch.ok_or_else(|| format!("the tables contain too few launches of {}", case.kernel))?;
        let counts = counts(group, &launch).map_err(|error| format!("{}: {error}", case.kernel))?;
        readings.push(Reading { differs: reasons::of(&case), case, counts });
    }
    let counters = sums(group).map(|(name, _)| *name).chain(opcodes(group).iter().map(|(name, _)| *name));
    Ok(Readings { recorded: about.to_owned(), counters: counters.map(str::to_owned).collect(), readings })
}

/// Returns the counters of a launch that are not zero.
fn counts(group: &str, launch: &Metrics) -> Result<BTreeMap<String, u64>, String> {
    let mut counts = BTreeMap::new();
    let value = |metric: &str| launch.get(metric).ok_or_else(|| format!("no metric `{metric}`"));
    for (counter, metrics) in sums(group) {
        let mut sum = 0;
        for metric in *metrics {
            sum += number(value(metric)?)?;
        }
        counts.insert((*counter).to_owned(), sum);
    }
    for (counter, names) in opcodes(group) {
        counts.insert((*counter).to_owned(), executed(value(PER_OPCODE)?, names)?);
    }
    counts.retain(|_, count| *count != 0);
    Ok(counts)
}

/// Returns the number of executed instructions with one of these opcodes, from a text such as `12 (BAR: 2; EXIT: 10)`.
fn executed(text: &str, opcodes: &[&str]) -> Result<u64, String> {
    let (_, list) = text.trim_end_matches(')').split_once('(').ok_or_else(|| format!("`{text}` has no opcodes"))?;
    let mut sum = 0;
    for entry in list.split("; ") {
        let (opcode, count) = entry.split_once(": ").ok_or_else(|| format!("`{entry}` has no opcode"))?;
        if opcodes.contains(&opcode.split('.').next().unwrap_or(opcode)) {
            sum += number(count)?;
        }
    }
    Ok(sum)
}

fn number(text: &str) -> Result<u64, String> {
    text.replace(',', "").parse().map_err(|_| format!("`{text}` is not a whole number"))
}

/// Returns the readings as JSON, one per line.
fn text(readings: &Readings) -> Result<String, Box<dyn Error>> {
    let mut text = format!(
        "{{\n\"recorded\": {},\n\"counters\": {},\n\"readings\": [\n",
        serde_json::to_string(&readings.recorded)?,
        serde_json::to_string(&readings.counters)?
    );
    for (index, reading) in readings.readings.iter().enumerate() {
        let end = if index + 1 < readings.readings.len() { "," } else { "" };
        writeln!(text, "{}{end}", serde_json::to_string(reading)?)?;
    }
    text.push_str("]\n}\n");
    Ok(text)
}
