//! Divergence does not change results. Random programs with nested branches, loops, breaks and jumps to the end are run by two
//! warps, and thread by thread by a scalar interpreter in this file.

use crate::support::machine::{Machine, Shape};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

/// The number of threads: a full warp and a partial one.
const THREADS: u32 = 50;

/// The number of registers of a program.
const REGISTERS: u32 = 6;

/// The maximum nesting depth of branches and loops.
const DEPTH: u32 = 4;

/// Writes a random program.
struct Author {
    random: ChaCha8Rng,
    text: String,
    labels: u32,
    /// The labels of the increment and of the end of each enclosing loop, innermost last.
    loops: Vec<(u32, u32)>,
}

impl Author {
    fn new(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed), text: String::new(), labels: 0, loops: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn place(&mut self, label: u32) {
        let _ = writeln!(self.text, "L{label}:");
    }

    fn register(&mut self) -> String {
        format!("%r{}", self.random.random_range(0..REGISTERS))
    }

    /// Sets a predicate that differs between threads.
    fn predicate(&mut self) -> String {
        let a = self.register();
        let b = self.register();
        let predicate = format!("%p{}", self.random.random_range(0..3));
        let comparison = ["lt", "ge", "eq", "ne"][self.random.random_range(0..4)];
        self.line(&format!("and.b32 %t, {a}, 7;"));
        self.line(&format!("and.b32 %u, {b}, 7;"));
        self.line(&format!("setp.{comparison}.u32 {predicate}, %t, %u;"));
        predicate
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..self.random.random_range(2..6) {
            match self.random.random_range(0..10) {
                0 | 1 if depth > 0 => self.branch(depth),
                2 | 3 if depth > 0 => self.repeat(depth),
                4 => self.jump(),
                5 => {
                    let predicate = self.predicate();
                    self.text.push_str(&format!("    @!{predicate} "));
                    self.sum();
                }
                _ => self.sum(),
            }
        }
    }

    fn sum(&mut self) {
        let d = self.register();
        let a = self.register();
        let b = self.register();
        let number = self.random.random_range(1..1000);
        let operation = ["add.u32", "xor.b32", "sub.u32", "mul.lo.u32"][self.random.random_range(0..4)];
        match self.random.random_range(0..3) {
            0 => self.line(&format!("mad.lo.u32 {d}, {a}, {number}, {b};")),
            1 => self.line(&format!("{operation} {d}, {a}, {number};")),
            _ => self.line(&format!("{operation} {d}, {a}, {b};")),
        }
    }

    fn branch(&mut self, depth: u32) {
        let otherwise = self.label();
        let end = self.label();
        let predicate = self.predicate();
        self.line(&format!("@{predicate} bra L{otherwise};"));
        self.block(depth - 1);
        self.line(&format!("bra.uni L{end};"));
        self.place(otherwise);
        if self.random.random() {
            self.block(depth - 1);
        }
        self.place(end);
    }

    /// Writes a loop of up to seven iterations. Their number depends on the values of the thread.
    fn repeat(&mut self, depth: u32) {
        let again = self.label();
        let next = self.label();
        let end = self.label();
        let limit = self.register();
        self.line(&format!("and.b32 %limit{depth}, {limit}, 7;"));
        self.line(&format!("mov.u32 %round{depth}, 0;"));
        // Each iteration updates the sum before it uses it, and it is not used after the loop.
        self.line(&format!("mov.u32 %sum{depth}, {limit};"));
        self.place(again);
        let term = self.register();
        let target = self.register();
        self.line(&format!("add.u32 %sum{depth}, %sum{depth}, {term};"));
        self.line(&format!("xor.b32 {target}, {target}, %sum{depth};"));
        self.line(&format!("setp.ge.u32 %q, %round{depth}, %limit{depth};"));
        self.line(&format!("@%q bra L{end};"));
        self.loops.push((next, end));
        self.block(depth - 1);
        self.loops.pop();
        self.place(next);
        self.line(&format!("add.u32 %round{depth}, %round{depth}, 1;"));
        self.line(&format!("bra.uni L{again};"));
        self.place(end);
    }

    /// Writes a `break`, a `continue`, or a jump to the end of the program.
    fn jump(&mut self) {
        let target = match (self.loops.last().copied(), self.random.random_range(0..8)) {
            (_, 0) => "END".to_owned(),
            (Some((next, _)), 1..4) => format!("L{next}"),
            (Some((_, end)), _) => format!("L{end}"),
            (None, _) => return,
        };
        let predicate = self.predicate();
        self.line(&format!("@{predicate} bra {target};"));
    }

    /// Returns the program, which starts with the initialization of the registers.
    fn program(mut self) -> String {
        self.block(DEPTH);
        let start = |r| format!("    mad.lo.u32 %r{r}, %thread, {}, {r};\n", 7 * r + 1);
        (0..REGISTERS).map(start).chain([self.text]).collect()
    }
}

/// The number of instructions of a kernel around its program.
const AROUND: u64 = 5 + REGISTERS as u64;

