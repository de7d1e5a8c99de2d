//! Random kernels in CUDA C++ without undefined behavior: every variable has a value, signed arithmetic stays small, indexes
//! are masked, divisors are not zero, shifts are shorter than their operands, and each thread writes what is its own.

use std::fmt::Write;

/// Threads of a block, and elements of each array in memory.
pub const THREADS: u32 = 64;
/// Words that each thread writes.
pub const OUTPUTS: usize = 8;

/// Types of variables: name, prefix, number.
const TYPES: [(&str, char, usize); 6] = [
    ("int", 'i', 3),
    ("unsigned int", 'u', 3),
    ("long long", 'l', 2),
    ("float", 'f', 4),
    ("unsigned char", 'c', 2),
    ("double", 'd', 1),
];

/// A source of random numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Numerical Recipes' 64-bit generator.
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// Writes a kernel.
struct Writer {
    random: Random,
    text: String,
    /// Loops around.
    depth: usize,
    loops: usize,
}

/// Returns a kernel `fuzz(const int*, const float*, unsigned int*)` for a seed.
pub fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random(seed ^ 0x9e37_79b9_7f4a_7c15), text: String::new(), depth: 0, loops: 0 };
    writer.random.below(2);
    writer.kernel();
    writer.text
}

impl Writer {
    fn kernel(&mut self) {
        self.text = format!(
            "struct Pair {{ int a; float b; }};\n\
             __constant__ int table[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};\n\
             __device__ __noinline__ float apart(float x, int k) {{ return k & 1 ? x * 0.5f + 1.0f : x - (float)k; }}\n\
             extern \"C\" __global__ void fuzz(const int* __restrict__ in, const float* __restrict__ reals, unsigned int* out) {{\n\
             __shared__ int tile[{THREADS}];\n__shared__ float4 wide[{THREADS}];\nint own[8] = {{0}};\nPair pair = {{1, 2.0f}};\n\
             const int t = threadIdx.x;\n"
        );
        for (ty, prefix, count) in TYPES {
            for number in 0..count {
                let value = match prefix {
                    'f' | 'd' => format!("reals[(t + {number}) & 63]"),
                    _ => format!("({ty})in[(t * {} + {number}) & 63]", number + 1),
                };
                let _ = writeln!(self.text, "{ty} {prefix}{number} = {value};");
            }
        }
        for _ in 0..3 {
            self.statements(5);
            self.exchange();
        }
        self.outputs();
        self.text.push_str("}\n");
    }

