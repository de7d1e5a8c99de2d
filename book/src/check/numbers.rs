//! Measured numbers in the sentences of a stage's chapter come from records, by directives. What the tutorials
//! published is in the stages' tables of kernels, from which `{{ladder}}` shows it, so that sentences need no
//! exception.

use super::prose::{Of, Prose};
use super::{Material, Report, line_of};

/// Units of measured times and rates, and words of measured ratios.
const UNITS: [&str; 22] = [
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "sec",
    "second",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "GB/s",
    "TB/s",
    "MB/s",
    "GFLOP/s",
    "TFLOP/s",
    "GFLOPS",
    "TFLOPS",
    "times as fast",
    "times faster",
    "times slower",
];

pub fn check(material: &Material, report: &mut Report) {
    for chapter in material.stage_chapters() {
        let prose = Prose::new(&chapter.text, Of::Everything).text;
        for (place, number) in measured(&prose) {
            let text =
                format!("`{number}` is typed in: take it from a record, {{{{time STAGE KERNEL}}}} or {{{{ratio …}}}}");
            report.add(&chapter.file, line_of(&chapter.text, place), text);
        }
    }
}

/// Numbers that a unit of time or rate follows, with their places.
fn measured(prose: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (place, _) in prose.match_indices(|c: char| c.is_ascii_digit()) {
        let is_begin = !prose[..place].ends_with(|c: char| c.is_alphanumeric() || "_.,".contains(c));
        let digits = prose[place..].find(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
        let digits = digits.unwrap_or(prose.len() - place);
        let rest = &prose[place + digits..];
        let unit_at = rest.len() - rest.trim_start_matches([' ', '\u{a0}', '×']).len();
        let unit = UNITS.iter().find(|unit| {
            let after = rest[unit_at..].strip_prefix(**unit);
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        if let (true, Some(unit)) = (is_begin, unit) {
            found.push((place, &prose[place..place + digits + unit_at + unit.len()]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_unit_of_time_or_rate_are_found() {
        let found = |prose| measured(prose).into_iter().map(|(_, number)| number.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("It took 0.889 ms, then 83.7µs."), ["0.889 ms", "83.7µs"]);
        assert_eq!(found("6,042 GFLOP/s, and 2.2 times as fast"), ["6,042 GFLOP/s", "2.2 times as fast"]);
        assert_eq!(found("32 sectors, 128 bytes, x2 ms, 4 msgs").len(), 0);
    }
}
