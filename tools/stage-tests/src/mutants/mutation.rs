//! Mutations of the text of PTX, each of one instruction.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The kind of a mutation, in terms of CUDA C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change {
    /// A missing barrier of the block or of the warp.
    Barrier,
    /// `<` instead of `<=`, or the reverse.
    Strictness,
    /// A missing condition or loop: a branch that is never taken.
    Guard,
    /// A selection that always chooses the same value.
    Selection,
    /// A minimum or maximum that is replaced by one of its operands.
    Clamp,
    /// A conjunction or disjunction with only one of its conditions.
    HalfCondition,
    /// A mask of a shuffle or of a warp's barrier without lane 31.
    Mask,
    /// A missing fence.
    Fence,
    /// An atomic addition that stores a float instead, or only reads an integer.
    Addition,
    /// A missing wait for asynchronous copies, a wait for one group less, or a group that is not committed.
    Copies,
    /// A wait for only the even phases of a barrier in shared memory, or for none.
    Phase,
    /// A ring index that is not wrapped around.
    Wrap,
}

impl Change {
    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Barrier,
        Self::Strictness,
        Self::Guard,
        Self::Selection,
        Self::Clamp,
        Self::HalfCondition,
        Self::Mask,
        Self::Fence,
        Self::Addition,
        Self::Copies,
        Self::Phase,
        Self::Wrap,
    ];
}

/// A mutation of an entry point.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The kind of the mutation.
    pub change: Change,
    /// The line of the kernel file, from 1.
    pub cuda_line: usize,
    /// The line of the PTX, from 0.
    ptx_line: usize,
    /// The old and the new instruction.
    instructions: [String; 2],
}

impl Mutation {
    /// Returns the whole text with the mutation.
    pub fn apply(&self, ptx: &str) -> String {
        let lines = ptx.lines().enumerate();
        let changed = |(at, line)| if at == self.ptx_line { self.instructions[1].as_str() } else { line };
        lines.flat_map(|line| [changed(line), "\n"]).collect()
    }

    /// Describes the mutation: `setp.lt.s32 %p1, %r1, %r2 -> setp.le.s32 %p1, %r1, %r2`.
    pub fn describe(&self) -> String {
        let [before, after] = &self.instructions;
        format!("{before} -> {}", if after.is_empty() { "nothing" } else { after })
    }
}

/// Returns the text of a module with only one entry point, which loads faster.
pub fn module_of(ptx: &str, entry: &str) -> String {
    const BEGIN: &str = ".visible .entry ";
    let (head, _) = ptx.split_once(BEGIN).expect("a module has an entry point");
    let entry = ptx.split(BEGIN).find_map(|text| text.strip_prefix(entry)?.starts_with('(').then_some(text));
    let entry = entry.expect("the module has the entry point");
    // Inline assembly and vectors have braces too.
    let mut depth = 0;
    let end = entry.bytes().position(|mark| {
        depth += i32::from(mark == b'{') - i32::from(mark == b'}');
        mark == b'}' && depth == 0
    });
    let body = entry[..end.expect("an entry point ends")].trim_end();
    let files = ptx.lines().filter(|line| line.starts_with("\t.file"));
    let files: String = files.flat_map(|line| [line, "\n"]).collect();
    format!("{head}{BEGIN}{body}\n}}\n{files}")
}

/// Returns all mutations of a text.
pub fn mutations(ptx: &str) -> Vec<Mutation> {
    let mut mutations = Vec::new();
    let mut cuda_line = 0;
    for (ptx_line, line) in ptx.lines().enumerate() {
        if let Some(location) = line.trim().strip_prefix(".loc") {
            // Line 0 means that there is no source line.
            let line = location.split_whitespace().nth(1).and_then(|line| line.parse().ok());
            cuda_line = line.filter(|&line| line != 0).unwrap_or(cuda_line);
        }
        let words: Vec<_> = line.trim_end_matches(';').split_whitespace().collect();
        let before = words.join(" ");
        for (change, after) in changes_of_line(&before) {
            // An unrolled loop has hundreds of identical shuffles or additions.
            let is_alike = matches!(change, Change::Mask | Change::Addition);
            let is_one_more = |mutation: &Mutation| (mutation.change, mutation.cuda_line) == (change, cuda_line);
            if is_alike && mutations.iter().any(is_one_more) {
                continue;
            }
            mutations.push(Mutation { change, cuda_line, ptx_line, instructions: [before.clone(), after] });
        }
    }
    mutations
}