    /// A statement that all threads execute together.
    fn exchange(&mut self) {
        let value = self.variable('i');
        let real = self.variable('f');
        let text = match self.random.below(4) {
            0 => format!(
                "tile[t] = {value};\n__syncthreads();\n{value} = tile[(t + 1) & 63] & 0xffff;\n__syncthreads();\n"
            ),
            1 => format!("{value} = __shfl_xor_sync(0xffffffffu, {value}, {});\n", 1 << self.random.below(5)),
            2 => format!("{real} = __shfl_down_sync(0xffffffffu, {real}, {});\n", 1 + self.random.below(8)),
            _ => format!(
                "wide[t] = make_float4({real}, f0, f1, f2);\n__syncthreads();\n\
                 {{ const float4 w = wide[t ^ 5]; {real} = w.x * w.y + w.z - w.w; }}\n__syncthreads();\n"
            ),
        };
        self.text.push_str(&text);
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.random.below(12) {
            0 | 1 if self.depth < 3 => self.branch(),
            2 if self.depth < 2 => self.repeat(),
            3 if self.depth < 2 => self.switch(),
            4 => {
                let index = self.integer(1);
                let value = self.integer(2);
                let _ = writeln!(self.text, "own[({index}) & 7] = {value};");
            }
            5 => {
                let value = self.integer(1);
                let real = self.real(1);
                let _ = writeln!(self.text, "pair.a ^= {value}; pair.b = {real};");
            }
            6 => {
                let to = self.variable('f');
                let value = self.integer(1);
                let real = self.real(1);
                let _ = writeln!(self.text, "{to} = apart({real}, ({value}) & 7);");
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let prefix = ['i', 'u', 'l', 'f', 'c', 'f', 'd'][self.random.below(7)];
        let to = self.variable(prefix);
        let value = match prefix {
            'f' => self.real(3),
            'd' => format!("d0 * 0.25 + (double)({})", self.real(1)),
            'i' => format!("({}) & 0xffff", self.integer(3)),
            'c' => format!("(unsigned char)({})", self.word(2)),
            'l' => format!(
                "(long long)((unsigned long long)({to}) * {}ull + (unsigned)({}))",
                3 + self.random.below(99),
                self.word(2)
            ),
            _ => self.word(3),
        };
        let _ = writeln!(self.text, "{to} = {value};");
    }

    fn branch(&mut self) {
        let condition = self.condition();
        let _ = writeln!(self.text, "if ({condition}) {{");
        self.nested(2);
        if self.random.below(2) == 0 {
            self.text.push_str("} else {\n");
            self.nested(2);
        }
        self.text.push_str("}\n");
    }

    fn nested(&mut self, count: usize) {
        self.depth += 1;
        self.statements(count);
        self.depth -= 1;
    }

    fn repeat(&mut self) {
        let name = format!("k{}", self.loops);
        let bound = self.random.pick(&["3", "8", "17", "(i0 & 7)", "(t & 15)"]);
        self.loops += 1;
        if self.random.below(2) == 0 {
            self.text.push_str("#pragma unroll 1\n");
        }
        let _ = writeln!(self.text, "for (int {name} = 0; {name} < {bound}; ++{name}) {{");
        let to = self.variable('f');
        let _ = writeln!(
            self.text,
            "{to} += reals[(t + {name} * 3) & 63] * 0.125f;\ni1 = (i1 + in[({name} + t) & 63] * {name}) & 0xffff;"
        );
        self.nested(2);
        if self.random.below(3) == 0 {
            let condition = self.condition();
            let exit = self.random.pick(&["break", "continue"]);
            let _ = writeln!(self.text, "if ({condition}) {exit};");
        }
        self.nested(1);
        self.text.push_str("}\n");
    }

    fn switch(&mut self) {
        let value = self.integer(1);
        let _ = writeln!(self.text, "switch (({value}) & 7) {{");
        for case in [0, 1, 3, 6] {
            let _ = writeln!(self.text, "case {case}:");
            self.depth += 2;
            self.assignment();
            self.depth -= 2;
            if self.random.below(3) > 0 {
                self.text.push_str("break;\n");
            }
        }
        self.text.push_str("default:\n");
        self.assignment();
        self.text.push_str("}\n");
    }

    fn variable(&mut self, prefix: char) -> String {
        let count = TYPES.iter().find(|(_, of, _)| *of == prefix).map_or(1, |(_, _, count)| *count);
        format!("{prefix}{}", self.random.below(count))
    }

    fn condition(&mut self) -> String {
        let test = self.random.pick(&["<", ">", "==", "!=", "<=", ">="]);
        match self.random.below(5) {
            0 => format!("{} {test} {}", self.real(1), self.real(1)),
            1 => format!("{} {test} {}", self.word(1), self.word(1)),
            2 => format!("{} {test} {} && c0 {test} c1", self.integer(1), self.integer(1)),
            3 => format!("l0 {test} l1 || {} > 40", self.integer(1)),
            _ => format!("(t {} {}) == 0", self.random.pick(&["&", "%"]), 1 + self.random.below(7)),
        }
    }

    /// An `int` whose size is below 2^27.
    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(6) {
                0 => format!("{}", self.random.below(200) as i64 - 100),
                1 => "t".into(),
                2 => format!("table[{} & 15]", self.variable('i')),
                3 => "(own[i2 & 7] & 0xfff)".into(),
                4 => format!("(int){}", self.variable('c')),
                _ => format!("({} & 0xfff)", self.variable('i')),
            };
        }
        let a = self.integer(depth - 1);
        let b = self.integer(depth - 1);
        match self.random.below(9) {
            0 => format!("(({a}) + ({b})) % 9973"),
            1 => format!("(({a}) - ({b})) / (({b} & 15) + 1)"),
            2 => format!("(({a}) & 0xff) * (({b}) & 0xff)"),
            3 => format!("(({a}) >> {})", self.random.below(20)),
            4 => format!("min({a}, {b})"),
            5 => format!("max({a}, {b})"),
            6 => format!("(({}) ? ({a}) : ({b}))", self.condition_of_words()),
            7 => format!("(int)((short)({a}))"),
            _ => format!("(({a}) ^ ({b})) & 0xffff"),
        }
    }

