//! The back end of a page's compiler.

use ir_ptx::Refusal;
use serde_json::{Value, json};

/// Translates IR to PTX, or returns what is not supported.
pub fn translate(ir: &str) -> Value {
    match ir_ptx::translate(ir) {
        Ok(ptx) => json!({ "ptx": ptx }),
        Err(refusals) => {
            let refused: Vec<Value> = refusals.0.iter().map(refused).collect();
            json!({ "refused": refused, "text": refusals.to_string() })
        }
    }
}

fn refused(refusal: &Refusal) -> Value {
    let (file, line) = refusal.source.as_ref().map(|(file, line)| (file, line)).unzip();
    json!({ "file": file, "line": line, "ir_line": refusal.line, "construct": refusal.construct })
}