/// Returns the first mutation of each kind per line of the kernel file, without those that only affect a bounds check.
pub fn representative(ptx: &str) -> Vec<Mutation> {
    let checks = checks_of_bounds(&ptx.lines().collect::<Vec<_>>());
    let mut kinds = BTreeSet::new();
    let all = mutations(ptx).into_iter().filter(|mutation| !checks.contains(&mutation.ptx_line));
    all.filter(|mutation| kinds.insert((mutation.change, mutation.cuda_line))).collect()
}

/// Returns the branches to a trap or around one, and the conditions that only they use.
fn checks_of_bounds(lines: &[&str]) -> BTreeSet<usize> {
    let is_instruction = |line: &&str| !line.is_empty() && !line.starts_with('.') && !line.ends_with(':');
    let next = |from: usize| lines[from + 1..].iter().map(|line| line.trim()).find(is_instruction).unwrap_or_default();
    // The report of a panic is before the trap, in another scope.
    let panics = |at: usize| ["trap", "{ // panic_"].iter().any(|start| next(at).starts_with(start));
    let leads_to_trap = |at: usize, target: &str| {
        let label = lines.iter().position(|line| line.trim().strip_suffix(':') == Some(target));
        panics(at) || label.is_some_and(panics)
    };
    let mut found = BTreeSet::new();
    for (at, line) in lines.iter().enumerate() {
        let words: Vec<&str> = line.trim().trim_end_matches(';').split_whitespace().collect();
        let [guard, "bra", target] = words[..] else { continue };
        if guard.starts_with('@') && leads_to_trap(at, target) {
            found.insert(at);
            add_conditions(lines, guard.trim_start_matches(['@', '!']), &mut found);
        }
    }
    found
}

/// Returns the instructions that set a predicate which only one branch or condition reads, including those that set its operands.
fn add_conditions(lines: &[&str], predicate: &str, found: &mut BTreeSet<usize>) {
    let words = |line: &'_ str| {
        line.split(|c: char| !(c.is_alphanumeric() || "%_.".contains(c))).map(str::to_owned).collect::<Vec<_>>()
    };
    let naming: Vec<usize> =
        (0..lines.len()).filter(|&at| words(lines[at]).iter().any(|word| word == predicate)).collect();
    let [set, _] = naming[..] else { return };
    found.insert(set);
    let set_words = words(lines[set]);
    for operand in set_words.iter().filter(|word| word.starts_with("%p") && *word != predicate) {
        add_conditions(lines, operand, found);
    }
}

/// Returns the replacements of a line: of its instruction, or of a wait in a block of inline assembly.
fn changes_of_line(line: &str) -> Vec<(Change, String)> {
    let Some(block) = line.strip_prefix("{ ") else { return changes(line) };
    let within = |instruction| {
        let replaced = move |after: String| line.replacen(&format!("{instruction};"), &after, 1);
        changes(instruction).into_iter().map(move |(change, after)| (change, replaced(after)))
    };
    // Without what the wait tells, a loop is endless.
    block.split("; ").flat_map(within).filter(|(change, _)| *change == Change::Phase).collect()
}

