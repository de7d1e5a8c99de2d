//! Products of a warpgroup: kernels, the layout of their factors in shared memory, and random factors.

use std::fmt::Write as _;

/// The rows of A and D.
pub const ROWS: usize = 64;
/// The columns of A, and rows of B.
pub const DEPTH: usize = 16;
/// The number of bytes of shared memory of a block: A, and then B from [`START_OF_B`] on.
pub const IMAGE_BYTES: usize = 40960;
/// The offset of B in shared memory.
pub const START_OF_B: usize = 8192;

/// A product, with the constants among its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    pub columns: usize,
    pub factor: &'static str,
    pub a_in_registers: bool,
    pub signs: [i32; 2],
    pub transposed: [bool; 2],
}

/// A layout of a factor in shared memory, by the number of bytes of a row of its pattern: 16 for no swizzle, 32, 64 or 128; and
/// the number of the part of 16 columns of A, or 16 rows of B, in rows that are wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub row_bytes: usize,
    pub part: usize,
}

/// Returns the products of all shapes and types, and those of one shape with all other constants.
pub fn products() -> Vec<Product> {
    let plain = Product { columns: 64, factor: "bf16", a_in_registers: false, signs: [1; 2], transposed: [false; 2] };
    let of_factor = |factor| (1..=32).map(move |eighth| Product { columns: 8 * eighth, factor, ..plain });
    let variants = [
        Product { transposed: [true, false], ..plain },
        Product { transposed: [false, true], ..plain },
        Product { transposed: [true, true], ..plain },
        Product { signs: [-1, 1], ..plain },
        Product { signs: [1, -1], ..plain },
        Product { a_in_registers: true, ..plain },
        Product { a_in_registers: true, signs: [-1, 1], transposed: [false, true], ..plain },
    ];
    of_factor("bf16").chain(of_factor("f16")).chain(variants).collect()
}

impl Layout {
    /// Returns the leading and the stride dimension offset.
    fn offsets(self, transposed: bool) -> (usize, usize) {
        match (self.row_bytes, transposed) {
            (16, _) => (128, 256),
            (row, false) => (16, 8 * row),
            (row, true) => (16 * row, 8 * row),
        }
    }

    /// Returns the offset of an element in shared memory, from that of the factor. `line` is its row in A or column in B.
    fn place(self, line: usize, depth: usize, transposed: bool) -> usize {
        let Self { row_bytes, part } = self;
        let (leading, stride) = self.offsets(transposed);
        let in_row = row_bytes / 2;
        let plain = match (row_bytes, transposed) {
            (16, false) => line / 8 * stride + depth / 8 * leading + line % 8 * 16 + depth % 8 * 2,
            (16, true) => line / 8 * stride + depth / 8 * leading + depth % 8 * 16 + line % 8 * 2,
            (_, false) => line * row_bytes + 2 * (DEPTH * part + depth),
            (_, true) => line / in_row * leading + depth / 8 * stride + depth % 8 * row_bytes + line % in_row * 2,
        };
        // CUTLASS calls these Swizzle<1, 4, 3>, Swizzle<2, 4, 3> and Swizzle<3, 4, 3>.
        let pattern = (row_bytes / 16 - 1) << 7;
        plain ^ (plain & pattern) >> 3
    }

    /// Returns the descriptor of a factor at an offset in shared memory.
    fn descriptor(self, start: usize, transposed: bool) -> u64 {
        let (leading, stride) = self.offsets(transposed);
        let swizzle = [16, 128, 64, 32].iter().position(|&bytes| bytes == self.row_bytes).unwrap();
        let field = |bytes: usize, shift: usize| (bytes as u64 / 16) << shift;
        field(start + 32 * self.part, 0) | field(leading, 16) | field(stride, 32) | (swizzle as u64) << 62
    }
}

/// A pseudorandom generator with a seed: Knuth's MMIX generator, of which only the high bits are good.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// Numbers of either sign from 2^-6 to 2^6: the bits of A and B by row, and C by thread and register.
pub struct RandomNumbers {
    pub a: Vec<[u16; DEPTH]>,
    pub b: Vec<Vec<u16>>,
    pub c: Vec<f32>,
}

/// The arguments of a kernel: the bytes of shared memory, the words of A by thread, and the two descriptors.
pub struct Arguments {
    pub image: Vec<u8>,
    pub words: Vec<u32>,
    pub descriptors: [u64; 2],
}

impl Product {
    pub fn kernel(&self) -> String {
        let Self { columns, factor, a_in_registers, signs, transposed } = self;
        let flags = [*a_in_registers, signs[0] < 0, signs[1] < 0, transposed[0], transposed[1]];
        format!("n{columns}_{factor}_{}", flags.map(|flag| if flag { "1" } else { "0" }).concat())
    }

