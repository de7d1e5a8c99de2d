//! Warp matrix instructions: `D = A B + C` for all layouts, memories and types, and the requests that they make.

use crate::support::machine::{Machine, Shape};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The rows and the columns of each matrix.
const SIDE: usize = 16;
/// The elements from one row (or column) to the next. The instructions demand a multiple of 8.
const STRIDE: usize = 24;

/// A product of matrices in one memory.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// Whether A, B, and C with D, lie by rows.
    by_rows: [bool; 3],
    space: &'static str,
    /// The types of A, of B, and of C with D.
    types: [&'static str; 3],
}

fn cases() -> Vec<Case> {
    let types = [["f16", "f16", "f32"], ["f16", "f16", "f16"], ["bf16", "bf16", "f32"]];
    let layouts = (0..8).map(|bits| [bits & 1 == 0, bits & 2 == 0, bits & 4 == 0]);
    let of = |by_rows| {
        let spaces = ["", ".global", ".shared"].into_iter();
        spaces.flat_map(move |space| types.map(|types| Case { by_rows, space, types }))
    };
    layouts.flat_map(of).collect()
}

fn element_bytes(element: &str) -> usize {
    if element == "f32" { 4 } else { 2 }
}

fn vector(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("%{name}{number}")).collect();
    format!("{{{}}}", names.join(", "))
}

impl Case {
    fn name(&self) -> String {
        let layout: String = self.by_rows.iter().map(|by_rows| if *by_rows { 'r' } else { 'c' }).collect();
        let space = self.space.strip_prefix('.').unwrap_or("generic");
        format!("{layout}_{space}_{}_{}", self.types[0], self.types[2])
    }

    fn matrix_bytes(&self, matrix: usize) -> usize {
        SIDE * STRIDE * element_bytes(self.types[matrix])
    }

    /// Returns the instructions by which a warp copies a matrix between global memory and its place in shared memory.
    fn copy(&self, matrix: usize, into_shared: bool) -> String {
        let start: usize = (0..matrix).map(|before| self.matrix_bytes(before)).sum();
        let words = (0..self.matrix_bytes(matrix)).step_by(4 * 32);
        let copies = words.map(|word| {
            let (global, shared) = (format!("[%l{matrix}+{word}]"), format!("[%tile+{}]", start + word));
            match into_shared {
                true => format!("ld.global.b32 %x, {global};\nst.shared.b32 {shared}, %x;\n"),
                false => format!("ld.shared.b32 %x, {shared};\nst.global.b32 {global}, %x;\n"),
            }
        });
        copies.collect()
    }

    /// Returns a kernel of one warp, which works on copies if the matrices are to be in shared memory.
    fn kernel(&self) -> String {
        let is_shared = self.space == ".shared";
        let [layout_a, layout_b, layout_c] = self.by_rows.map(|by_rows| if by_rows { "row" } else { "col" });
        let [factor, _, sum] = self.types;
        let factors = if factor == "f16" { 8 } else { 4 };
        let sums = if sum == "f32" { 8 } else { 4 };
        let [a, b, c] = [vector("a", factors), vector("b", factors), vector("c", sums)];
        let product = if factor == "f16" { format!("{sum}.{sum}") } else { "f32.bf16.bf16.f32".to_owned() };
        let starts = [0, self.matrix_bytes(0), self.matrix_bytes(0) + self.matrix_bytes(1)];
        let place = |matrix: usize| match is_shared {
            true => format!("[tiles+{}]", starts[matrix]),
            false => format!("[%g{matrix}]"),
        };
        let copies_in: String = (0..3).filter(|_| is_shared).map(|matrix| self.copy(matrix, true)).collect();
        let copy_out = if is_shared { self.copy(2, false) } else { String::new() };
        let space = self.space;
        format!(
            ".visible .entry {}(.param .u64 a, .param .u64 b, .param .u64 c)
{{
.shared .align 32 .b8 tiles[{}];
.reg .b32 %a<8>, %b<8>, %c<8>, %t, %x, %stride;
.reg .b64 %g<3>, %l<3>, %o, %tile;
ld.param.u64 %g0, [a];
ld.param.u64 %g1, [b];
ld.param.u64 %g2, [c];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.u64 %l0, %g0, %o;
add.u64 %l1, %g1, %o;
add.u64 %l2, %g2, %o;
mov.u64 %tile, tiles;
add.u64 %tile, %tile, %o;
{copies_in}bar.sync 0;
mov.u32 %stride, {STRIDE};
wmma.load.a.sync.aligned.{layout_a}.m16n16k16{space}.{factor} {a}, {}, %stride;
wmma.load.b.sync.aligned.{layout_b}.m16n16k16{space}.{factor} {b}, {}, {STRIDE};
wmma.load.c.sync.aligned.{layout_c}.m16n16k16{space}.{sum} {c}, {}, %stride;
wmma.mma.sync.aligned.{layout_a}.{layout_b}.m16n16k16.{product} {c}, {a}, {b}, {c};
wmma.store.d.sync.aligned.{layout_c}.m16n16k16{space}.{sum} {}, {c}, %stride;
bar.sync 0;
{copy_out}ret;
}}
",
            self.name(),
            SIDE * STRIDE * 8,
            place(0),
            place(1),
            place(2),
            place(2),
        )
    }

