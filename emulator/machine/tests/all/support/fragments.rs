//! Matrix products: kernels and random operands, for a GPU (`emulator/driver/examples/measure`) and for the emulator
//! (`tests/all/matrices.rs`).

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The number of fragments of each product.
pub const FRAGMENTS: usize = 40;

/// A product: the shape and the types of the factors and sums in the opcode, and the registers of A, of B and of C or D per lane.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    pub shape: &'static str,
    pub factor: &'static str,
    pub a: usize,
    pub b: usize,
    pub sum: &'static str,
    pub c: usize,
}

const fn product(shape: &'static str, factor: &'static str, [a, b]: [usize; 2]) -> Product {
    Product { shape, factor, a, b, sum: "f32", c: 4 }
}

/// The products that the emulator supports.
pub const PRODUCTS: [Product; 8] = [
    product("m16n8k4", "tf32", [2, 1]),
    product("m16n8k8", "tf32", [4, 2]),
    product("m16n8k8", "f16", [2, 1]),
    product("m16n8k16", "f16", [4, 2]),
    product("m16n8k8", "bf16", [2, 1]),
    product("m16n8k16", "bf16", [4, 2]),
    Product { sum: "f16", c: 2, ..product("m16n8k8", "f16", [2, 1]) },
    Product { sum: "f16", c: 2, ..product("m16n8k16", "f16", [4, 2]) },
];

/// The results of a GPU for [`Product::operands`]: the words of D of each fragment, by lane, in hexadecimal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// The device, driver and date.
    pub recorded: String,
    /// The results by the name of the kernel.
    pub products: Vec<(String, Vec<String>)>,
}

/// A pseudorandom generator with a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        // Knuth's MMIX generator, of which only the high bits are good.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// Returns a number of either sign from 2^-6 to 2^6, as bits of a type with this number of fraction bits and this exponent
    /// bias.
    fn number(&mut self, fraction_bits: u32, bias: u32) -> u32 {
        let sign = self.below(2);
        let exponent = bias + self.below(12) - 6;
        let fraction = self.below(1 << fraction_bits);
        // The exponent has the bits of twice the bias plus 1.
        let exponent_bits = (2 * bias + 1).count_ones();
        sign << (fraction_bits + exponent_bits) | exponent << fraction_bits | fraction
    }
}

impl Product {
    /// Returns the name of the kernel.
    pub fn kernel(&self) -> String {
        let sums = if self.has_halves() { "_sums" } else { "" };
        format!("{}_{}{sums}", self.shape, self.factor)
    }

    /// Returns whether the sums are halves.
    pub fn has_halves(&self) -> bool {
        self.sum == "f16"
    }

    pub fn opcode(&self) -> String {
        let Self { shape, factor, sum, .. } = self;
        format!("mma.sync.aligned.{shape}.row.col.{sum}.{factor}.{factor}.{sum}")
    }

    /// Returns the number of words of A, B and C per lane.
    pub fn words(&self) -> usize {
        self.a + self.b + self.c
    }

    /// Returns the operands of [`FRAGMENTS`] fragments, by fragment and lane.
    pub fn operands(&self) -> Vec<u32> {
        let mut random = Random(u64::from(self.kernel().bytes().map(u32::from).sum::<u32>()));
        let mut words = Vec::new();
        for _ in 0..FRAGMENTS * 32 {
            for _ in 0..self.a + self.b {
                words.push(match self.factor {
                    "tf32" => random.number(10, 127) << 13,
                    "f16" => random.number(10, 15) << 16 | random.number(10, 15),
                    _ => random.number(7, 127) << 16 | random.number(7, 127),
                });
            }
            words.extend((0..self.c).map(|_| {
                if self.has_halves() {
                    random.number(10, 15) << 16 | random.number(10, 15)
                } else {
                    random.number(23, 127)
                }
            }));
        }
        words
    }

    fn write_kernel(&self, text: &mut String) {
        let registers = |from: usize, count: usize| -> String {
            let names: Vec<String> = (from..from + count).map(|number| format!("%r{number}")).collect();
            names.join(", ")
        };
        let a = self.a;
        let b = self.b;
        let words = self.words();
        let sums = registers(14, self.c);
        let loads: String =
            (0..words).map(|word| format!("    ld.global.b32 %r{word}, [%d0+{}];\n", 4 * word)).collect();
        let _ = write!(
            text,
            ".visible .entry {}(.param .u64 operands, .param .u64 sums)
{{
    .reg .b32 %r<20>;
    .reg .b64 %d<3>;
    ld.param.u64 %d0, [operands];
    ld.param.u64 %d1, [sums];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    shl.b32 %r0, %r0, 5;
    add.u32 %r0, %r0, %r1;
    mul.wide.u32 %d2, %r0, {};
    add.u64 %d0, %d0, %d2;
    mul.wide.u32 %d2, %r0, {};
    add.u64 %d1, %d1, %d2;
{loads}    {} {{{sums}}}, {{{}}}, {{{}}}, {{{}}};
    st.global.v{}.b32 [%d1], {{{sums}}};
    ret;
}}
",
            self.kernel(),
            4 * words,
            4 * self.c,
            self.opcode(),
            registers(0, a),
            registers(a, b),
            registers(a + b, self.c),
            self.c,
        );
    }
}

/// Returns the PTX of a module with a kernel per product. Each block loads the operands of a fragment and stores D.
pub fn module() -> String {
    let mut text = String::from(".version 8.7\n.target sm_90\n.address_size 64\n");
    PRODUCTS.iter().for_each(|product| product.write_kernel(&mut text));
    text
}