    /// Returns random factors and old sums.
    pub fn random(&self) -> RandomNumbers {
        let mut random =
            Random(self.kernel().bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte)));
        let (fraction_bits, bias) = if self.factor == "bf16" { (7, 127) } else { (10, 15) };
        let mut half = || {
            let sign = random.below(2);
            let exponent = bias + random.below(12) - 6;
            (sign << 15 | exponent << fraction_bits | random.below(1 << fraction_bits)) as u16
        };
        let a = (0..ROWS).map(|_| std::array::from_fn(|_| half())).collect();
        let b = (0..DEPTH).map(|_| (0..self.columns).map(|_| half()).collect()).collect();
        let c = (0..ROWS * self.columns).map(|_| (random.below(1 << 20) as f32 - 524_288.0) / 65_536.0).collect();
        RandomNumbers { a, b, c }
    }

    /// Returns the arguments for bits of A, by row, and of B, by row.
    pub fn arguments(&self, layouts: [Layout; 2], a: &[[u16; DEPTH]], b: &[Vec<u16>]) -> Arguments {
        let mut image = vec![0; IMAGE_BYTES];
        let mut put = |place: usize, bits: u16| image[place..place + 2].copy_from_slice(&bits.to_le_bytes());
        for (line, depth) in (0..ROWS).flat_map(|line| (0..DEPTH).map(move |depth| (line, depth))) {
            put(layouts[0].place(line, depth, self.transposed[0]), a[line][depth]);
        }
        for (line, depth) in (0..self.columns).flat_map(|line| (0..DEPTH).map(move |depth| (line, depth))) {
            put(START_OF_B + layouts[1].place(line, depth, self.transposed[1]), b[depth][line]);
        }
        let word = |thread: usize, register: usize| {
            let row = 16 * (thread / 32) + thread % 32 / 4 + 8 * (register % 2);
            let column = 8 * (register / 2) + 2 * (thread % 4);
            u32::from(a[row][column + 1]) << 16 | u32::from(a[row][column])
        };
        Arguments {
            image,
            words: (0..128).flat_map(|thread| (0..4).map(move |register| word(thread, register))).collect(),
            descriptors: [
                layouts[0].descriptor(0, self.transposed[0]),
                layouts[1].descriptor(START_OF_B, self.transposed[1]),
            ],
        }
    }

    /// Returns the row and column of register `register` of D of a thread.
    pub fn place_of_sum(thread: usize, register: usize) -> (usize, usize) {
        let warp = thread / 32;
        let lane = thread % 32;
        (16 * warp + lane / 4 + register / 2 % 2 * 8, register / 4 * 8 + lane % 4 * 2 + register % 2)
    }

    fn write_kernel(&self, text: &mut String) {
        let Self { columns, factor, a_in_registers, signs, transposed } = self;
        let count = columns / 2;
        let names: Vec<String> = (0..count).map(|register| format!("%f{register}")).collect();
        let each = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
        let loads = each(&|register| format!("    ld.global.f32 %f{register}, [%d2+{}];\n", 4 * register));
        let stores = each(&|register| format!("    st.global.f32 [%d2+{}], %f{register};\n", 4 * register));
        let [trans_a, trans_b] = transposed.map(i32::from);
        let (a, trans) = if *a_in_registers {
            ("{%r4, %r5, %r6, %r7}", format!("{trans_b}"))
        } else {
            ("%d3", format!("{trans_a}, {trans_b}"))
        };
        let _ = write!(
            text,
            ".visible .entry {}(.param .u64 image, .param .u64 words, .param .u64 sums, .param .u64 a, .param .u64 b)
{{
    .shared .align 1024 .b8 tile[{IMAGE_BYTES}];
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %d<8>;
    .reg .f32 %f<{count}>;
    ld.param.u64 %d0, [image];
    ld.param.u64 %d1, [words];
    ld.param.u64 %d2, [sums];
    ld.param.u64 %d3, [a];
    ld.param.u64 %d4, [b];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    shr.u32 %r2, %r1, 4;
    cvt.u64.u32 %d5, %r2;
    add.u64 %d3, %d3, %d5;
    add.u64 %d4, %d4, %d5;
    mul.wide.u32 %d5, %r0, 16;
    add.u64 %d0, %d0, %d5;
    add.u64 %d1, %d1, %d5;
    shl.b32 %r2, %r0, 4;
    add.u32 %r1, %r1, %r2;
    mov.u32 %r3, 0;
COPY:
    ld.global.v4.b32 {{%r4, %r5, %r6, %r7}}, [%d0];
    st.shared.v4.b32 [%r1], {{%r4, %r5, %r6, %r7}};
    add.u64 %d0, %d0, 2048;
    add.u32 %r1, %r1, 2048;
    add.u32 %r3, %r3, 2048;
    setp.lt.u32 %p0, %r3, {IMAGE_BYTES};
    @%p0 bra COPY;
    fence.proxy.async;
    bar.sync 0;
    ld.global.v4.b32 {{%r4, %r5, %r6, %r7}}, [%d1];
    mul.wide.u32 %d5, %r0, {};
    add.u64 %d2, %d2, %d5;
{loads}    setp.ne.u32 %p1, %r3, 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{factor}.{factor} {{{}}}, {a}, %d4, %p1, {}, {}, {trans};
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
{stores}    ret;
}}
",
            self.kernel(),
            4 * count,
            names.join(", "),
            signs[0],
            signs[1],
        );
    }
}

/// Returns the PTX of a module with a kernel per product.
pub fn module(products: &[Product]) -> String {
    let mut text = String::from(".version 8.0\n.target sm_90a\n.address_size 64\n");
    products.iter().for_each(|product| product.write_kernel(&mut text));
    text
}
