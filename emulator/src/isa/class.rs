//! Instructions by what they do, for counting.

/// What an instruction does, roughly: by which part of a multiprocessor it is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Class {
    Float,
    Special,
    #[default]
    Integer,
    Comparison,
    Conversion,
    Move,
    Constant,
    Memory,
    Exchange,
    Matrix,
    Control,
}

/// Instructions of warps, by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct InstructionClasses {
    /// Sums, products and both in one, of floating-point numbers.
    pub float: u64,
    /// Quotients, roots, reciprocals, exponentials, sines of floating-point numbers.
    pub special: u64,
    /// Arithmetic and logic of integers and predicates.
    pub integer: u64,
    /// Comparisons, minima and maxima of any type.
    pub comparison: u64,
    /// Conversions between types.
    pub conversion: u64,
    /// Copies, selections, and conversions of addresses.
    pub moves: u64,
    /// Loads of parameters and constants.
    pub constant: u64,
    /// Loads, stores and atomics of all other memory.
    pub memory: u64,
    /// Shuffles, votes and what else lanes tell each other.
    pub exchange: u64,
    /// Products of matrices.
    pub matrix: u64,
    /// Branches, barriers, calls and ends.
    pub control: u64,
}

impl InstructionClasses {
    /// Adds `count` instructions of a class.
    pub(crate) fn count(&mut self, class: Class, count: u64) {
        *match class {
            Class::Float => &mut self.float,
            Class::Special => &mut self.special,
            Class::Integer => &mut self.integer,
            Class::Comparison => &mut self.comparison,
            Class::Conversion => &mut self.conversion,
            Class::Move => &mut self.moves,
            Class::Constant => &mut self.constant,
            Class::Memory => &mut self.memory,
            Class::Exchange => &mut self.exchange,
            Class::Matrix => &mut self.matrix,
            Class::Control => &mut self.control,
        } += count;
    }

    /// Adds another part, executed this number of times.
    pub(crate) fn add(&mut self, other: &Self, times: u64) {
        self.float += times * other.float;
        self.special += times * other.special;
        self.integer += times * other.integer;
        self.comparison += times * other.comparison;
        self.conversion += times * other.conversion;
        self.moves += times * other.moves;
        self.constant += times * other.constant;
        self.memory += times * other.memory;
        self.exchange += times * other.exchange;
        self.matrix += times * other.matrix;
        self.control += times * other.control;
    }
}
