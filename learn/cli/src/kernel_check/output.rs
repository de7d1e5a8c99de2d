//! Arguments and variables after a launch, as `--print` shows them.

use judge::kernel_file::Part;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value, json};
use std::fmt;

/// A buffer or a variable.
#[derive(Debug)]
pub struct Output {
    pub name: Name,
    /// The type: `f32[8]`.
    pub shown: String,
    /// The elements, separated by spaces.
    pub text: String,
}

/// The name of an output.
#[derive(Debug)]
pub enum Name {
    Argument(Part),
    Variable(String),
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Name::Argument(part) => write!(f, "argument {part}")?,
            Name::Variable(name) => write!(f, "{name}")?,
        }
        write!(f, ", {}: {}", self.shown, self.text)
    }
}

impl Serialize for Output {
    /// Numbers that JSON lacks, such as infinity, are text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let element = |text: &str| serde_json::from_str::<Number>(text).map_or_else(|_| json!(text), Value::Number);
        let elements: Vec<Value> = self.text.split(' ').map(element).collect();
        let (key, name) = match &self.name {
            Name::Argument(part) => ("argument", number(part)),
            Name::Variable(name) => ("variable", json!(name)),
        };
        json!({ key: name, "type": self.shown, "elements": elements }).serialize(serializer)
    }
}

/// Returns the number of an argument, or `"2.3"` for a member of one.
pub fn number(part: &Part) -> Value {
    match part.0[..] {
        [number] => json!(number),
        _ => json!(part.to_string()),
    }
}

/// Writes [`number`].
pub fn serialize_number<S: Serializer>(part: &Part, serializer: S) -> Result<S::Ok, S::Error> {
    number(part).serialize(serializer)
}
