//! The comparison of a kernel's results with the solution's.

use crate::counters::group_digits;
use crate::device::Outcome;
use crate::kernel_file::Buffer;
use crate::set::Case;

/// The number of wrong elements that are listed.
const LISTED: usize = 3;

/// Returns the difference in the first buffer that differs, if any does.
pub(crate) fn first_difference(case: &Case, learners: &Outcome, solution: &Outcome) -> Option<String> {
    case.results.iter().find_map(|(name, tolerance)| {
        let buffer = &case.buffers.get(name)?.0;
        difference(name, buffer, *tolerance, learners.results.get(name)?, solution.results.get(name)?)
    })
}

/// Returns the number of wrong elements of the buffer `name` and the first of them, or `None` if all are right.
///
/// An element is right if it has the same bits, or if its error is at most `tolerance` times the sum of its magnitude and
/// the average magnitude. The average is included because a sum that cancels has the error of its terms.
#[must_use]
pub fn difference(name: &str, buffer: &Buffer, tolerance: f64, got: &[u8], wanted: &[u8]) -> Option<String> {
    let is_right = close(buffer, tolerance, got, wanted);
    let wrong: Vec<usize> = (0..is_right.len()).filter(|index| !is_right[*index]).collect();
    if wrong.is_empty() {
        return None;
    }
    let total = group_digits(is_right.len() as f64);
    let are = if wrong.len() == 1 { "is" } else { "are" };
    let mut text = format!("{} of the {total} elements of `{name}` {are} wrong", group_digits(wrong.len() as f64));
    for index in wrong.into_iter().take(LISTED) {
        let size = buffer.element_bytes() as usize;
        let element = |bytes: &[u8]| buffer.text_of(&bytes[index * size..(index + 1) * size]);
        // The emulator fills new memory with these bytes.
        let is_unwritten = got[index * size..(index + 1) * size].iter().all(|byte| *byte == 0xFF);
        let found = if is_unwritten { "was never written".to_owned() } else { format!("is {}", element(got)) };
        text.push_str(&format!("\n  {name}[{index}] {found}, and should be {}", element(wanted)));
    }
    Some(text)
}

/// Returns for each element whether it is right.
fn close(buffer: &Buffer, tolerance: f64, got: &[u8], wanted: &[u8]) -> Vec<bool> {
    let size = buffer.element_bytes() as usize;
    let equal = got.chunks(size).zip(wanted.chunks(size)).map(|(got, wanted)| got == wanted);
    let got = buffer.numbers(got);
    let wanted = buffer.numbers(wanted);
    let average = wanted.iter().map(|value| value.abs()).sum::<f64>() / wanted.len() as f64;
    let near =
        got.iter().zip(&wanted).map(|(got, wanted)| (got - wanted).abs() <= tolerance * (wanted.abs() + average));
    equal.zip(near).map(|(equal, near)| equal || (tolerance > 0.0 && near)).collect()
}
