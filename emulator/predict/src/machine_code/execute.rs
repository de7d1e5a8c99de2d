//! Executes the needed instructions of a warp: which basic blocks it enters, and which addresses it accesses.
//!
//! Executing is simpler than finding for each loop and access of the PTX its counterpart in the machine code: ptxas unrolls,
//! rotates, joins and duplicates, and nothing marks what became of what. It is exact, too, where the result of the search
//! would be a guess. It needs only integers and predicates, and stops with [`Unknown`] where these depend on memory or on
//! floating-point arithmetic.

use super::bind::{Kind, Program, Step};
use super::listing::Guard;
use super::operand::{PREDICATES, ROWS, TRUE, UNIFORM_ROWS};
use super::token::{One, Special, Token, Two};
use emulator::WARP_SIZE;

/// A value of each lane.
type Lanes = [u64; WARP_SIZE];

/// A value of a warp. Most are the same in all lanes, which takes one computation instead of 32.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::large_enum_variant, reason = "values live on a stack that is allocated once")]
enum Value {
    Same(u64),
    Different(Lanes),
}

impl Value {
    fn lanes(&self) -> Lanes {
        match self {
            Self::Same(value) => [*value; WARP_SIZE],
            Self::Different(lanes) => *lanes,
        }
    }

    fn map(&self, function: impl Fn(u64) -> u64) -> Self {
        match self {
            Self::Same(value) => Self::Same(function(*value)),
            Self::Different(lanes) => Self::Different(lanes.map(function)),
        }
    }

    fn with(&self, other: &Self, function: impl Fn(u64, u64) -> u64) -> Self {
        match (self, other) {
            (Self::Same(a), Self::Same(b)) => Self::Same(function(*a, *b)),
            (Self::Same(a), Self::Different(b)) => Self::Different(b.map(|b| function(*a, b))),
            (Self::Different(a), Self::Same(b)) => Self::Different(a.map(|a| function(a, *b))),
            (Self::Different(a), Self::Different(b)) => {
                Self::Different(std::array::from_fn(|lane| function(a[lane], b[lane])))
            }
        }
    }

    fn where_not_zero(&self) -> u32 {
        match self {
            Self::Same(0) => 0,
            Self::Same(_) => u32::MAX,
            Self::Different(lanes) => {
                lanes.iter().enumerate().fold(0, |mask, (lane, value)| mask | u32::from(*value != 0) << lane)
            }
        }
    }
}

/// The largest number of basic blocks that a warp enters: one that never ends would otherwise not be found.
pub(super) const MAX_ENTRIES: u64 = 1 << 26;

/// Why a warp cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unknown(pub(super) String);

/// What a warp does.
pub(super) trait Listener {
    /// It enters a basic block with these lanes.
    fn enter(&mut self, block: usize, active: u32);
    /// The lanes access memory.
    fn access(&mut self, step: &Step, addresses: &[u64; WARP_SIZE], active: u32);
}

/// A warp of a block.
pub(super) struct Warp {
    rows: Vec<[u32; WARP_SIZE]>,
    /// Whether all lanes of a row are the same.
    is_same: [bool; ROWS],
    predicates: [u32; PREDICATES],
    is_row_known: [bool; ROWS],
    is_predicate_known: [bool; PREDICATES],
    /// The indices of the threads, by axis, and of the block.
    threads: [[u32; WARP_SIZE]; 3],
    block: [u32; 3],
    /// The basic block that each lane enters next.
    next: [usize; WARP_SIZE],
    live: u32,
    stack: Vec<Value>,
    /// The results of an instruction, which are written after all of its sources were read.
    writes: Vec<(Token, Value)>,
}

