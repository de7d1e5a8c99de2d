//! Two versions of a kernel with the same arguments.

use super::Check;
use super::costs::{loaded, wavefronts};
use super::output::serialize_number;
use super::report::{Report, Status};
use emulator::Counters;
use judge::group_digits;
use judge::kernel_file::{Buffer, Part};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// The ends of names of kernel files, before which a path ends and after which a kernel may be named.
const ENDS: [&str; 4] = [".cu:", ".cuh:", ".ptx:", ".rs:"];

/// Returns the checks of both versions, or of the only one.
pub fn versions(check: &Check) -> Vec<Check> {
    let mut versions = vec![check.clone()];
    if let Some(other) = &check.compare {
        let split = ENDS.iter().find_map(|end| other.find(end).map(|at| at + end.len()));
        let (file, kernel) =
            split.map_or((other.as_str(), None), |at| (&other[..at - 1], Some(other[at..].to_owned())));
        let mut second = check.clone();
        second.request.file = PathBuf::from(file);
        second.request.kernel = kernel.unwrap_or_else(|| check.request.kernel.clone());
        versions.push(second);
    }
    versions
}

/// The results that two versions of a kernel have in common.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The names of the versions.
    versions: [String; 2],
    /// Whether all buffers are the same bits after the launches.
    equal: bool,
    /// The buffers that differ.
    differences: Vec<Difference>,
    /// Counts of both; empty if one of them was not counted.
    counts: Vec<Row>,
    /// The estimates of both as text, with what limits them.
    estimates: [Option<String>; 2],
}

/// A buffer that differs.
#[derive(Debug, Serialize)]
struct Difference {
    #[serde(serialize_with = "serialize_number")]
    argument: Part,
    /// The number of elements that differ, of so many.
    elements: u64,
    of: u64,
    /// The largest difference of two elements, and the index of these; `None` if one of each pair is no number.
    largest: Option<f64>,
    index: usize,
    /// The largest magnitude of an element of the first version.
    magnitude: f64,
}

/// A count of both versions.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    before: u64,
    after: u64,
}

impl Comparison {
    /// Compares two runs; `None` if one of them could not be made.
    pub fn new(one: &Report, other: &Report) -> Option<Self> {
        if [one, other].iter().any(|report| report.status == Status::Error) {
            return None;
        }
        let pairs = one.results.iter().zip(&other.results);
        let differences: Vec<Difference> = pairs.filter_map(|(one, other)| difference(one, &other.2)).collect();
        let counts = match [&one.counts, &other.counts] {
            [Some(one), Some(other)] => rows(&one.total, &other.total),
            _ => Vec::new(),
        };
        let estimate = |report: &Report| {
            report.estimate.as_ref().map(|estimate| format!("{}, limited by {}", estimate.text, estimate.limiter()))
        };
        let name = |report: &Report| format!("{}, {}", report.file, report.kernel);
        Some(Self {
            versions: [name(one), name(other)],
            equal: differences.is_empty(),
            differences,
            counts,
            estimates: [estimate(one), estimate(other)],
        })
    }
}

fn difference((argument, buffer, one): &(Part, Buffer, Vec<u8>), other: &[u8]) -> Option<Difference> {
    let size = buffer.element_bytes() as usize;
    let differs: Vec<usize> = (0..one.len() / size)
        .filter(|index| one[index * size..(index + 1) * size] != other[index * size..(index + 1) * size])
        .collect();
    let first = *differs.first()?;
    let numbers = [one, other].map(|bytes| buffer.numbers(bytes));
    let by = |index: &usize| (numbers[0][*index] - numbers[1][*index]).abs();
    let largest = differs
        .iter()
        .copied()
        .filter(|index| by(index).is_finite())
        .max_by(|one, other| by(one).total_cmp(&by(other)));
    let magnitude = numbers[0].iter().map(|value| value.abs()).filter(|value| value.is_finite()).fold(0.0, f64::max);
    Some(Difference {
        argument: argument.clone(),
        elements: differs.len() as u64,
        of: (one.len() / size) as u64,
        largest: largest.map(|index| by(&index)),
        index: largest.unwrap_or(first),
        magnitude,
    })
}

/// Returns the counts that one of both has.
fn rows(one: &Counters, other: &Counters) -> Vec<Row> {
    type Count = (&'static str, fn(&Counters) -> u64);
    const COUNTS: [Count; 9] = [
        ("warp instructions", |counters| counters.warp_instructions),
        ("sectors of global loads", loaded),
        ("sectors of global stores", |counters| counters.global_store_sectors),
        ("sectors of global atomics", |counters| counters.global_atomic_sectors),
        ("sectors of local memory", |counters| counters.local_load_sectors + counters.local_store_sectors),
        ("wavefronts of shared memory", |counters| wavefronts(counters).0),
        ("of these, bank conflicts", |counters| wavefronts(counters).1),
        ("barriers", |counters| counters.barriers),
        ("divergent branches", |counters| counters.divergent_branches),
    ];
    let row = |(name, count): Count| Row { name, before: count(one), after: count(other) };
    COUNTS.into_iter().map(row).filter(|row| row.before + row.after > 0).collect()
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.versions;
        writeln!(f, "{one} (before) and {other} (after):")?;
        if self.equal {
            writeln!(f, "  outputs: the same bits in all buffers")?;
        }
        for Difference { argument, elements, of, largest, index, magnitude } in &self.differences {
            let [count, of] = [*elements, *of].map(|count| group_digits(count as f64));
            write!(f, "  outputs: {count} of {of} elements of argument {argument} differ")?;
            match largest {
                Some(largest) => {
                    writeln!(f, ", by at most {largest:.3e} (element {index}; the largest value is {magnitude:.3e})")?
                }
                None => writeln!(f, ", the first at element {index}, where one is no number")?,
            }
        }
        if !self.counts.is_empty() {
            write!(f, "  {:28} {:>15} {:>15} {:>8}", "", "before", "after", "change")?;
        }
        for Row { name, before, after } in &self.counts {
            let change = match before {
                0 => "new".to_owned(),
                _ => format!("{:.2} x", *after as f64 / *before as f64),
            };
            let [before, after] = [before, after].map(|count| group_digits(*count as f64));
            write!(f, "\n  {name:28} {before:>15} {after:>15} {change:>8}")?;
        }
        for (when, estimate) in ["before", "after"].iter().zip(&self.estimates) {
            match estimate {
                Some(estimate) => write!(f, "\n  {when:6} {estimate}; ESTIMATED, not measured")?,
                None => write!(f, "\n  {when:6} no estimated time")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::rows;
    use emulator::Counters;

    #[test]
    fn counts_that_neither_has_are_left_out() {
        let one = Counters { warp_instructions: 4, global_load_sectors: 2, ..Counters::default() };
        let other = Counters { warp_instructions: 2, ..Counters::default() };
        let names: Vec<_> = rows(&one, &other).iter().map(|row| (row.name, row.before, row.after)).collect();
        assert_eq!(names, [("warp instructions", 4, 2), ("sectors of global loads", 2, 0)]);
    }
}
