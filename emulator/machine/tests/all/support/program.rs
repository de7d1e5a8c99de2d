//! Programs with expectations: PTX files whose kernels are preceded by comments such as
//!
//! ```text
//! //: launch grid 2 block 32 shared 128   the defaults are 1 block, 1 thread, and no dynamic shared memory
//! //: in u32 0..=31                       an argument: a pointer to these values
//! //: out u32 [7; 32] _                   a pointer to unwritten memory, and its contents afterwards
//! //: update u32 1 2 => 3 4               a pointer to memory: its contents before and after
//! //: value f32 1.5                       an argument by value
//! //: counts divergent_branches 1, shuffles 0
//! //: budget 1000                         the maximum number of warp instructions
//! //: fault                               the launch must fail with this message
//! //:   out-of-bounds access in kernel …
//! //: printed                             the launch must print this text
//! //:   block 0 …
//! //: finding                             a checked launch must succeed with this finding; several in the order of the output
//! //:   warp-level instruction that …
//! ```
//!
//! Arguments are in the order of the parameters. A line that starts with `//:  ` continues the previous one.

use super::list;
use super::machine::{Machine, Shape};
use super::value::Type;
use emulator::{Counters, Dim3, LaunchError, Options};
use std::collections::BTreeSet;

/// The contents of unwritten memory.
const UNWRITTEN: u8 = 0xFF;

/// An argument. Of a pointer, the contents of its memory before and after the launch.
#[derive(Debug)]
enum Argument {
    Value(Vec<u8>),
    Pointer { kind: Type, before: Vec<Option<u64>>, after: Vec<Option<u64>> },
}

/// A kernel, its launch, and the expectations.
#[derive(Debug)]
pub struct Run {
    kernel: String,
    shape: Shape,
    arguments: Vec<Argument>,
    counts: Vec<(String, u64)>,
    budget: Option<u64>,
    fault: Option<String>,
    findings: Vec<String>,
    printed: String,
}

/// Parses the runs of a file.
pub fn parse(text: &str) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let mut directives = Vec::<String>::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(directive) = line.strip_prefix("//:") {
            match (directive.strip_prefix("   "), directives.last_mut()) {
                (Some(more), Some(last)) => *last = format!("{last}\n{more}"),
                _ => directives.push(directive.trim().to_owned()),
            }
        } else if let Some((_, rest)) = line.split_once(".entry ") {
            let kernel = rest.split('(').next().unwrap_or_default().trim().to_owned();
            let run = parse_run(kernel, &std::mem::take(&mut directives));
            runs.push(run.map_err(|error| format!("line {}: {error}", number + 1))?);
        }
    }
    Ok(runs)
}

fn parse_run(kernel: String, directives: &[String]) -> Result<Run, String> {
    let mut run = Run {
        kernel,
        shape: Shape::threads(1),
        arguments: Vec::new(),
        counts: Vec::new(),
        budget: None,
        fault: None,
        findings: Vec::new(),
        printed: String::new(),
    };
    for directive in directives {
        let (name, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        match name {
            "launch" => run.shape = parse_shape(rest)?,
            "fault" => run.fault = Some(rest.to_owned()),
            "printed" => run.printed = format!("{rest}\n"),
            "finding" => run.findings.push(rest.to_owned()),
            "budget" => run.budget = Some(rest.trim().parse().map_err(|_| format!("`{rest}` is not a number"))?),
            "counts" => {
                for count in rest.split(',') {
                    let pair = count.trim().split_once(' ').and_then(|(name, value)| Some((name, value.parse().ok()?)));
                    let (name, value) = pair.ok_or_else(|| format!("`{count}` is not a count"))?;
                    run.counts.push((name.to_owned(), value));
                }
            }
            _ => run.arguments.push(parse_argument(name, rest)?),
        }
    }
    if directives.is_empty() { Err(format!("`{}` has no launch", run.kernel)) } else { Ok(run) }
}

fn parse_shape(text: &str) -> Result<Shape, String> {
    let mut shape = Shape::threads(1);
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let mut extents = Vec::new();
        while let Some(extent) = words.peek().and_then(|word| word.parse::<u32>().ok()) {
            extents.push(extent);
            words.next();
        }
        let axis = |index: usize| extents.get(index).copied().unwrap_or(1);
        match word {
            "grid" => shape.grid = Dim3 { x: axis(0), y: axis(1), z: axis(2) },
            "block" => shape.block = Dim3 { x: axis(0), y: axis(1), z: axis(2) },
            "shared" => shape.shared = axis(0),
            _ => return Err(format!("`{word}` is not part of a launch")),
        }
    }
    Ok(shape)
}

