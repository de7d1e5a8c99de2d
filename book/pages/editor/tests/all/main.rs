//! Questions as a page asks them.

mod checks;
mod exercises;
mod others;

use serde_json::Value;

/// Returns the answer to a question.
fn asked(question: &Value) -> Value {
    serde_json::from_str(&editor_web::answer(&question.to_string())).expect("JSON")
}
