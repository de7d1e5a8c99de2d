//! Warp matrix instructions: `D = A B + C` for all layouts, memories and types, and the requests that they make.

use crate::support::machine::{Machine, Shape};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A product of matrices in one memory.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// The rows and columns of D, and the columns of A.
    shape: [usize; 3],
    /// Whether A, B, and C with D, lie by rows.
    by_rows: [bool; 3],
    space: &'static str,
    /// The types of A, of B, and of C with D.
    types: [&'static str; 3],
}

/// The first shape, for which all combinations of layouts are tested with floats of 16 bits.
const SQUARE: [usize; 3] = [16, 16, 16];

fn cases() -> Vec<Case> {
    let halves = [["f16", "f16", "f32"], ["f16", "f16", "f16"], ["bf16", "bf16", "f32"]];
    let bytes = [["s8", "s8", "s32"], ["u8", "u8", "s32"]];
    let layouts = (0..8).map(|bits| [bits & 1 == 0, bits & 2 == 0, bits & 4 == 0]);
    let both = [[true, false, true], [false, true, false]];
    let of = |shape, by_rows, types| ["", ".global", ".shared"].map(|space| Case { shape, by_rows, space, types });
    let mut cases: Vec<Case> =
        layouts.flat_map(|by_rows| halves.map(|types| of(SQUARE, by_rows, types))).flatten().collect();
    let oblong = [[32, 8, 16], [8, 32, 16]]
        .into_iter()
        .flat_map(|shape| halves.iter().chain(&bytes[..1]).map(move |types| (shape, *types)));
    let others = [
        (SQUARE, bytes[0]),
        (SQUARE, bytes[1]),
        ([16, 16, 8], ["tf32", "tf32", "f32"]),
        ([8, 8, 4], ["f64", "f64", "f64"]),
    ];
    for (shape, types) in others.into_iter().chain(oblong) {
        cases.extend(both.into_iter().flat_map(|by_rows| of(shape, by_rows, types)));
    }
    cases
}

fn element_bytes(element: &str) -> usize {
    match element {
        "s8" | "u8" => 1,
        "f16" | "bf16" => 2,
        "f64" => 8,
        _ => 4,
    }
}

fn vector(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("%{name}{number}")).collect();
    format!("{{{}}}", names.join(", "))
}

impl Case {
    fn name(&self) -> String {
        let layout: String = self.by_rows.iter().map(|by_rows| if *by_rows { 'r' } else { 'c' }).collect();
        let space = self.space.strip_prefix('.').unwrap_or("generic");
        let shape = if self.shape == SQUARE { String::new() } else { format!("_{}", self.shape_name()) };
        format!("{layout}_{space}_{}_{}{shape}", self.types[0], self.types[2])
    }

    fn shape_name(&self) -> String {
        let [rows, columns, depth] = self.shape;
        format!("m{rows}n{columns}k{depth}")
    }

    /// Returns the elements from one row (or column) to the next, of which the instructions demand a multiple of 16 bytes.
    fn stride(&self) -> usize {
        if self.shape == SQUARE && element_bytes(self.types[0]) == 2 { 24 } else { 48 }
    }

    /// Returns the rows and columns of a matrix.
    fn extents(&self, matrix: usize) -> (usize, usize) {
        let [rows, columns, depth] = self.shape;
        [(rows, depth), (depth, columns), (rows, columns)][matrix]
    }

    fn matrix_bytes(&self, matrix: usize) -> usize {
        let (rows, columns) = self.extents(matrix);
        let lines = if self.by_rows[matrix] { rows } else { columns };
        lines * self.stride() * element_bytes(self.types[matrix])
    }

    /// Returns the registers of each lane: the elements of 32 lanes, in words. Factors of `f16` always have eight.
    fn registers(&self, matrix: usize) -> usize {
        let (rows, columns) = self.extents(matrix);
        match self.types[matrix] {
            "f16" if matrix < 2 => 8,
            "f64" => rows * columns / 32,
            element => rows * columns * element_bytes(element) / (32 * 4),
        }
    }

    /// Returns the instructions by which a warp copies a matrix between global memory and its place in shared memory.
    fn copy(&self, matrix: usize, into_shared: bool) -> String {
        let start: usize = (0..matrix).map(|before| self.matrix_bytes(before)).sum();
        let words = (0..self.matrix_bytes(matrix)).step_by(4 * 32);
        let copies = words.map(|word| {
            let global = format!("[%l{matrix}+{word}]");
            let shared = format!("[%tile+{}]", start + word);
            if into_shared {
                format!("ld.global.b32 %x, {global};\nst.shared.b32 {shared}, %x;\n")
            } else {
                format!("ld.shared.b32 %x, {shared};\nst.global.b32 {global}, %x;\n")
            }
        });
        copies.collect()
    }

