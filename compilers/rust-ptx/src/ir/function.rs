//! The markers in a function, which become properties of the function and its loops.

use super::loops::Graph;
use super::text::{arguments, label};
use super::{MARKER, Metadata, Refusal, SOURCE_ORDER, memory, panics};

/// The markers of a kernel's properties, their names in `device`, and LLVM's names.
const PROPERTIES: [(&str, &str, &str); 2] = [
    ("@device.launch_bounds", "launch_bounds()", "nvvm.maxntid"),
    ("@device.resident_blocks", "resident_blocks()", "nvvm.minctasm"),
];
const UNROLL: &str = "@device.unroll";
const NO_COUNT: &str = "unroll() takes a constant, 1 or more";

/// The beginning of rustc's call for a copy between addresses that are multiples of 16.
const COPY: &str = "call void @llvm.memcpy.p0.p0.i64(ptr align 16 ";

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
        Self { name, lines: lines.to_vec(), graph: Graph::new(lines) }
    }

    /// Returns the text of the function without markers, whose properties are in the header, the branches, the metadata and the
    /// variables.
    pub fn without_markers(
        &self,
        metadata: &mut Metadata,
        variables: &mut Vec<String>,
    ) -> Result<Vec<String>, Refusal> {
        let mut text: Vec<String> = Vec::with_capacity(self.lines.len());
        let mut block: usize = 0;
        let mut header = self.lines[0].to_owned();
        let mut loops = Vec::new();
        for (number, line) in self.lines.iter().enumerate().skip(1) {
            block = label(line).and_then(|name| self.graph.block(name)).unwrap_or(block);
            if let Some((called, property, value)) = property(line) {
                let with_it = Self::with_property(&header, called, property, &value);
                header = with_it.map_err(|reason| self.refusal(line, reason))?;
            } else if line.contains(SOURCE_ORDER) {
                // A property of the whole file, for which `lib.rs` looks.
            } else if let Some(count) = arguments(line, UNROLL) {
                let count = unroll_count(&count).ok_or_else(|| self.refusal(line, NO_COUNT.into()))?;
                loops.push((block, count, line));
            } else if let Some((cast, variable)) = memory::dynamic(line) {
                text.push(cast);
                variables.push(variable);
            } else if let Some(vector) = copy_vector(line, number) {
                text.extend(vector);
            } else if let Some(marked) = panics::mark(&self.name, line) {
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
            self.annotate(&mut text, &found, metadata.unroll(count));
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
fn unroll_count(arguments: &[u64]) -> Option<u64> {
    match arguments {
        [count] if *count > 0 => Some(*count),
        _ => None,
    }
}

/// Returns the property whose marker a line contains: its name in `device`, LLVM's name, and the arguments.
fn property(line: &str) -> Option<(&'static str, &'static str, Vec<u64>)> {
    PROPERTIES.iter().find_map(|&(marker, called, property)| Some((called, property, arguments(line, marker)?)))
}

/// Returns the vector load and store that replace a line, if the line copies 16 aligned bytes. `number` makes the name of the
/// value unique in its function.
///
/// rustc copies a `Float4` as 16 bytes of memory. If LLVM cannot see the components, it compiles the copy to two accesses of 8
/// bytes through local memory.
fn copy_vector(line: &str, number: usize) -> Option<[String; 2]> {
    let (arguments, place) = line.trim_start().strip_prefix(COPY)?.split_once(", i64 16, i1 false)")?;
    let (to, from) = arguments.split_once(", ptr align 16 ")?;
    let value = format!("%copied.{number}");
    Some([
        format!("  {value} = load <4 x i32>, ptr {from}, align 16{place}"),
        format!("  store <4 x i32> {value}, ptr {to}, align 16{place}"),
    ])
}
