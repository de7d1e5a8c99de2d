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
    Control,
}

impl Class {
    /// The class of an opcode with its modifiers, such as `fma.rn.f32`.
    pub(crate) fn of(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        let name = parts.next().unwrap_or_default();
        let kind = opcode.rsplit('.').next().unwrap_or_default();
        match name {
            "ld" if parts.any(|part| part == "const" || part.starts_with("param")) => Self::Constant,
            "ld" | "ldu" | "st" | "atom" | "red" | "prefetch" | "prefetchu" => Self::Memory,
            "setp" | "min" | "max" => Self::Comparison,
            "cvt" => Self::Conversion,
            "mov" | "selp" | "cvta" | "prmt" | "isspacep" => Self::Move,
            "shfl" | "vote" | "match" | "redux" | "activemask" => Self::Exchange,
            "bra" | "call" | "ret" | "exit" | "trap" | "bar" | "barrier" | "membar" | "fence" | "nanosleep" => {
                Self::Control
            }
            "div" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" if kind.starts_with('f') => {
                Self::Special
            }
            _ if kind.starts_with('f') || kind.starts_with("bf") => Self::Float,
            _ => Self::Integer,
        }
    }
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
            Class::Control => &mut self.control,
        } += count;
    }

    /// Adds another part, executed so many times.
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
        self.control += times * other.control;
    }
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn opcodes_have_the_class_of_their_unit() {
        for (opcode, class) in [
            ("fma.rn.f32", Class::Float),
            ("add.f64", Class::Float),
            ("neg.f32", Class::Float),
            ("div.rn.f32", Class::Special),
            ("rsqrt.approx.ftz.f32", Class::Special),
            ("div.u32", Class::Integer),
            ("mad.lo.s32", Class::Integer),
            ("and.pred", Class::Integer),
            ("setp.lt.and.f32", Class::Comparison),
            ("max.f32", Class::Comparison),
            ("cvt.rn.f32.s32", Class::Conversion),
            ("mov.f32", Class::Move),
            ("cvta.to.global.u64", Class::Move),
            ("ld.param.f32", Class::Constant),
            ("ld.const.v4.f32", Class::Constant),
            ("ld.global.nc.v4.f32", Class::Memory),
            ("red.global.add.f32", Class::Memory),
            ("shfl.sync.bfly.b32", Class::Exchange),
            ("bar.sync", Class::Control),
        ] {
            assert_eq!(Class::of(opcode), class, "{opcode}");
        }
    }
}