impl Warp {
    /// Returns a warp at the beginning: the threads from `first` of a block of this shape.
    pub(super) fn new(shape: [u32; 3], block: [u32; 3], first: u32) -> Self {
        let count = shape.iter().product::<u32>().saturating_sub(first).min(WARP_SIZE as u32);
        let thread = |lane: usize| first + lane as u32;
        let axis = |divisor: u32, size: u32| std::array::from_fn(|lane| thread(lane) / divisor % size);
        let mut predicates = [0; PREDICATES];
        predicates[usize::from(TRUE)] = u32::MAX;
        Self {
            rows: vec![[0; WARP_SIZE]; ROWS],
            is_same: [true; ROWS],
            predicates,
            is_row_known: [true; ROWS],
            is_predicate_known: [true; PREDICATES],
            threads: [axis(1, shape[0]), axis(shape[0], shape[1]), axis(shape[0] * shape[1], shape[2])],
            block,
            next: [0; WARP_SIZE],
            live: if count == 32 { u32::MAX } else { (1 << count) - 1 },
            stack: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// Runs to the end of the warp, or until it has entered so many basic blocks.
    pub(super) fn run(
        &mut self,
        program: &Program,
        most_entries: u64,
        listener: &mut impl Listener,
    ) -> Result<(), Unknown> {
        let mut entries = 0;
        while self.live != 0 && entries < most_entries {
            // Lanes that are behind go first, so that all meet again.
            let block = lanes(self.live).map(|lane| self.next[lane]).min().unwrap_or_default();
            let active =
                lanes(self.live).filter(|lane| self.next[*lane] == block).fold(0, |mask, lane| mask | 1 << lane);
            let steps = program.blocks.get(block).ok_or_else(|| Unknown("the code ends without an exit".into()))?;
            listener.enter(block, active);
            lanes(active).for_each(|lane| self.next[lane] = block + 1);
            steps.iter().try_for_each(|step| self.step(step, active, listener))?;
            entries += 1;
            if entries == MAX_ENTRIES {
                return Err(Unknown("a warp does not end".into()));
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, active: u32, listener: &mut impl Listener) -> Result<(), Unknown> {
        let (mask, is_known) = self.apply_guard(step.guard, active);
        let unknown = |what: &str| Unknown(format!("{what} of `{}` depends on memory or floating point", step.name));
        if !is_known && !matches!(step.kind, Kind::Compute) {
            return Err(unknown("the guard"));
        }
        if mask == 0 {
            return Ok(());
        }
        let is_decided = self.evaluate(&step.decision, mask, true);
        match step.kind {
            Kind::Compute => {}
            Kind::Access { .. } if is_decided => {
                let addresses = self.pop().lanes();
                listener.access(step, &addresses, mask);
            }
            Kind::Access { .. } => return Err(unknown("the address")),
            Kind::Exit => self.live &= !mask,
            Kind::Branch { .. } if !is_decided => return Err(unknown("the condition")),
            Kind::Branch { target } => {
                let taken = self.stack.pop().map_or(mask, |values| values.where_not_zero() & mask);
                lanes(taken).for_each(|lane| self.next[lane] = target);
            }
            Kind::Unfollowed => return Err(Unknown(format!("`{}` is not followed", step.name))),
        }
        self.evaluate(&step.results, mask, is_known);
        Ok(())
    }

    /// Returns the lanes for which a guard holds, and whether it is known.
    fn apply_guard(&self, guard: Option<Guard>, active: u32) -> (u32, bool) {
        guard.map_or((active, true), |Guard { predicate, is_negated }| {
            let number = usize::from(predicate);
            let holds = if is_negated { !self.predicates[number] } else { self.predicates[number] };
            if self.is_predicate_known[number] { (active & holds, true) } else { (active, false) }
        })
    }

    /// Runs a program for these lanes, and leaves what it does not write on the stack. Returns whether all is known.
    fn evaluate(&mut self, tokens: &[Token], mask: u32, mut is_known: bool) -> bool {
        self.stack.clear();
        for &token in tokens {
            let value = match token {
                Token::Write(_) | Token::WritePair(_) | Token::WritePredicate(_) => {
                    let value = self.pop();
                    self.writes.push((token, value));
                    continue;
                }
                Token::One(function) => self.pop().map(|value| one(function, value)),
                Token::Two(function) => {
                    let b = self.pop();
                    self.pop().with(&b, |a, b| two(function, a, b))
                }
                Token::Table(table) => {
                    let c = self.pop();
                    let b = self.pop();
                    let a = self.pop();
                    by_table(table, [a, b, c])
                }
                Token::Permute => {
                    let high = self.pop();
                    let selectors = self.pop();
                    let low = self.pop();
                    low.with(&high, |low, high| high << 32 | low).with(&selectors, permute)
                }
                Token::Select => {
                    let condition = self.pop();
                    let b = self.pop();
                    let a = self.pop();
                    select(&condition, &a, &b)
                }
                source => {
                    let (value, is_source_known) = self.source(source);
                    is_known &= is_source_known;
                    value
                }
            };
            self.stack.push(value);
        }
        while let Some((token, value)) = self.writes.pop() {
            self.write(token, &value, mask, is_known);
        }
        is_known
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Same(0))
    }

    fn source(&self, token: Token) -> (Value, bool) {
        match token {
            Token::Row(number) => (self.row(number), self.is_row_known[usize::from(number)]),
            Token::Pair(number) => {
                let is_known = self.is_row_known[usize::from(number)] && self.is_row_known[usize::from(number) + 1];
                (self.row(number).with(&self.row(number + 1), |low, high| high << 32 | low), is_known)
            }
            Token::Predicate(number) => {
                let mask = self.predicates[usize::from(number)];
                let value = match mask {
                    0 => Value::Same(0),
                    u32::MAX => Value::Same(1),
                    _ => Value::Different(std::array::from_fn(|lane| u64::from(mask >> lane & 1))),
                };
                (value, self.is_predicate_known[usize::from(number)])
            }
            Token::Literal(value) => (Value::Same(value), true),
            Token::Special(special) => (self.special(special), true),
            _ => (Value::Same(0), false),
        }
    }

    fn row(&self, number: u16) -> Value {
        let row = &self.rows[usize::from(number)];
        if self.is_same[usize::from(number)] {
            Value::Same(row[0].into())
        } else {
            Value::Different(row.map(u64::from))
        }
    }

    fn special(&self, special: Special) -> Value {
        match special {
            Special::Thread(axis) => Value::Different(self.threads[usize::from(axis)].map(u64::from)),
            Special::Block(axis) => Value::Same(self.block[usize::from(axis)].into()),
            Special::Lane => Value::Different(std::array::from_fn(|lane| lane as u64)),
            Special::Zero => Value::Same(0),
        }
    }

    fn write(&mut self, token: Token, value: &Value, mask: u32, is_known: bool) {
        match token {
            Token::Write(row) => self.write_row(row, value, 0, mask, is_known),
            Token::WritePair(row) => {
                self.write_row(row, value, 0, mask, is_known);
                self.write_row(row + 1, value, 32, mask, is_known);
            }
            Token::WritePredicate(number) => {
                let holds = value.where_not_zero();
                let number = usize::from(number);
                let mask = if number >= PREDICATES / 2 { u32::MAX } else { mask };
                self.predicates[number] = self.predicates[number] & !mask | holds & mask;
                self.is_predicate_known[number] = is_known;
            }
            _ => {}
        }
    }

    fn write_row(&mut self, row: u16, value: &Value, shift: u32, mask: u32, is_known: bool) {
        let row = usize::from(row);
        let of = |lane: usize| match value {
            Value::Same(value) => (value >> shift) as u32,
            Value::Different(lanes) => (lanes[lane] >> shift) as u32,
        };
        // A uniform register has one value: that of the first active lane.
        let is_uniform = row >= ROWS - UNIFORM_ROWS;
        let is_whole = mask == u32::MAX || is_uniform || mask == self.live;
        let first = of(mask.trailing_zeros() as usize);
        self.is_same[row] = is_uniform || is_whole && matches!(value, Value::Same(_));
        if self.is_same[row] {
            self.rows[row] = [first; WARP_SIZE];
        } else {
            let places = self.rows[row].iter_mut().enumerate().filter(|(lane, _)| mask >> lane & 1 == 1);
            places.for_each(|(lane, place)| *place = of(lane));
        }
        self.is_row_known[row] = is_known;
    }
}

/// Returns the numbers of the lanes of a mask.
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..WARP_SIZE).filter(move |lane| mask >> lane & 1 == 1)
}

/// Returns the bytes of a pair of words that the lower four hexadecimal digits select: a digit above 7 repeats the byte's sign.
fn permute(pair: u64, selectors: u64) -> u64 {
    (0..4).fold(0, |word, place| {
        let selector = selectors >> (4 * place) & 15;
        let byte = pair >> (8 * (selector & 7)) & 0xff;
        let byte = if selector < 8 { byte } else { (byte >> 7) * 0xff };
        word | byte << (8 * place)
    })
}

fn select(condition: &Value, a: &Value, b: &Value) -> Value {
    match condition {
        Value::Same(0) => *b,
        Value::Same(_) => *a,
        Value::Different(holds) => {
            let a = a.lanes();
            let b = b.lanes();
            Value::Different(std::array::from_fn(|lane| if holds[lane] == 0 { b[lane] } else { a[lane] }))
        }
    }
}

fn one(function: One, value: u64) -> u64 {
    let word = value as u32;
    match function {
        One::SignExtend => word as i32 as i64 as u64,
        One::Low => word.into(),
        One::High => value >> 32,
        One::NegateWord => (1 << 32) - u64::from(word),
        One::InvertWord => (!word).into(),
        One::Not => u64::from(value == 0),
        One::Absolute => (word as i32).unsigned_abs().into(),
        One::Ones => word.count_ones().into(),
        One::Highest => word.checked_ilog2().unwrap_or(u32::MAX).into(),
        One::ToFloat => (value as i64 as f32).to_bits().into(),
        One::Reciprocal => (1.0 / f32::from_bits(word)).to_bits().into(),
        One::ToInteger => (f32::from_bits(word) as u32).into(),
    }
}

fn two(function: Two, a: u64, b: u64) -> u64 {
    let signed_a = a as i64;
    let signed_b = b as i64;
    match function {
        Two::Add => a.wrapping_add(b),
        Two::Multiply => a.wrapping_mul(b),
        Two::And => a & b,
        Two::Or => a | b,
        Two::ShiftLeft => a.checked_shl(b as u32).unwrap_or(0),
        Two::ShiftRight => a.checked_shr(b as u32).unwrap_or(0),
        Two::ShiftRightSigned => (signed_a >> b.min(63)) as u64,
        Two::Less => (signed_a < signed_b).into(),
        Two::LessOrEqual => (signed_a <= signed_b).into(),
        Two::Equal => (a == b).into(),
        Two::Smaller => signed_a.min(signed_b) as u64,
        Two::Larger => signed_a.max(signed_b) as u64,
    }
}

/// Returns the bits of a function of three words, by its truth table: bit `4a + 2b + c` is the result of these bits.
fn by_table(table: u8, [a, b, c]: [Value; 3]) -> Value {
    let mut result = Value::Same(0);
    for row in (0..8).filter(|row| table >> row & 1 == 1) {
        let of = |value: &Value, bit: u8| if row >> bit & 1 == 1 { *value } else { value.map(|value| !value) };
        let both = of(&a, 2).with(&of(&b, 1), |a, b| a & b).with(&of(&c, 0), |ab, c| ab & c);
        result = result.with(&both, |bits, more| bits | more & 0xffff_ffff);
    }
    result
}
