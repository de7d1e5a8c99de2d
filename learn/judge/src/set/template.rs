//! Cases with expressions in braces: `f32[{7 * n}]=random`. The values of sizes such as `n` are numbers of the card, or are chosen
//! by `grade`.

use super::expression;
use crate::counters::group_digits;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// A case as it is written in a card.
#[derive(Clone, Debug, Deserialize)]
pub struct Template {
    /// The sizes by the names that expressions use.
    #[serde(default)]
    pub sizes: BTreeMap<String, Size>,
    #[serde(flatten)]
    fields: Table,
}

/// A size of a problem.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// The size that learners see.
    pub usual: u64,
    /// The smallest size that `grade` chooses.
    least: u64,
    /// The largest size that `grade` chooses.
    most: u64,
    /// The size that fills a GPU, for the estimate of a time.
    pub full: Option<u64>,
}

impl Size {
    /// Returns the size that `grade` chooses with these random bits.
    pub fn chosen(self, bits: u64) -> u64 {
        let choices = (self.most - self.least).saturating_add(1);
        self.least + bits % choices
    }
}

impl Template {
    /// Returns the fields with the values of all expressions at these sizes.
    ///
    /// # Errors
    /// An expression is invalid or has no value, or `grade` has no choice of a size.
    pub fn fields_with(&self, sizes: &BTreeMap<String, u64>) -> Result<Table, String> {
        if let Some(Size { least, most, .. }) = self.sizes.values().find(|size| size.least >= size.most) {
            return Err(format!("the least size is {least}, and must be less than the largest, {most}"));
        }
        let mut fields = self.fields.clone();
        for (name, value) in &mut fields {
            // Only names are read by people, who want commas between thousands.
            let shown =
                if name == "name" { |value: u64| group_digits(value as f64) } else { |value: u64| value.to_string() };
            replace(value, sizes, shown)?;
        }
        Ok(fields)
    }
}

/// Replaces the expressions in all strings of a value. A string that is one expression becomes a number.
fn replace(value: &mut Value, sizes: &BTreeMap<String, u64>, shown: fn(u64) -> String) -> Result<(), String> {
    match value {
        Value::Array(values) => values.iter_mut().try_for_each(|value| replace(value, sizes, shown)),
        Value::Table(table) => table.iter_mut().try_for_each(|(_, value)| replace(value, sizes, shown)),
        Value::String(text) => {
            let whole = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            *value = match whole.filter(|whole| !whole.contains('{')) {
                Some(expression) => {
                    let number = expression::value(expression, sizes)?;
                    Value::Integer(number.try_into().map_err(|_| format!("`{text}` is too large"))?)
                }
                None => Value::String(replaced(text, sizes, shown)?),
            };
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns a text with the values of the expressions in it.
fn replaced(text: &str, sizes: &BTreeMap<String, u64>, shown: fn(u64) -> String) -> Result<String, String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (expression, after) =
            after.split_once('}').ok_or_else(|| format!("`{text}` has no `}}` after its `{{`"))?;
        whole.push_str(before);
        whole.push_str(&shown(expression::value(expression, sizes)?));
        rest = after;
    }
    whole.push_str(rest);
    Ok(whole)
}
