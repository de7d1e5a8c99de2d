//! The changes to LLVM IR between rustc and LLVM, which replace the markers of `device`.
//!
//! The IR is parsed as text, and only as far as functions, blocks and labels: rustc prints one instruction per line. A marker
//! in a place where it has no meaning is refused, and so is any marker that is left at the end.

mod function;
mod loops;
pub mod memory;
pub mod panics;
mod refusal;
mod text;

use function::Function;
pub use refusal::Refusal;
use std::fmt::Write;
use text::{Item, items};

/// The beginning of every marker's name.
const MARKER: &str = "@device.";

/// The marker of a file whose instructions keep the order of the source.
pub const SOURCE_ORDER: &str = "@device.source_order()";

/// Returns the IR for `opt`, in which the markers are replaced.
pub fn prepare(ir: &str) -> Result<String, Refusal> {
    let mut metadata = Metadata::after(ir);
    let mut text = String::with_capacity(ir.len());
    let mut variables = Vec::new();
    for item in items(ir) {
        match item {
            Item::Line(line) if line.starts_with("declare ") && line.contains(MARKER) => {}
            Item::Line(line) => push(&mut text, line),
            Item::Function { name, lines } => {
                let lines = match memory::array(&name, &lines, variables.len())? {
                    Some((function, variable)) => {
                        variables.push(variable);
                        function
                    }
                    None => Function::parse(name, &lines).without_markers(&mut metadata, &mut variables)?,
                };
                lines.iter().for_each(|line| push(&mut text, line));
            }
        }
    }
    variables.sort();
    variables.dedup();
    variables.iter().chain(&metadata.lines).for_each(|line| push(&mut text, line));
    Ok(text)
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Metadata that is added to the IR.
#[derive(Debug)]
pub struct Metadata {
    next: usize,
    lines: Vec<String>,
}

impl Metadata {
    /// Starts with the first number that the IR does not use.
    fn after(ir: &str) -> Self {
        let number = |line: &str| line.strip_prefix('!')?.split_once(" = ")?.0.parse::<usize>().ok();
        Self { next: ir.lines().filter_map(number).max().map_or(0, |last| last + 1), lines: Vec::new() }
    }

    /// Adds the properties of a loop that is unrolled `count` times, and returns their number.
    fn unroll(&mut self, count: u64) -> usize {
        let number = self.next;
        let mut property = String::from("!\"llvm.loop.unroll.disable\"");
        if count > 1 {
            property = "!\"llvm.loop.unroll.count\"".into();
            let _ = write!(property, ", i32 {count}");
        }
        self.lines.push(format!("!{number} = distinct !{{!{number}, !{}}}", number + 1));
        self.lines.push(format!("!{} = !{{{property}}}", number + 1));
        self.next += 2;
        number
    }
}

#[cfg(test)]
mod tests;