    /// Returns a kernel of one warp, which works on copies if the matrices are to be in shared memory.
    fn kernel(&self) -> String {
        let is_shared = self.space == ".shared";
        let [layout_a, layout_b, layout_c] = self.by_rows.map(|by_rows| if by_rows { "row" } else { "col" });
        let [factor, _, sum] = self.types;
        let file = if factor == "f64" { 'd' } else { 'r' };
        let [a, b, c] =
            [0, 1, 2].map(|matrix| vector(&format!("{file}{}", ["a", "b", "c"][matrix]), self.registers(matrix)));
        let product = if factor == "f16" { format!("{sum}.{sum}") } else { format!("{sum}.{factor}.{factor}.{sum}") };
        let starts = [0, self.matrix_bytes(0), self.matrix_bytes(0) + self.matrix_bytes(1)];
        let place =
            |matrix: usize| if is_shared { format!("[tiles+{}]", starts[matrix]) } else { format!("[%g{matrix}]") };
        let copies_in: String = (0..3).filter(|_| is_shared).map(|matrix| self.copy(matrix, true)).collect();
        let copy_out = if is_shared { self.copy(2, false) } else { String::new() };
        let space = self.space;
        let shape = self.shape_name();
        let stride = self.stride();
        format!(
            ".visible .entry {}(.param .u64 a, .param .u64 b, .param .u64 c)
{{
.shared .align 32 .b8 tiles[{}];
.reg .b32 %ra<8>, %rb<8>, %rc<8>, %t, %x, %stride;
.reg .b64 %da<2>, %db<2>, %dc<2>, %g<3>, %l<3>, %o, %tile;
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
mov.u32 %stride, {stride};
wmma.load.a.sync.aligned.{layout_a}.{shape}{space}.{factor} {a}, {}, %stride;
wmma.load.b.sync.aligned.{layout_b}.{shape}{space}.{factor} {b}, {}, {stride};
wmma.load.c.sync.aligned.{layout_c}.{shape}{space}.{sum} {c}, {}, %stride;
wmma.mma.sync.aligned.{layout_a}.{layout_b}.{shape}.{product} {c}, {a}, {b}, {c};
wmma.store.d.sync.aligned.{layout_c}.{shape}{space}.{sum} {}, {c}, %stride;
bar.sync 0;
{copy_out}ret;
}}
",
            self.name(),
            (0..3).map(|matrix| self.matrix_bytes(matrix)).sum::<usize>(),
            place(0),
            place(1),
            place(2),
            place(2),
        )
    }

    /// Returns the bytes of a matrix whose element in a row and a column is a small integer. What is between the rows is -1.
    fn bytes(&self, matrix: usize, element: impl Fn(usize, usize) -> i32) -> Vec<u8> {
        let kind = self.types[matrix];
        let mut values = vec![-1; self.matrix_bytes(matrix) / element_bytes(kind)];
        let (rows, columns) = self.extents(matrix);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let place = if self.by_rows[matrix] { row * self.stride() + column } else { column * self.stride() + row };
            values[place] = element(row, column);
        }
        values.into_iter().flat_map(|value| encoded(kind, value)).collect()
    }

    /// Returns an element of A, B or C. Bytes without a sign are not negative.
    fn element(&self, matrix: usize, row: usize, column: usize) -> i32 {
        let value = match matrix {
            0 => (row * 5 + column * 3) as i32 % 7 - 3,
            1 => (row * 2 + column * 7) as i32 % 9 - 4,
            _ => (row + 16 * column) as i32 % 11,
        };
        if self.types[matrix] == "u8" { value.abs() } else { value }
    }

    fn operands(&self) -> [Vec<u8>; 3] {
        [0, 1, 2].map(|matrix| self.bytes(matrix, |row, column| self.element(matrix, row, column)))
    }

    fn product(&self) -> Vec<u8> {
        self.bytes(2, |row, column| {
            let term = |term| self.element(0, row, term) * self.element(1, term, column);
            self.element(2, row, column) + (0..self.shape[2]).map(term).sum::<i32>()
        })
    }
}

/// Returns a small integer as a number of a type.
fn encoded(element: &str, value: i32) -> Vec<u8> {
    let single = (value as f32).to_bits();
    let half = match value {
        0 => 0,
        _ => single >> 16 & 0x8000 | ((single >> 13 & 0x3FFFF) - (112 << 10)) & 0x7FFF,
    };
    match element {
        "s8" | "u8" => vec![value as u8],
        "s32" => value.to_le_bytes().to_vec(),
        "f64" => f64::from(value).to_le_bytes().to_vec(),
        "f32" | "tf32" => single.to_le_bytes().to_vec(),
        "bf16" => single.to_le_bytes()[2..].to_vec(),
        _ => half.to_le_bytes()[..2].to_vec(),
    }
}

fn module() -> String {
    let kernels: String = cases().iter().map(Case::kernel).collect();
    format!(".version 8.1\n.target sm_80\n.address_size 64\n{kernels}")
}

#[test]
fn products_are_right_in_each_layout_memory_and_type() {
    let machine = Machine::new(&module());
    for case in cases() {
        let [a, b, c] = case.operands().map(|bytes| machine.upload(&bytes));
        machine.run(&case.name(), Shape::threads(32), &[&a.to_le_bytes(), &b.to_le_bytes(), &c.to_le_bytes()]);
        assert_eq!(machine.download(c, case.matrix_bytes(2)), case.product(), "{}", case.name());
    }
}

/// The readings of Nsight Compute for the kernels of this test, `hardware/wmma.json`.
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
        let [a, b, c] = case.operands().map(|bytes| machine.upload(&bytes));
        let arguments: [&[u8]; 3] = [&a.to_le_bytes(), &b.to_le_bytes(), &c.to_le_bytes()];
        let counted = serde_json::to_value(machine.run(&case.name(), Shape::threads(32), &arguments)).unwrap();
        let counted: Vec<u64> = counters.iter().map(|name| counted[name].as_u64().unwrap()).collect();
        assert_eq!(counted, readings[&case.name()], "{}: {counters:?}", case.name());
    }
}