fn kernel(program: &str) -> String {
    let stores: String = (0..REGISTERS).map(|r| format!("    st.global.u32 [%d2+{}], %r{r};\n", 4 * r)).collect();
    format!(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry test(.param .u64 output)
{{
    .reg .pred %p<3>, %q;
    .reg .b32 %r<{REGISTERS}>, %limit<{loops}>, %round<{loops}>, %sum<{loops}>, %t, %u, %thread;
    .reg .b64 %d<3>;
    mov.u32 %thread, %tid.x;
    ld.param.u64 %d0, [output];
    mul.wide.u32 %d1, %thread, {row};
    add.u64 %d2, %d0, %d1;
{program}END:
{stores}    ret;
}}
",
        loops = DEPTH + 1,
        row = 4 * REGISTERS,
    )
}

/// A line of a program: the predicate and the value that it must have, the opcode, and what follows it.
struct Line<'a> {
    guard: Option<(&'a str, bool)>,
    opcode: &'a str,
    operands: Vec<&'a str>,
}

/// A program whose lines are taken apart once for all threads.
struct Scalar<'a> {
    lines: Vec<Line<'a>>,
    /// The line behind each label.
    labels: HashMap<&'a str, usize>,
}

impl<'a> Scalar<'a> {
    fn new(program: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut labels = HashMap::new();
        for line in program.lines().map(str::trim) {
            if let Some(label) = line.strip_suffix(':') {
                labels.insert(label, lines.len());
                continue;
            }
            let mut words = line.trim_end_matches(';').split([' ', ',']).filter(|word| !word.is_empty()).peekable();
            let guard = words.next_if(|word| word.starts_with('@')).map(|word| &word[1..]);
            let guard = guard.map(|name| name.strip_prefix('!').map_or((name, true), |name| (name, false)));
            lines.push(Line { guard, opcode: words.next().expect("an opcode"), operands: words.collect() });
        }
        Self { lines, labels }
    }

    /// Executes the program for one thread. Returns its registers and the number of executed instructions.
    fn run(&self, thread: u32) -> (Vec<u32>, u64) {
        let mut values = HashMap::from([("%thread", thread)]);
        let mut next = 0;
        let mut count = 0;
        while let Some(Line { guard, opcode, operands }) = self.lines.get(next) {
            next += 1;
            count += 1;
            if guard.is_some_and(|(name, wanted)| values.get(name).is_some_and(|&value| value != 0) != wanted) {
                continue;
            }
            if opcode.starts_with("bra") {
                next = self.labels.get(operands[0]).copied().unwrap_or(self.lines.len());
                continue;
            }
            let sources: Vec<u32> = operands[1..].iter().map(|word| operand(&values, word)).collect();
            values.insert(operands[0], result(opcode, &sources));
        }
        ((0..REGISTERS).map(|r| values[format!("%r{r}").as_str()]).collect(), count)
    }
}

fn operand(values: &HashMap<&str, u32>, word: &str) -> u32 {
    word.parse().unwrap_or_else(|_| values.get(word).copied().unwrap_or_else(|| panic!("{word} has no value")))
}

fn result(opcode: &str, operands: &[u32]) -> u32 {
    match (opcode, operands) {
        ("mov.u32", [a]) => *a,
        ("add.u32", [a, b]) => a.wrapping_add(*b),
        ("sub.u32", [a, b]) => a.wrapping_sub(*b),
        ("xor.b32", [a, b]) => a ^ b,
        ("and.b32", [a, b]) => a & b,
        ("mul.lo.u32", [a, b]) => a.wrapping_mul(*b),
        ("mad.lo.u32", [a, b, c]) => a.wrapping_mul(*b).wrapping_add(*c),
        ("setp.lt.u32", [a, b]) => u32::from(a < b),
        ("setp.ge.u32", [a, b]) => u32::from(a >= b),
        ("setp.eq.u32", [a, b]) => u32::from(a == b),
        ("setp.ne.u32", [a, b]) => u32::from(a != b),
        _ => panic!("{opcode} of {} operands", operands.len()),
    }
}

/// Runs the programs of these seeds, of which more than five eighths must diverge.
fn compare(seeds: Range<u64>) {
    let mut divergent = 0;
    let programs = seeds.end - seeds.start;
    for seed in seeds {
        let program = Author::new(seed).program();
        let ptx = kernel(&program);
        let machine = Machine::new(&ptx);
        let count = (THREADS * REGISTERS) as usize;
        let output = machine.allocate(4 * count);
        let counters = machine.run("test", Shape::threads(THREADS), &[&output.to_le_bytes()]);
        let found = machine.words(output, count);
        let mut instructions = 0;
        let mut rows = found.chunks_exact(REGISTERS as usize);
        let scalar = Scalar::new(&program);
        for thread in 0..THREADS {
            let (expected, count) = scalar.run(thread);
            assert_eq!(rows.next(), Some(expected.as_slice()), "seed {seed}, thread {thread}\n{ptx}");
            instructions += count + AROUND;
        }
        // A thread executes the same instructions, whatever the other lanes do.
        assert_eq!(counters.thread_instructions, instructions, "seed {seed}\n{ptx}");
        divergent += u64::from(counters.divergent_branches > 0);
    }
    assert!(8 * divergent > 5 * programs, "only {divergent} of {programs} programs diverge");
}

#[test]
fn warps_and_single_threads_compute_the_same() {
    compare(0..100);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn warps_and_single_threads_compute_the_same_in_more_programs() {
    compare(100..400);
}
