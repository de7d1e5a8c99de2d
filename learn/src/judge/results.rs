//! Results against the solution's.

use super::counts::shown;
use super::device::Outcome;
use crate::set::Case;
use kernel_file::Buffer;

/// Wrong elements that are shown.
const SHOWN: usize = 3;

/// What is wrong with the first result that is.
pub fn difference(case: &Case, learners: &Outcome, solution: &Outcome) -> Option<String> {
    case.results.iter().find_map(|(name, tolerance)| {
        let buffer = &case.buffers.get(name)?.0;
        of_buffer(name, buffer, *tolerance, learners.results.get(name)?, solution.results.get(name)?)
    })
}

fn of_buffer(name: &str, buffer: &Buffer, tolerance: f64, got: &[u8], wanted: &[u8]) -> Option<String> {
    let is_right = close(buffer, tolerance, got, wanted);
    let wrong: Vec<usize> = (0..is_right.len()).filter(|index| !is_right[*index]).collect();
    if wrong.is_empty() {
        return None;
    }
    let total = shown(is_right.len() as f64);
    let mut text = format!("{} of the {total} elements of `{name}` are wrong", shown(wrong.len() as f64));
    for index in wrong.into_iter().take(SHOWN) {
        let size = buffer.element_bytes() as usize;
        let element = |bytes: &[u8]| buffer.text_of(&bytes[index * size..(index + 1) * size]);
        // What fresh memory of the emulator holds.
        let is_unwritten = got[index * size..(index + 1) * size].iter().all(|byte| *byte == 0xFF);
        let found = if is_unwritten { "was never written".to_owned() } else { format!("is {}", element(got)) };
        text.push_str(&format!("\n  {name}[{index}] {found}, and should be {}", element(wanted)));
    }
    Some(text)
}

/// Whether each element is right: the same bits, or within the tolerance, relative to its own magnitude and that of an
/// average element, since a sum that cancels has the error of its terms.
pub fn close(buffer: &Buffer, tolerance: f64, got: &[u8], wanted: &[u8]) -> Vec<bool> {
    let size = buffer.element_bytes() as usize;
    let equal = got.chunks(size).zip(wanted.chunks(size)).map(|(got, wanted)| got == wanted);
    let (got, wanted) = (buffer.numbers(got), buffer.numbers(wanted));
    let average = wanted.iter().map(|value| value.abs()).sum::<f64>() / wanted.len() as f64;
    let near =
        got.iter().zip(&wanted).map(|(got, wanted)| (got - wanted).abs() <= tolerance * (wanted.abs() + average));
    equal.zip(near).map(|(equal, near)| equal || (tolerance > 0.0 && near)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_file::Argument;

    fn buffer(text: &str) -> Buffer {
        match text.parse() {
            Ok(Argument::Buffer(buffer)) => buffer,
            other => panic!("{other:?}"),
        }
    }

    fn difference(tolerance: f64, got: &str, wanted: &str) -> Option<String> {
        let bytes = |text: &str| buffer(text).contents(1).expect("contents");
        of_buffer("a", &buffer(wanted), tolerance, &bytes(got), &bytes(wanted))
    }

    #[test]
    fn equal_bits_are_right_and_others_are_shown() {
        assert_eq!(difference(0.0, "i32[2]=1,2", "i32[2]=1,2"), None);
        let text = difference(0.0, "i32[2]=-1,3", "i32[2]=1,2").expect("a difference");
        assert_eq!(
            text,
            "2 of the 2 elements of `a` are wrong\n  a[0] was never written, and should be 1\n  a[1] is 3, and should be 2"
        );
    }

    #[test]
    fn tolerance_is_relative_and_nan_is_never_within_it() {
        assert_eq!(difference(1e-3, "f32[2]=1000.1,2", "f32[2]=1000,2"), None);
        assert!(difference(1e-5, "f32[2]=1000.1,2", "f32[2]=1000,2").is_some());
        assert!(difference(1e-3, "f32[2]=NaN,2", "f32[2]=1000,2").is_some());
    }
}