    /// Returns the bytes of a matrix whose element in a row and a column is a small integer. What is between the rows is -1.
    fn bytes(&self, matrix: usize, element: impl Fn(usize, usize) -> i32) -> Vec<u8> {
        let mut values = vec![-1; SIDE * STRIDE];
        for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
            values[self.place(matrix, row, column)] = element(row, column);
        }
        values.into_iter().flat_map(|value| encoded(self.types[matrix], value)).collect()
    }

    fn place(&self, matrix: usize, row: usize, column: usize) -> usize {
        if self.by_rows[matrix] { row * STRIDE + column } else { column * STRIDE + row }
    }
}

/// Returns a small integer as a floating-point number.
fn encoded(element: &str, value: i32) -> Vec<u8> {
    let single = (value as f32).to_bits();
    let half = match value {
        0 => 0,
        _ => single >> 16 & 0x8000 | ((single >> 13 & 0x3FFFF) - (112 << 10)) & 0x7FFF,
    };
    match element {
        "f32" => single.to_le_bytes().to_vec(),
        "bf16" => single.to_le_bytes()[2..].to_vec(),
        _ => half.to_le_bytes()[..2].to_vec(),
    }
}

fn module() -> String {
    let kernels: String = cases().iter().map(Case::kernel).collect();
    format!(".version 8.1\n.target sm_80\n.address_size 64\n{kernels}")
}

fn of_a(row: usize, column: usize) -> i32 {
    (row * 5 + column * 3) as i32 % 7 - 3
}

fn of_b(row: usize, column: usize) -> i32 {
    (row * 2 + column * 7) as i32 % 9 - 4
}

fn of_c(row: usize, column: usize) -> i32 {
    (row + 16 * column) as i32 % 11
}

fn of_d(row: usize, column: usize) -> i32 {
    of_c(row, column) + (0..SIDE).map(|term| of_a(row, term) * of_b(term, column)).sum::<i32>()
}

#[test]
fn products_are_right_in_each_layout_memory_and_type() {
    let machine = Machine::new(&module());
    for case in cases() {
        let [a, b, c] =
            [case.bytes(0, of_a), case.bytes(1, of_b), case.bytes(2, of_c)].map(|bytes| machine.upload(&bytes));
        machine.run(&case.name(), Shape::threads(32), &[&a.to_le_bytes(), &b.to_le_bytes(), &c.to_le_bytes()]);
        assert_eq!(machine.download(c, case.matrix_bytes(2)), case.bytes(2, of_d), "{}", case.name());
    }
}

/// What Nsight Compute read for the kernels of this test, `hardware/wmma.json`.
#[derive(Deserialize)]
struct Recording {
    counters: Vec<String>,
    /// The counts by the name of the kernel, in the order of the counters.
    readings: BTreeMap<String, Vec<u64>>,
}

#[test]
fn requests_and_wavefronts_match_nsight_compute() {
    let text = std::fs::read_to_string(crate::support::folder("hardware/wmma.json")).unwrap();
    let Recording { counters, readings } = serde_json::from_str(&text).unwrap();
    assert_eq!(readings.len(), cases().len());
    let machine = Machine::new(&module());
    for case in cases() {
        let [a, b, c] =
            [case.bytes(0, of_a), case.bytes(1, of_b), case.bytes(2, of_c)].map(|bytes| machine.upload(&bytes));
        let arguments: [&[u8]; 3] = [&a.to_le_bytes(), &b.to_le_bytes(), &c.to_le_bytes()];
        let counted = serde_json::to_value(machine.run(&case.name(), Shape::threads(32), &arguments)).unwrap();
        let counted: Vec<u64> = counters.iter().map(|name| counted[name].as_u64().unwrap()).collect();
        assert_eq!(counted, readings[&case.name()], "{}: {counters:?}", case.name());
    }
}