fn parse_argument(name: &str, text: &str) -> Result<Argument, String> {
    let (kind, values) = text.trim().split_once(char::is_whitespace).ok_or("no values")?;
    let kind = Type::from_name(kind).ok_or_else(|| format!("`{kind}` is not a type"))?;
    match name {
        "value" => Ok(Argument::Value(to_bytes(kind, &list::parse(kind, values)?))),
        "in" => {
            let values = list::parse(kind, values)?;
            Ok(Argument::Pointer { kind, before: values.clone(), after: values })
        }
        "out" => {
            let after = list::parse(kind, values)?;
            Ok(Argument::Pointer { kind, before: vec![None; after.len()], after })
        }
        "update" => {
            let (before, after) = values.split_once("=>").ok_or("no `=>`")?;
            let before = list::parse(kind, before)?;
            let after = list::parse(kind, after)?;
            if before.len() == after.len() {
                Ok(Argument::Pointer { kind, before, after })
            } else {
                Err(format!("{} values before and {} after", before.len(), after.len()))
            }
        }
        _ => Err(format!("`{name}` is not a directive")),
    }
}

fn to_bytes(kind: Type, values: &[Option<u64>]) -> Vec<u8> {
    let unwritten = [UNWRITTEN; 8];
    let bytes = |value: &Option<u64>| value.map_or(unwritten, u64::to_le_bytes);
    values.iter().flat_map(|value| bytes(value)[..kind.bytes()].to_vec()).collect()
}

impl Run {
    /// Runs the kernel on one and two worker threads, without counters, with baseline vectors, and with checks. Returns the first
    /// difference from the expectations.
    pub fn check(&self, ptx: &str) -> Result<(), String> {
        let budget = self.budget;
        let options =
            |counters, threads| Options { counters, threads, instruction_budget: budget, ..Options::default() };
        let counters = self.check_with(ptx, &options(true, 1))?;
        let again = self.check_with(ptx, &options(true, 2))?;
        if counters != again {
            return Err(format!("`{}` counts differently on two threads", self.kernel));
        }
        self.check_with(ptx, &options(false, 1)).map_err(|error| format!("{error}, without counters"))?;
        let baseline = self.check_with(ptx, &Options { baseline_vectors: true, ..options(true, 1) });
        if baseline.map_err(|error| format!("{error}, with baseline vectors"))? != counters {
            return Err(format!("`{}` counts differently with baseline vectors", self.kernel));
        }
        self.check_for_races(ptx).map_err(|error| format!("{error}, when checked"))?;
        let counters = serde_json::to_value(counters).unwrap();
        for (name, expected) in &self.counts {
            let found = counters.get(name).and_then(serde_json::Value::as_u64);
            if found != Some(*expected) {
                return Err(format!("`{}`: {name} is {found:?}, not {expected}", self.kernel));
            }
        }
        Ok(())
    }

    fn check_with(&self, ptx: &str, options: &Options) -> Result<Counters, String> {
        let machine = Machine::load(ptx).map_err(|error| error.to_string())?;
        let arguments = self.upload(&machine);
        let slices: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let outcome = machine.try_run(&self.kernel, self.shape, &slices, options);
        let counters = self.judge(outcome)?;
        self.compare(&machine, &arguments)?;
        Ok(counters)
    }

