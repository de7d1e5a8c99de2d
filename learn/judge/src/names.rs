//! The names of a kernel's parameters in the learner's file, where a card's buffers have others: `in` is a word of Rust.

use crate::kernel_file::Language;
use crate::set::{Case, Exercise};
use crate::submission::Submission;

/// The buffers of a case with the names of their parameters.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    /// The learner's file.
    pub text: &'a str,
    own: Vec<(&'a str, &'a str)>,
}

impl<'a> Names<'a> {
    /// Returns the names in a file; those of the card if its parameters cannot be told, and for a kernel in Rust.
    pub fn of(exercise: &'a Exercise, submission: &'a Submission, case: &'a Case) -> Self {
        let launches = case.launches.iter().filter_map(|launch| {
            let kernel = launch.kernel.as_deref().unwrap_or(&exercise.card.kernel);
            let names = parameters(&submission.text, kernel).filter(|_| submission.language == Language::Cuda)?;
            (names.len() == launch.arguments.len()).then_some((&launch.arguments, names))
        });
        let own = launches.flat_map(|(buffers, names)| buffers.iter().map(String::as_str).zip(names)).collect();
        Self { text: &submission.text, own }
    }

    /// Returns the learner's name of a buffer.
    pub fn own<'b>(&'b self, buffer: &'b str) -> &'b str {
        self.own.iter().find(|(name, _)| *name == buffer).map_or(buffer, |(_, own)| own)
    }
}

/// Returns the names of the parameters of a kernel in CUDA C++.
fn parameters<'a>(text: &'a str, kernel: &str) -> Option<Vec<&'a str>> {
    let (_, rest) = text.split_once("__global__")?;
    let (_, rest) = rest.split_once(&format!(" {kernel}("))?;
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    let name = |parameter: &'a str| parameter.trim_end().rsplit(|character| !is_of_name(character)).next();
    rest.split(')').next()?.split(',').map(|parameter| name(parameter).filter(|name| !name.is_empty())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_the_last_word_before_a_comma() {
        let text =
            "__device__ int f(int a);\nextern \"C\" __global__ void scale(const float* in,\n    float *out , int n) {";
        assert_eq!(parameters(text, "scale"), Some(vec!["in", "out", "n"]));
        assert_eq!(parameters(text, "other"), None);
        assert_eq!(parameters("__global__ void scale(float*, int n)", "scale"), None);
    }
}
