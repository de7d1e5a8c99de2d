//! Selects the operations of each PTX instruction: folds address arithmetic, moves, and products that are added, and expands
//! special functions.

use super::exact;
use super::operation::{ARITHMETIC, Address, OF_THE_TABLE, Operation, PREDICATE, Unit};
use super::tensor::Product;
use super::uses::Uses;
use emulator::{ListedInstruction, Listing};

/// The same for integer products, and for sums of two words (assumed: one more, and two operations).
const PRODUCT: u64 = 5;
const WIDE_SUM: u64 = 6;

/// The operations that correct the quotient of an integer division by a variable, and their latency (assumed: the length of the
/// sequence that ptxas 13.0 writes).
const CORRECTION_SLOTS: u64 = 14;
const CORRECTION: u64 = 40;

/// The words of the left factor of a warpgroup's product, if it is in registers.
const LEFT_WORDS: usize = 4;

/// Returns the operations of each basic block, in the order of the text.
pub(super) fn select(listing: &Listing) -> Vec<Vec<Operation>> {
    let mut selector = Selector { uses: Uses::new(listing), next_register: listing.registers.len() as u32 };
    listing.blocks.iter().map(|block| block.iter().flat_map(|one| selector.instruction(one)).collect()).collect()
}

struct Selector<'a> {
    uses: Uses<'a>,
    /// The next register for a value that PTX does not name.
    next_register: u32,
}

/// An opcode in parts.
struct Opcode<'a> {
    name: &'a str,
    all: &'a str,
    /// The last part, the type of most instructions.
    kind: &'a str,
}

impl<'a> Opcode<'a> {
    fn new(all: &'a str) -> Self {
        Self { name: all.split('.').next().unwrap_or(all), all, kind: all.rsplit('.').next().unwrap_or(all) }
    }

    fn has(&self, part: &str) -> bool {
        self.all.split('.').any(|other| other == part)
    }

    fn is_float(&self) -> bool {
        self.kind == "f32"
    }

    fn is_double(&self) -> bool {
        self.kind == "f64"
    }

    fn is_half(&self) -> bool {
        matches!(self.kind, "f16" | "f16x2" | "bf16" | "bf16x2")
    }

    fn is_wide(&self) -> bool {
        self.kind.ends_with("64")
    }
}

/// Returns whether an opcode adds 64-bit integers, such as addresses.
fn adds_addresses(opcode: &str) -> bool {
    matches!(opcode, "add.s64" | "add.u64")
}

fn accesses(opcode: &str) -> bool {
    ["ld.", "st.", "red.", "atom."].iter().any(|name| opcode.starts_with(name))
}

fn accesses_shared(opcode: &str) -> bool {
    accesses(opcode) && opcode.contains(".shared")
}

fn is_wide_product(opcode: &str) -> bool {
    opcode.starts_with("mul.wide")
}