/// Returns the replacements of an instruction, including semicolons.
fn changes(instruction: &str) -> Vec<(Change, String)> {
    if let Some((_, unguarded)) = instruction.strip_prefix('@').and_then(|text| text.split_once(' ')) {
        let after = if unguarded.starts_with("bra") { String::new() } else { format!("{unguarded};") };
        return vec![(Change::Guard, after)];
    }
    let (opcode, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let operands: Vec<_> = operands.split(", ").collect();
    let mut changes = Vec::new();
    match (opcode.split('.').collect::<Vec<_>>()[..].as_ref(), &operands[..]) {
        (["bar" | "barrier", kind, ..], _) => {
            changes.push((Change::Barrier, String::new()));
            if *kind == "warp" {
                changes.extend(without_lane_31(opcode, &operands));
            }
        }
        (["shfl" | "vote", ..], _) => changes.extend(without_lane_31(opcode, &operands)),
        (["setp", comparison, rest @ ..], _) => {
            let other = other_strictness(comparison);
            let after = |other| format!("setp.{other}.{} {};", rest.join("."), operands.join(", "));
            changes.extend(other.map(|other| (Change::Strictness, after(other))));
        }
        (["selp", kind], [to, first, second, _]) => {
            // The literal is chosen if the condition excludes the value.
            let value = if first.starts_with('%') { first } else { second };
            changes.push((Change::Selection, format!("mov.{kind} {to}, {value};")));
        }
        (["min" | "max", kind], [to, values @ ..]) => {
            changes.extend(values.iter().map(|value| (Change::Clamp, format!("mov.{kind} {to}, {value};"))));
        }
        (["and" | "or", "pred"], [to, conditions @ ..]) => {
            let after = |condition| (Change::HalfCondition, format!("mov.pred {to}, {condition};"));
            changes.extend(conditions.iter().map(after));
        }
        _ => changes.extend(changes_of_memory(opcode, &operands)),
    }
    changes
}

/// Returns the replacements of an instruction that orders memory accesses or computes an address.
fn changes_of_memory(opcode: &str, operands: &[&str]) -> Vec<(Change, String)> {
    let words: Vec<_> = opcode.split('.').collect();
    match (&words[..], operands) {
        (["membar" | "fence", ..], _) => vec![(Change::Fence, String::new())],
        (["atom", space, "add", kind], [to, address, value]) => {
            let stored = format!("st.{space}.{kind} {address}, {value};");
            let read = format!("ld.{space}.{kind} {to}, {address};");
            vec![(Change::Addition, if *kind == "f32" { stored } else { read })]
        }
        (["red", space, "add", rest @ ..], [address, values @ ..]) => {
            vec![(Change::Addition, format!("st.{space}.{} {address}, {};", rest.join("."), values.join(", ")))]
        }
        (["cp", "async", "wait_group"], [groups]) => {
            let one_more = groups.parse::<u32>().map(|groups| format!("{opcode} {};", groups + 1));
            let fewer = one_more.into_iter().map(|wait| (Change::Copies, wait));
            fewer.chain([(Change::Copies, String::new())]).collect()
        }
        (["cp", "async", "commit_group"], _) => vec![(Change::Copies, String::new())],
        (["mbarrier", "try_wait", "parity", ..], [ended, barrier, _]) => {
            let even = format!("{opcode} {ended}, {barrier}, 0;");
            vec![(Change::Phase, even), (Change::Phase, format!("setp.eq.u32 {ended}, 0, 0;"))]
        }
        (["rem", kind], [to, value, _]) => vec![(Change::Wrap, format!("mov.{kind} {to}, {value};"))],
        _ => Vec::new(),
    }
}

/// Returns the comparison that differs from this one only for equal operands.
fn other_strictness(comparison: &str) -> Option<&'static str> {
    Some(match comparison {
        "lt" => "le",
        "le" => "lt",
        "gt" => "ge",
        "ge" => "gt",
        "ltu" => "leu",
        "leu" => "ltu",
        "gtu" => "geu",
        "geu" => "gtu",
        "lo" => "ls",
        "ls" => "lo",
        "hi" => "hs",
        "hs" => "hi",
        _ => return None,
    })
}

fn without_lane_31(opcode: &str, operands: &[&str]) -> Option<(Change, String)> {
    let (_, others) = operands.split_last()?;
    let operands: String = others.iter().map(|operand| format!("{operand}, ")).collect();
    Some((Change::Mask, format!("{opcode} {operands}0x7fffffff;")))
}
