//! The launch in a learner's file, if it is part of the exercise: `// launch <<<8, 128, 4 * 128 * sizeof(float)>>>`, or with sizes
//! of the case, `// launch <<<n / 128, 128>>>`, where a quotient is rounded up.

use super::expression;
use std::collections::BTreeMap;

/// The launch that a learner wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLine {
    /// The number of blocks.
    pub grid: u32,
    /// The number of threads per block.
    pub block: u32,
    /// The dynamic shared memory per block, in bytes.
    pub shared: u32,
}

const BEGIN: &str = "// launch <<<";

impl LaunchLine {
    /// Parses the first launch line of a kernel's text, with the values of these sizes.
    ///
    /// # Errors
    /// There is none, or its parts are not two or three expressions of whole numbers and sizes; the message quotes the line.
    pub fn parse(text: &str, sizes: &BTreeMap<String, u64>) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let found = lines.find_map(|(index, line)| Some((index + 1, line.trim().strip_prefix(BEGIN)?)));
        let (number, rest) =
            found.ok_or_else(|| format!("the line `{BEGIN}grid, block, shared bytes>>>` is missing"))?;
        let inside = rest.split(">>>").next().unwrap_or_default();
        let values = inside.split(',').map(|part| value(part, sizes)).collect::<Option<Vec<_>>>();
        match values.as_deref() {
            Some([grid, block]) => Ok(Self { grid: *grid, block: *block, shared: 0 }),
            Some([grid, block, shared]) => Ok(Self { grid: *grid, block: *block, shared: *shared }),
            _ => Err(format!(
                "line {number}: `{BEGIN}{inside}>>>` must have a grid, a block and optionally bytes of shared memory, each of \
                 whole numbers, {}sizeof(float) and * / +",
                sizes.keys().map(|name| format!("{name}, ")).collect::<String>()
            )),
        }
    }
}

/// The bytes of types in both languages.
const SIZES_OF_TYPES: [(&str, &str); 8] = [
    ("sizeof(float4)", "16"),
    ("sizeof(float)", "4"),
    ("sizeof(int)", "4"),
    ("sizeof(double)", "8"),
    ("size_of::<Float4>()", "16"),
    ("size_of::<f32>()", "4"),
    ("size_of::<i32>()", "4"),
    ("size_of::<f64>()", "8"),
];

/// Evaluates `4 * 128 * sizeof(float)`.
fn value(text: &str, sizes: &BTreeMap<String, u64>) -> Option<u32> {
    let in_numbers = SIZES_OF_TYPES.iter().fold(text.to_owned(), |text, (name, bytes)| text.replace(name, bytes));
    expression::value(&in_numbers, sizes).ok()?.try_into().ok()
}