impl Selector<'_> {
    fn instruction(&mut self, instruction: &ListedInstruction) -> Vec<Operation> {
        let mut operations = self.translate(instruction);
        if let Some(guard) = instruction.guard {
            for operation in &mut operations {
                operation.reads.push(guard);
                operation.is_guarded = true;
            }
        }
        operations
    }

    fn translate(&mut self, instruction: &ListedInstruction) -> Vec<Operation> {
        let opcode = Opcode::new(&instruction.opcode);
        let one = |unit, latency| vec![simple(instruction, unit, latency)];
        let none = || one(Unit::None, 0);
        if instruction.is_argument {
            return none();
        }
        match opcode.name {
            "ld" | "st" | "red" | "atom" | "ldu" => vec![self.memory(instruction, &opcode)],
            "cp" => vec![copy(instruction, &opcode)],
            "mbarrier" | "bar" | "barrier" if opcode.has("arrive") => vec![at_barrier(instruction, Unit::Arrival)],
            "mbarrier" if opcode.has("try_wait") || opcode.has("test_wait") => {
                vec![at_barrier(instruction, Unit::Phase)]
            }
            "wgmma" => vec![of_warpgroup(instruction, &opcode)],
            "mov" if instruction.reads_special => one(Unit::SpecialRegister, OF_THE_TABLE),
            "mov" | "cvta" => none(),
            "cvt" => vec![self.conversion(instruction, &opcode)],
            "and" | "or" | "xor" | "not" if opcode.kind == "pred" => none(),
            "add" | "sub" | "mul" | "fma" | "neg" | "abs" | "min" | "max" if opcode.is_double() => {
                one(Unit::Double, OF_THE_TABLE)
            }
            "setp" if opcode.is_double() => one(Unit::Double, OF_THE_TABLE),
            "add" | "sub" | "mul" | "fma" | "neg" | "abs" | "min" | "max" if opcode.is_half() => {
                one(Unit::Fma, ARITHMETIC)
            }
            "setp" => vec![simple(instruction, Unit::Integer, PREDICATE).with_more_slots(opcode.is_wide().into())],
            "add" | "sub" | "mul" | "fma" | "neg" | "abs" | "min" | "max" if opcode.is_float() => {
                vec![self.float(instruction, &opcode)]
            }
            "rsqrt" | "sqrt" | "rcp" | "lg2" | "ex2" | "sin" | "cos" | "tanh" | "div" if opcode.is_float() => {
                self.special(instruction, &opcode)
            }
            "div" | "rem" => self.division(instruction),
            "mul" | "mad" | "mul24" | "mad24" => vec![self.product(instruction, &opcode)],
            // An access to shared memory scales an index and adds a constant itself.
            "add" if self.uses.reads_constant(instruction) && self.uses.all(instruction, accesses_shared) => none(),
            "add" | "sub" if opcode.is_wide() => vec![self.wide_sum(instruction)],
            "shl" if opcode.is_wide() && self.uses.all(instruction, adds_addresses) => none(),
            "mma" => vec![product_of_matrices(instruction, &opcode)],
            "ldmatrix" | "stmatrix" => vec![matrices(instruction, opcode.name == "stmatrix")],
            "shfl" => one(Unit::Shuffle, OF_THE_TABLE),
            "vote" | "activemask" | "match" | "redux" => one(Unit::Vote, OF_THE_TABLE),
            "bar" | "barrier" if !opcode.has("warp") => vec![at_barrier(instruction, Unit::Barrier)],
            "bra" => one(Unit::Branch, 0),
            "ret" | "exit" | "trap" | "bar" | "barrier" | "membar" | "fence" | "nanosleep" | "discard" | "prefetch"
            | "mbarrier" | "setmaxnreg" => one(Unit::Other, 0),
            "min" | "max" if opcode.is_wide() => {
                vec![simple(instruction, Unit::Integer, ARITHMETIC).with_more_slots(2)]
            }
            _ => vec![simple(instruction, Unit::Integer, ARITHMETIC).with_more_slots(opcode.is_wide().into())],
        }
    }

    /// Selects single-precision arithmetic. A product that is only added becomes part of the sum.
    fn float(&self, instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
        let adds = |other: &str| matches!(Opcode::new(other).name, "add" | "sub") && other.ends_with("f32");
        match opcode.name {
            "mul" if self.uses.only(instruction, adds) => simple(instruction, Unit::None, 0),
            "neg" | "abs" => simple(instruction, Unit::None, 0),
            "min" | "max" => simple(instruction, Unit::Integer, ARITHMETIC),
            _ => simple(instruction, Unit::Fma, ARITHMETIC),
        }
    }

    /// Expands a special function. Without `.ftz`, the argument is scaled if it is subnormal, and the result is scaled back.
    fn special(&mut self, instruction: &ListedInstruction, opcode: &Opcode) -> Vec<Operation> {
        if !opcode.has("approx") {
            return exact::expand(instruction, opcode.name, || self.new_register());
        }
        if opcode.has("ftz") || matches!(opcode.name, "tanh" | "sin" | "cos" | "div") {
            return vec![simple(instruction, Unit::Special, OF_THE_TABLE)];
        }
        let [is_small, scaled, root] = [self.new_register(), self.new_register(), self.new_register()];
        let mut scaled_from = instruction.reads.clone();
        scaled_from.push(is_small);
        vec![
            Operation::new(Unit::Integer, PREDICATE, &instruction.reads, &[is_small]),
            Operation::new(Unit::Fma, ARITHMETIC, &scaled_from, &[scaled]),
            Operation::new(Unit::Special, OF_THE_TABLE, &[scaled], &[root]),
            Operation::new(Unit::Fma, ARITHMETIC, &[root, is_small], &instruction.writes),
        ]
    }

    /// Expands an integer division by a variable: a conversion to floating point, a reciprocal, a conversion back, each on the unit of
    /// special functions, and products that correct it.
    fn division(&mut self, instruction: &ListedInstruction) -> Vec<Operation> {
        let [float, reciprocal, quotient] = [self.new_register(), self.new_register(), self.new_register()];
        vec![
            Operation::new(Unit::Special, OF_THE_TABLE, &instruction.reads, &[float]),
            Operation::new(Unit::Special, OF_THE_TABLE, &[float], &[reciprocal]),
            Operation::new(Unit::Special, OF_THE_TABLE, &[reciprocal], &[quotient]),
            Operation::new(Unit::Multiply, CORRECTION, &[quotient], &instruction.writes)
                .with_more_slots(CORRECTION_SLOTS - 1),
        ]
    }

    fn new_register(&mut self) -> u32 {
        self.next_register += 1;
        self.next_register - 1
    }

    /// Selects a conversion. Those between integers are free, unless they extend the sign for more than an address.
    fn conversion(&self, instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
        let indexes = |other: &str| is_wide_product(other) || other == "shl.b64" || adds_addresses(other);
        match opcode.all {
            "cvt.s64.s32" if !self.uses.all(instruction, indexes) => simple(instruction, Unit::Integer, ARITHMETIC),
            all if !all.contains(".f") => simple(instruction, Unit::None, 0),
            all if ["cvt.rn.f16x2", "cvt.rn.bf16x2"].iter().any(|packs| all.starts_with(packs)) => {
                simple(instruction, Unit::Integer, ARITHMETIC)
            }
            all if all.contains("f32.s32") || all.contains("f32.u32") => simple(instruction, Unit::Integer, ARITHMETIC),
            _ => simple(instruction, Unit::Special, OF_THE_TABLE),
        }
    }

    /// Selects an integer product. One that is only added to addresses becomes part of the sums.
    fn product(&self, instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
        if is_wide_product(opcode.all) && self.uses.all(instruction, adds_addresses) {
            return simple(instruction, Unit::None, 0);
        }
        let is_long = opcode.has("wide") || opcode.has("hi");
        let more = if opcode.is_wide() && !is_long { 3 } else { 0 };
        let latency = if is_long { PRODUCT } else { ARITHMETIC };
        simple(instruction, Unit::Multiply, latency).with_more_slots(more)
    }

    /// Selects a sum of 64 bits: with a product, one operation; with an offset that only accesses use, none.
    fn wide_sum(&self, instruction: &ListedInstruction) -> Operation {
        if self.uses.reads_result_of(instruction, is_wide_product) {
            return simple(instruction, Unit::Multiply, PRODUCT);
        }
        if instruction.literal.is_some() && self.uses.all(instruction, accesses) {
            return simple(instruction, Unit::None, 0);
        }
        // Addresses of shared memory have 32 bits.
        if self.uses.all(instruction, accesses_shared) {
            return simple(instruction, Unit::Integer, ARITHMETIC);
        }
        simple(instruction, Unit::Integer, WIDE_SUM).with_more_slots(1)
    }

    /// Selects an access to memory.
    fn memory(&self, instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
        let (base, offset) = instruction.address.unwrap_or_default();
        let bytes = bytes_of(opcode);
        let is_atomic = matches!(opcode.name, "red" | "atom");
        let stores = is_atomic || opcode.name == "st";
        let unit = match opcode.name {
            // A kernel parameter is an operand of the instructions that use it.
            "ld" if opcode.has("param") => return simple(instruction, Unit::None, 0),
            "ld" if opcode.has("const") => Unit::Constant,
            _ if opcode.all.contains(".shared") => Unit::Shared,
            "ld" | "ldu" => Unit::Load,
            "st" => Unit::Store,
            _ => Unit::Atomic,
        };
        let mut operation = simple(instruction, unit, OF_THE_TABLE);
        if is_atomic && !instruction.writes.iter().any(|&register| self.uses.is_read(register)) {
            operation.writes.clear();
        }
        operation.instructions.push(instruction.number);
        let bypasses = ["cg", "cv", "volatile", "relaxed", "acquire"].iter().any(|part| opcode.has(part));
        let adds_floats = is_atomic && (opcode.is_float() || opcode.is_double() || opcode.is_half());
        operation.access = Some(Address { base, offset, bytes, stores, bypasses, adds_floats });
        operation.with_more_slots(u64::from(unit == Unit::Constant && bytes > 8))
    }
}

