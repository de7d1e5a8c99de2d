//! Classes of instructions, for the counters.

/// The class of an instruction: roughly, the unit of a multiprocessor that executes it.
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

/// Adds the named fields of one structure, so many times, to those of another.
macro_rules! add_fields {
    ($sum:ident, $other:ident, $times:expr; $($field:ident)*) => {
        $($sum.$field += $times * $other.$field;)*
    };
}

pub(crate) use add_fields;

/// The number of executed warp instructions of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct InstructionClasses {
    /// Floating-point additions, multiplications and multiply-adds.
    pub float: u64,
    /// Floating-point divisions, roots, reciprocals, exponentials, logarithms, sines and cosines.
    pub special: u64,
    /// Integer arithmetic, and logic of integers and predicates.
    pub integer: u64,
    /// Comparisons, minima and maxima of any type.
    pub comparison: u64,
    /// Conversions between types.
    pub conversion: u64,
    /// Moves, selections, and conversions of addresses.
    pub moves: u64,
    /// Loads of parameters and constants.
    pub constant: u64,
    /// Loads, stores and atomics in all other memory.
    pub memory: u64,
    /// Shuffles, votes and other exchanges between lanes.
    pub exchange: u64,
    /// Matrix multiply-accumulate instructions.
    pub matrix: u64,
    /// Branches, barriers, calls and exits.
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

    /// Adds the counts of code that was executed `times` times.
    pub(crate) fn add(&mut self, other: &Self, times: u64) {
        add_fields!(self, other, times;
            float special integer comparison conversion moves constant memory exchange matrix control);
    }
}