    /// Runs the kernel with checks, which must return the expected findings, and must not change the results.
    fn check_for_races(&self, ptx: &str) -> Result<(), String> {
        let machine = Machine::load(ptx).map_err(|error| error.to_string())?;
        let arguments = self.upload(&machine);
        let slices: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let options = Options { instruction_budget: self.budget, threads: 1, ..Options::default() };
        let found = self.judge(machine.try_check(&self.kernel, self.shape, &slices, &options))?;
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        if found != self.findings {
            let expected = if self.findings.is_empty() { "nothing".to_owned() } else { self.findings.join("\n") };
            return Err(format!("`{}`: {}\nnot\n{expected}", self.kernel, found.join("\n")));
        }
        self.compare(&machine, &arguments)
    }

    fn upload(&self, machine: &Machine) -> Vec<Vec<u8>> {
        let bytes = |argument: &Argument| match argument {
            Argument::Value(bytes) => bytes.clone(),
            Argument::Pointer { kind, before, .. } => machine.upload(&to_bytes(*kind, before)).to_le_bytes().to_vec(),
        };
        self.arguments.iter().map(bytes).collect()
    }

    /// Returns the result of a launch, or the default after an expected fault. Fails if the launch ends unexpectedly.
    fn judge<T: Default>(&self, outcome: Result<T, LaunchError>) -> Result<T, String> {
        match (outcome, &self.fault) {
            (Ok(result), None) => Ok(result),
            (Ok(_), Some(fault)) => Err(format!("`{}` ended well, not with\n{fault}", self.kernel)),
            (Err(LaunchError::Fault(found)), Some(fault)) if found.to_string() == *fault => Ok(T::default()),
            (Err(found), Some(fault)) => Err(format!("`{}` fails with\n{found}\nnot with\n{fault}", self.kernel)),
            (Err(found), None) => Err(format!("`{}`: {found}", self.kernel)),
        }
    }

    /// Compares memory and the printed text with the expectations.
    fn compare(&self, machine: &Machine, arguments: &[Vec<u8>]) -> Result<(), String> {
        let printed = machine.memory.take_printed().text;
        if printed != self.printed {
            return Err(format!("`{}` prints\n{printed}\nnot\n{}", self.kernel, self.printed));
        }
        for (index, (argument, address)) in self.arguments.iter().zip(arguments).enumerate() {
            if let Argument::Pointer { kind, after, .. } = argument {
                let address = u64::from_le_bytes(address.as_slice().try_into().unwrap());
                let found = machine.download(address, kind.bytes() * after.len());
                compare(*kind, &to_bytes(*kind, after), &found)
                    .map_err(|error| format!("`{}`, argument {index}: {error}", self.kernel))?;
            }
        }
        Ok(())
    }
}

fn compare(kind: Type, expected: &[u8], found: &[u8]) -> Result<(), String> {
    let value = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        kind.display(u64::from_le_bytes(bits))
    };
    let elements = expected.chunks_exact(kind.bytes()).zip(found.chunks_exact(kind.bytes()));
    let wrong: Vec<String> = elements
        .enumerate()
        .filter(|(_, (expected, found))| expected != found)
        .map(|(index, (expected, found))| format!("[{index}] is {}, not {}", value(found), value(expected)))
        .collect();
    match wrong.len() {
        0 => Ok(()),
        1..=4 => Err(wrong.join(", ")),
        count => Err(format!("{}, and {} more", wrong[..4].join(", "), count - 4)),
    }
}

/// Returns the opcodes in a PTX text.
pub fn opcodes(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for statement in line.split(['{', '}', ';']) {
            let mut words =
                statement.split_whitespace().skip_while(|word| word.starts_with('@') || word.ends_with(':'));
            let word = words.next().unwrap_or_default();
            if word.starts_with(|first: char| first.is_ascii_lowercase()) {
                found.insert(word.to_owned());
            }
        }
    }
    found
}