/// Selects a product of matrices. One whose rate was not measured is refused before it is simulated.
fn product_of_matrices(instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
    let cost = Product::from_ptx(opcode.all);
    let mut operation = simple(instruction, Unit::Tensor, cost.map_or(0, |cost| cost.latency));
    operation.occupies = cost.map_or(0, |cost| cost.occupies);
    operation
}

/// Selects an instruction at a barrier of the block or at an mbarrier.
fn at_barrier(instruction: &ListedInstruction, unit: Unit) -> Operation {
    let mut operation = simple(instruction, unit, 0);
    operation.instructions.push(instruction.number);
    operation
}

/// Selects an instruction of a warpgroup. The registers of its sums are used after a wait, which nothing passes.
fn of_warpgroup(instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
    let unit = match opcode.all.split('.').nth(1) {
        Some("mma_async") => Unit::Warpgroup,
        Some("commit_group") => Unit::CommitProducts,
        Some("wait_group") => Unit::WaitForProducts,
        _ => Unit::Other,
    };
    let mut operation = Operation::new(unit, 0, &[], &[]);
    if unit == Unit::Warpgroup {
        let a_in_registers = instruction.reads.len().saturating_sub(instruction.writes.len()) >= LEFT_WORDS;
        let cost = Product::of_warpgroup(opcode.all, a_in_registers);
        operation.occupies = cost.map_or(0, |cost| cost.occupies);
        operation.latency = cost.map_or(0, |cost| cost.latency);
    }
    operation.leaves = instruction.literal.unwrap_or(0);
    operation
}

