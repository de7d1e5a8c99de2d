//! Matrix products of doubles: a module with a kernel for each shape.

use std::fmt::Write as _;

/// A shape in the opcode, and the registers of A, of B and of C or D per lane.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub name: &'static str,
    pub a: usize,
    pub b: usize,
    pub c: usize,
}

/// All shapes.
pub const SHAPES: [Shape; 4] = [
    Shape { name: "m8n8k4", a: 1, b: 1, c: 2 },
    Shape { name: "m16n8k4", a: 2, b: 1, c: 4 },
    Shape { name: "m16n8k8", a: 4, b: 2, c: 4 },
    Shape { name: "m16n8k16", a: 8, b: 4, c: 4 },
];

impl Shape {
    /// Returns the number of registers of the operands of a lane.
    pub fn words(&self) -> usize {
        self.a + self.b + self.c
    }

    fn write_kernel(&self, text: &mut String) {
        let registers = |from: usize, count: usize| {
            (from..from + count).map(|number| format!("%d{number}")).collect::<Vec<_>>().join(", ")
        };
        let name = self.name;
        let words = self.words();
        let sums = registers(16, self.c);
        let _ = writeln!(text, ".visible .entry {name}(.param .u64 operands, .param .u64 sums)\n{{");
        let _ = writeln!(
            text,
            "    .reg .b32 %r<1>;\n    .reg .f64 %d<20>;\n    .reg .b64 %p<3>;\n    mov.u32 %r0, %tid.x;"
        );
        let _ = writeln!(text, "    ld.param.u64 %p0, [operands];\n    ld.param.u64 %p1, [sums];");
        let _ = writeln!(
            text,
            "    mad.wide.u32 %p0, %r0, {}, %p0;\n    mad.wide.u32 %p1, %r0, {}, %p1;",
            8 * words,
            8 * self.c
        );
        for word in 0..words {
            let _ = writeln!(text, "    ld.global.f64 %d{word}, [%p0+{}];", 8 * word);
        }
        let a = registers(0, self.a);
        let b = registers(self.a, self.b);
        let c = registers(self.a + self.b, self.c);
        let _ = writeln!(
            text,
            "    mma.sync.aligned.{name}.row.col.f64.f64.f64.f64 {{{sums}}}, {{{a}}}, {{{b}}}, {{{c}}};"
        );
        for sum in 0..self.c {
            let _ = writeln!(text, "    st.global.f64 [%p1+{}], %d{};", 8 * sum, 16 + sum);
        }
        text.push_str("    ret;\n}\n");
    }
}

/// Returns the module. Each kernel multiplies the operands of one fragment.
pub fn module() -> String {
    let mut text = String::from(".version 8.1\n.target sm_90\n.address_size 64\n");
    SHAPES.iter().for_each(|shape| shape.write_kernel(&mut text));
    text
}
