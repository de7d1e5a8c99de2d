//! The comparison of an edited kernel's results with the recorded ones of the course's kernel, which were compared with the
//! reference when the book was built.
//!
//! A recorded value v differs from the reference by at most a share s of the tolerance t that the stage derives. A value within
//! (1 − s) t of v is within t of the reference.

use emulator::{Memory, Scene};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// The compared values of an output.
#[derive(Deserialize)]
pub struct Output {
    /// The name: `fx`.
    output: String,
    /// Whether the values are integers that must be equal.
    is_integer: bool,
    /// For each value a byte in hexadecimal: 0 for no tolerance, and else 1 + 8 log₂ of its ratio to the least one.
    contents: String,
    /// The binary logarithm of the least tolerance.
    least: f64,
    /// The share s.
    share: f64,
    /// The words of the values, in the order of `contents`.
    places: Vec<Run>,
}

/// Words at equal distances in one of the scene's results, each the place of the next value.
#[derive(Clone, Copy, Deserialize)]
struct Run {
    result: usize,
    word: usize,
    stride: usize,
    count: usize,
}

/// The steps of a tolerance's byte for a factor of two.
const STEPS_AN_OCTAVE: f64 = 8.0;

/// The number of wrong values that are listed.
const LISTED: usize = 4;

/// The result of a comparison.
#[derive(Default)]
struct Report {
    compared: usize,
    wrong: usize,
    worst_share: f64,
    /// The first wrong values, one a line.
    examples: String,
}

/// Compares the memory after a launch with the recorded results; null if the scene has no tolerances.
pub fn compare(outputs: &[Output], scene: &Scene, memory: &Memory) -> Result<Value, String> {
    if outputs.is_empty() {
        return Ok(Value::Null);
    }
    let mut report = Report::default();
    for output in outputs {
        report.add(output, scene, memory)?;
    }
    let Report { compared, wrong, worst_share, .. } = report;
    Ok(json!({ "compared": compared, "wrong": wrong, "worst_share": worst_share, "text": report.text() }))
}

impl Report {
    fn add(&mut self, output: &Output, scene: &Scene, memory: &Memory) -> Result<(), String> {
        let mut tolerances = output.tolerances();
        let mut index = 0;
        for &Run { result, word, stride, count } in &output.places {
            let recorded = scene.results.get(result).ok_or("a comparison names a result that the scene lacks")?;
            let mut got = vec![0; recorded.contents.len()];
            memory.read(recorded.address, &mut got).map_err(|error| error.to_string())?;
            for number in 0..count {
                let at = 4 * (word + stride * number);
                let value = |bytes: &[u8]| Some(output.value(*bytes.get(at..)?.first_chunk()?));
                let values = value(&got).zip(value(&recorded.contents)).zip(tolerances.next());
                let ((got, recorded), tolerance) = values.ok_or("a comparison names a word past its result")?;
                self.compare(&output.output, index, [got, recorded], tolerance);
                index += 1;
            }
        }
        Ok(())
    }

    /// Compares a value. Only what is at most the tolerance passes, so NaN never does.
    fn compare(&mut self, output: &str, index: usize, [got, recorded]: [f64; 2], tolerance: f64) {
        self.compared += 1;
        let difference = (got - recorded).abs();
        if difference <= tolerance {
            let share = if difference == 0.0 { 0.0 } else { difference / tolerance };
            self.worst_share = self.worst_share.max(share);
            return;
        }
        self.wrong += 1;
        if self.wrong <= LISTED {
            // Writing to a String cannot fail.
            let _ = write!(
                self.examples,
                "\n  {output}[{index}] is {got:e}, and by the course's kernel {recorded:e}: the difference {difference:.3e} is \
                 above {tolerance:.3e}"
            );
        }
    }

    fn text(&self) -> String {
        let Self { compared, wrong, worst_share, examples } = self;
        match (wrong, *worst_share) {
            (0, 0.0) => format!("{compared} values are those of the course's kernel."),
            (0, share) => format!(
                "{compared} values are within the bound of the reference; the largest difference from the course's kernel is \
                 {:.1} % of what rounding explains.",
                100.0 * share
            ),
            _ => format!("{wrong} of {compared} values differ by more than rounding explains{examples}"),
        }
    }
}

impl Output {
    fn value(&self, bytes: [u8; 4]) -> f64 {
        if self.is_integer { i32::from_le_bytes(bytes).into() } else { f32::from_le_bytes(bytes).into() }
    }

    /// Returns the tolerance of each value.
    fn tolerances(&self) -> impl Iterator<Item = f64> {
        let code = |at: usize| u8::from_str_radix(self.contents.get(at..at + 2)?, 16).ok();
        let codes = (0..self.contents.len()).step_by(2).map_while(code);
        codes.map(|code| match code.checked_sub(1) {
            Some(steps) => (1.0 - self.share) * (self.least + f64::from(steps) / STEPS_AN_OCTAVE).exp2(),
            None => 0.0,
        })
    }
}