/// Selects a load or store of up to four matrices of 8 rows of 16 bytes.
fn matrices(instruction: &ListedInstruction, stores: bool) -> Operation {
    let (base, offset) = instruction.address.unwrap_or_default();
    let mut operation = simple(instruction, Unit::Shared, OF_THE_TABLE);
    operation.instructions.push(instruction.number);
    operation.access = Some(Address { base, offset, bytes: 16, stores, bypasses: false, adds_floats: false });
    operation
}

/// Selects an asynchronous copy, or what waits for it.
fn copy(instruction: &ListedInstruction, opcode: &Opcode) -> Operation {
    if opcode.all.contains("wait") {
        // Without a number, it waits for all.
        let leaves = instruction.literal.unwrap_or(0);
        return Operation { leaves, ..simple(instruction, Unit::WaitForCopies, 0) };
    }
    if opcode.all.contains("commit") {
        return simple(instruction, Unit::CommitCopies, 0);
    }
    let unit = if opcode.has("bulk") { Unit::BulkCopy } else { Unit::Copy };
    let mut operation = simple(instruction, unit, OF_THE_TABLE);
    operation.instructions.push(instruction.number);
    if unit == Unit::BulkCopy {
        return operation;
    }
    let bypasses = opcode.has("cg");
    operation.access = Some(Address { base: None, offset: 0, bytes: 16, stores: true, bypasses, adds_floats: false });
    operation
}

/// Returns the number of bytes per lane of an access, such as 16 for `ld.shared.v4.f32`.
fn bytes_of(opcode: &Opcode) -> u16 {
    let bits: u16 = opcode.kind.trim_start_matches(|mark: char| mark.is_ascii_alphabetic()).parse().unwrap_or(32);
    let elements = if opcode.has("v4") { 4 } else { 1 + u16::from(opcode.has("v2")) };
    bits / 8 * elements
}

/// Returns one operation for an instruction.
fn simple(instruction: &ListedInstruction, unit: Unit, latency: u64) -> Operation {
    Operation::new(unit, latency, &instruction.reads, &instruction.writes)
}
