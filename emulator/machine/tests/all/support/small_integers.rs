//! Products of matrices of 4-bit integers and of bits: kernels, operands, and the results of a GPU in
//! `hardware/small_integers.txt`.

use std::fmt::Write as _;

/// The words of the operands of a kernel.
const WORDS: usize = 4096;

/// A product on a GPU.
pub struct Recorded {
    /// The opcode, and the layout of C and D behind that of a `wmma`.
    pub instruction: String,
    /// The choice of [`operands`].
    pub case: u32,
    /// The words of D: by lane, or by row.
    pub words: Vec<u32>,
}

impl Recorded {
    fn is_wmma(&self) -> bool {
        self.instruction.starts_with("wmma")
    }

    /// Returns the words of A, B and C: any bits, and sums that are small, or close to the ends of their range.
    pub fn operands(&self) -> Vec<u32> {
        let mut state = u64::from(self.case) * 77 + 5;
        let mut words: Vec<u32> = (0..WORDS).map(|_| splitmix(&mut state)).collect();
        for (place, word) in words.iter_mut().enumerate() {
            let is_sum = if self.is_wmma() { place >= 256 } else { place < 32 * 12 && place % 12 >= 8 };
            *word = match self.case {
                _ if !is_sum => *word,
                0 => *word & 255,
                1 => 0x7FFF_FFFF - (*word & 1023),
                _ => 0x8000_0000 + (*word & 1023),
            };
        }
        words
    }

    /// Returns the instructions of a kernel of one warp.
    fn body(&self) -> String {
        let (opcode, layout) = self.instruction.split_once(' ').unwrap_or((&self.instruction, ""));
        let parts: Vec<&str> = opcode.split('.').collect();
        let shape = parts.iter().find(|part| part.contains("n8k")).unwrap();
        let depth: usize = shape.rsplit_once('k').unwrap().1.parse().unwrap();
        let factor = parts.iter().find(|part| ["s4", "u4", "b1"].contains(part)).unwrap();
        if self.is_wmma() {
            return format!(
                "wmma.load.a.sync.aligned.row.{shape}.global.{factor} {{%a0}}, [%x], {};
    wmma.load.b.sync.aligned.col.{shape}.global.{factor} {{%b0}}, [%x+512], {depth};
    wmma.load.c.sync.aligned.{layout}.{shape}.global.s32 {{%c0, %c1}}, [%x+1024], 12;
    {opcode} {{%d0, %d1}}, {{%a0}}, {{%b0}}, {{%c0, %c1}};
    wmma.store.d.sync.aligned.{layout}.{shape}.global.s32 [%y], {{%d0, %d1}}, 8;",
                2 * depth
            );
        }
        let of_b = depth * if *factor == "b1" { 1 } else { 4 } / 128;
        let (of_a, sums) = if shape.starts_with("m8") { (of_b, 2) } else { (2 * of_b, 4) };
        let vector = |name: &str, count: usize| {
            let names: Vec<String> = (0..count).map(|number| format!("%{name}{number}")).collect();
            format!("{{{}}}", names.join(", "))
        };
        let [a, b, c, d] =
            [("a", of_a), ("b", of_b), ("c", sums), ("d", sums)].map(|(name, count)| vector(name, count));
        format!(
            "mov.u32 %i, %tid.x;
    mad.wide.u32 %x, %i, 48, %x;
    mad.wide.u32 %y, %i, {}, %y;
    ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%x];
    ld.global.v2.b32 {{%b0, %b1}}, [%x+16];
    ld.global.v4.b32 {{%c0, %c1, %c2, %c3}}, [%x+32];
    {opcode} {d}, {a}, {b}, {c};
    st.global.v{sums}.b32 [%y], {d};",
            4 * sums
        )
    }
}

/// Returns a pseudorandom word: the upper half of what the generator SplitMix64 returns.
pub fn splitmix(state: &mut u64) -> u32 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ mixed >> 31) >> 32) as u32
}

/// Returns the results of a GPU.
pub fn recording() -> Vec<Recorded> {
    let text = std::fs::read_to_string(super::folder("hardware").join("small_integers.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let recorded = |line: &str| {
        let (name, words) = line.split_once(": ").unwrap();
        let (instruction, case) = name.rsplit_once(' ').unwrap();
        let words = words.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
        Recorded { instruction: instruction.to_owned(), case: case.parse().unwrap(), words }
    };
    lines.map(recorded).collect()
}

/// Returns the PTX of a module with the kernels `test0`, `test1` and so on. The arguments are the addresses of the operands and of D.
pub fn module(recording: &[Recorded]) -> String {
    let mut text = String::from(".version 8.1\n.target sm_90\n.address_size 64\n");
    for (number, recorded) in recording.iter().enumerate() {
        write!(
            text,
            ".visible .entry test{number}(.param .u64 operands, .param .u64 sums)
{{
    .reg .b32 %a<4>, %b<2>, %c<4>, %d<4>, %i;
    .reg .b64 %x, %y;
    ld.param.u64 %x, [operands];
    ld.param.u64 %y, [sums];
    {}
    ret;
}}
",
            recorded.body()
        )
        .unwrap();
    }
    text
}
