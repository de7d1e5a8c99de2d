//! One function: its blocks, and what markers say of it and of its loops.

use super::loops::Graph;
use super::text::{arguments, label};
use super::{MARKER, Metadata, Refusal, copies, memory, panics};

/// Markers of a kernel's properties, what `device` calls them, and LLVM's names.
const PROPERTIES: [(&str, &str, &str); 2] = [
    ("@device.launch_bounds", "launch_bounds()", "nvvm.maxntid"),
    ("@device.resident_blocks", "resident_blocks()", "nvvm.minctasm"),
];
const UNROLL: &str = "@device.unroll";

/// The calling convention of entry points.
const KERNEL: &str = "ptx_kernel";

/// A function as lines, and the block that each is in.
#[derive(Debug)]
pub struct Function<'a> {
    name: String,
    lines: Vec<&'a str>,
    graph: Graph,
}

impl<'a> Function<'a> {
    /// Of its lines, from `define` to `}`.
    pub fn parse(name: String, lines: &[&'a str]) -> Self {
        Self { name, lines: lines.to_vec(), graph: Graph::of(lines) }
    }

    /// Its text without markers: they are in its header, its branches, the metadata and the variables.
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
                header = self.with_property(&header, called, property, &value)?;
            } else if let Some(count) = arguments(line, UNROLL) {
                loops.push((block, self.count(&count)?));
            } else if let Some((cast, variable)) = memory::dynamic(line) {
                text.push(cast);
                variables.push(variable);
            } else if let Some(vector) = copies::of_a_vector(line, number) {
                text.extend(vector);
            } else if let Some(marked) = panics::marked(&self.name, line) {
                text.extend(marked);
            } else if line.contains(MARKER) {
                return Err(self.refusal(format!("`{}` cannot be compiled", line.trim())));
            } else {
                text.push((*line).to_owned());
            }
        }
        for (block, count) in loops {
            let found = self.graph.innermost_loop(block);
            let found = found.ok_or_else(|| self.refusal("unroll() is not in the body of a loop".into()))?;
            self.annotate(&mut text, &found, metadata.unrolled(count));
        }
        text.insert(0, header);
        Ok(text)
    }

    /// The header with a property of the kernel.
    fn with_property(&self, header: &str, called: &str, property: &str, value: &[u64]) -> Result<String, Refusal> {
        let [number] = value else { return Err(self.refusal(format!("{called} takes a constant"))) };
        if !header.contains(KERNEL) {
            return Err(self.refusal(format!("{called} is not in a kernel")));
        }
        let place = header.rfind(" #").ok_or_else(|| self.refusal("a function without attributes".into()))?;
        Ok(format!("{} \"{property}\"=\"{number}\"{}", &header[..place], &header[place..]))
    }

    fn count(&self, arguments: &[u64]) -> Result<u64, Refusal> {
        match arguments {
            [count] if *count > 0 => Ok(*count),
            _ => Err(self.refusal("unroll() takes a constant, 1 or more".into())),
        }
    }

    /// Names a loop's properties in the branches of `latches`, which go back to its head.
    fn annotate(&self, text: &mut [String], latches: &[usize], number: usize) {
        let mut block = 0;
        for line in text {
            block = label(line).and_then(|name| self.graph.block(name)).unwrap_or(block);
            if latches.contains(&block) && line.starts_with("  br ") {
                line.push_str(&format!(", !llvm.loop !{number}"));
            }
        }
    }

    fn refusal(&self, reason: String) -> Refusal {
        Refusal { function: self.name.clone(), reason }
    }
}

/// The property of the kernel that a line is a marker of: what it is called, LLVM's name, and the arguments.
fn property(line: &str) -> Option<(&'static str, &'static str, Vec<u64>)> {
    PROPERTIES.iter().find_map(|&(marker, called, property)| Some((called, property, arguments(line, marker)?)))
}
