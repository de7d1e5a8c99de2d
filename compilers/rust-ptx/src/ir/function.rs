//! The markers in a function, which become properties of the function and its loops.

use super::loops::Graph;
use super::text::{arguments, label};
use super::{MARKER, Metadata, Refusal, SOURCE_ORDER, copies, memory, panics};

/// The markers of a kernel's properties, their names in `device`, and LLVM's names.
const PROPERTIES: [(&str, &str, &str); 2] = [
    ("@device.launch_bounds", "launch_bounds()", "nvvm.maxntid"),
    ("@device.resident_blocks", "resident_blocks()", "nvvm.minctasm"),
];
const UNROLL: &str = "@device.unroll";
const NO_COUNT: &str = "unroll() takes a constant, 1 or more";

/// The calling convention of entry points.
const KERNEL: &str = "ptx_kernel";

/// The lines of a function and its control-flow graph.
#[derive(Debug)]
pub struct Function<'a> {
    name: String,
    lines: Vec<&'a str>,
    graph: Graph,
}

impl<'a> Function<'a> {
    /// Parses the lines of a function, from `define` to `}`.
    pub fn parse(name: String, lines: &[&'a str]) -> Self {
        Self { name, lines: lines.to_vec(), graph: Graph::of(lines) }
    }

    /// Returns the text of the function without markers, whose properties are in the header, the branches, the metadata and the
    /// variables.
    pub fn without_markers(
        &self,
        metadata: &mut Metadata,
        variables: &mut Vec<String>,
    ) -> Result<Vec<String>, Refusal> {
        let (mut text, mut block): (Vec<String>, usize) = (Vec::with_capacity(self.lines.len()), 0);
        let (mut header, mut loops) = (self.lines[0].to_owned(), Vec::new());
        for (number, line) in self.lines.iter().enumerate().skip(1) {
            block = label(line).and_then(|name| self.graph.block(name)).unwrap_or(block);
            if let Some((called, property, value)) = property(line) {
                let with_it = Self::with_property(&header, called, property, &value);
                header = with_it.map_err(|reason| self.refusal(line, reason))?;
            } else if line.contains(SOURCE_ORDER) {
                // A property of the whole file, for which `lib.rs` looks.
            } else if let Some(count) = arguments(line, UNROLL) {
                let count = unrolled(&count).ok_or_else(|| self.refusal(line, NO_COUNT.into()))?;
                loops.push((block, count, line));
            } else if let Some((cast, variable)) = memory::dynamic(line) {
                text.push(cast);
                variables.push(variable);
            } else if let Some(vector) = copies::of_a_vector(line, number) {
                text.extend(vector);
            } else if let Some(marked) = panics::marked(&self.name, line) {
                text.extend(marked);
            } else if line.contains(MARKER) {
                return Err(self.refusal(line, format!("`{}` cannot be compiled", line.trim())));
            } else {
                text.push((*line).to_owned());
            }
        }
        for (block, count, line) in loops {
            let found = self.graph.innermost_loop(block);
            let found = found.ok_or_else(|| self.refusal(line, "unroll() is not in the body of a loop".into()))?;
            self.annotate(&mut text, &found, metadata.unrolled(count));
        }
        text.insert(0, header);
        Ok(text)
    }

    /// Returns the header with a property of the kernel. The error is the reason why it cannot have the property.
    fn with_property(header: &str, called: &str, property: &str, value: &[u64]) -> Result<String, String> {
        let [number] = value else { return Err(format!("{called} takes a constant")) };
        if !header.contains(KERNEL) {
            return Err(format!("{called} is not in a kernel"));
        }
        let place = header.rfind(" #").ok_or("a function without attributes")?;
        Ok(format!("{} \"{property}\"=\"{number}\"{}", &header[..place], &header[place..]))
    }

    /// Adds a loop's properties to the branches of its `latches`, which branch back to its head.
    fn annotate(&self, text: &mut [String], latches: &[usize], number: usize) {
        let mut block = 0;
        for line in text {
            block = label(line).and_then(|name| self.graph.block(name)).unwrap_or(block);
            if latches.contains(&block) && line.starts_with("  br ") {
                line.push_str(&format!(", !llvm.loop !{number}"));
            }
        }
    }

    fn refusal(&self, line: &str, reason: String) -> Refusal {
        Refusal { function: self.name.clone(), reason, instruction: line.to_owned() }
    }
}

/// Returns how often a loop is unrolled, from the arguments of its marker.
fn unrolled(arguments: &[u64]) -> Option<u64> {
    match arguments {
        [count] if *count > 0 => Some(*count),
        _ => None,
    }
}

/// Returns the property whose marker a line contains: its name in `device`, LLVM's name, and the arguments.
fn property(line: &str) -> Option<(&'static str, &'static str, Vec<u64>)> {
    PROPERTIES.iter().find_map(|&(marker, called, property)| Some((called, property, arguments(line, marker)?)))
}