    fn condition_of_words(&mut self) -> String {
        format!("{} {} {}", self.variable('u'), self.random.pick(&["<", "==", ">"]), self.variable('i'))
    }

    /// An `unsigned int`, which wraps around.
    fn word(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(4) {
                0 => format!("{}u", self.random.below(1 << 30)),
                1 => format!("(unsigned){}", self.variable('l')),
                2 => format!("(unsigned){}", self.variable('i')),
                _ => self.variable('u'),
            };
        }
        let a = self.word(depth - 1);
        let b = self.word(depth - 1);
        match self.random.below(12) {
            0 => format!("(({a}) + ({b}))"),
            1 => format!("(({a}) - ({b}))"),
            2 => format!("(({a}) * ({b}))"),
            3 => format!("(({a}) / (({b}) | 1u))"),
            4 => format!("(({a}) % (({b}) | 1u))"),
            5 => format!("(({a}) << (({b}) & 31u))"),
            6 => format!("(({a}) >> (({b}) & 31u))"),
            7 => format!("(({a}) ^ ({b}))"),
            8 => format!("(({a}) & ({b}))"),
            9 => format!("((({a}) << {shift}) | (({a}) >> {}))", 32 - 7, shift = 7),
            10 => format!("(unsigned)__popc({a})"),
            _ => format!("(unsigned)(((unsigned long long)({a}) * ({b})) >> 32)"),
        }
    }

    fn real(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(5) {
                0 => format!("{}.{}f", self.random.below(9), self.random.below(10)),
                1 => "(float)t".into(),
                2 => format!("(float){}", self.variable('i')),
                _ => self.variable('f'),
            };
        }
        let a = self.real(depth - 1);
        let b = self.real(depth - 1);
        match self.random.below(10) {
            0 | 1 => format!("(({a}) * ({b}) + {})", self.variable('f')),
            2 => format!("(({a}) + ({b}))"),
            3 => format!("(({a}) - ({b}))"),
            4 => format!("(({a}) * ({b}))"),
            5 => format!("(({a}) / (fabsf({b}) + 1.0f))"),
            6 => format!("fminf({a}, {b})"),
            7 => format!("sqrtf(fabsf({a}))"),
            8 => format!("(({}) ? ({a}) : ({b}))", self.condition_of_words()),
            _ => format!("(({a}) - ({b}) * ({}))", self.variable('f')),
        }
    }

    /// Stores everything. Not a number has many bits: one of them for all.
    fn outputs(&mut self) {
        self.text.push_str(
            "unsigned int sum = 0;\nfor (int k = 0; k < 8; ++k) sum = sum * 31u + (unsigned)own[k];\n\
             const float real = f0 + f1 * 3.0f + f2 * 5.0f + f3;\n",
        );
        let stores = [
            "(unsigned)i0 + (unsigned)i1 * 7u",
            "(unsigned)i2 ^ (unsigned)c0 ^ ((unsigned)c1 << 8)",
            "u0 ^ u1 ^ u2",
            "(unsigned)l0 ^ (unsigned)(l1 >> 32)",
            "real == real ? __float_as_uint(real) : 1u",
            "f3 == f3 ? __float_as_uint(f3) : 1u",
            "sum + (unsigned)pair.a",
            "d0 == d0 ? (unsigned)(d0 > 3.0) + (pair.b == pair.b ? __float_as_uint(pair.b) : 2u) : 1u",
        ];
        for (number, value) in stores.iter().enumerate() {
            let _ = writeln!(self.text, "out[t * {OUTPUTS} + {number}] = {value};");
        }
    }
}
