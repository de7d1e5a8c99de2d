//! Compiled fixtures: iteration over the compilations of a source, and arguments and results of its kernels.

use super::machine::{Machine, Shape, bytes_of};
use emulator::{Counters, Dim3};

/// Runs `check` on every compilation of a source, with the processor's vector instructions and with the baseline.
pub fn for_each_compilation(source: &str, check: impl Fn(&Machine, &str)) {
    let prefix = format!("{source}.");
    let files = super::fixtures();
    let compilations: Vec<_> = files.iter().filter(|(name, _)| name.starts_with(&prefix)).collect();
    assert_eq!(compilations.len(), 5, "compilations of {source}.cu");
    for (name, text) in compilations {
        let machine = || Machine::load(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(&machine(), name);
        check(&machine().baseline(), name);
    }
}

/// An argument of a kernel: a pointer, a number, or the bytes of a structure.
pub trait Argument {
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Argument for $number {
            fn bytes(&self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}

numbers! { u64 i32 f32 }

impl Argument for Vec<u8> {
    fn bytes(&self) -> Vec<u8> {
        self.clone()
    }
}

/// Launches a kernel, which must succeed.
pub fn run(machine: &Machine, kernel: &str, shape: Shape, arguments: &[&dyn Argument]) -> Counters {
    let bytes: Vec<Vec<u8>> = arguments.iter().map(|argument| argument.bytes()).collect();
    machine.run(kernel, shape, &bytes.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Returns a two-dimensional grid and block.
pub fn plane(grid: (u32, u32), block: (u32, u32)) -> Shape {
    Shape { grid: Dim3 { x: grid.0, y: grid.1, z: 1 }, block: Dim3 { x: block.0, y: block.1, z: 1 }, shared: 0 }
}

/// Uploads integers and returns their address.
pub fn ints(machine: &Machine, values: &[i32]) -> u64 {
    machine.upload(&bytes_of(values, i32::to_le_bytes))
}

pub fn floats(machine: &Machine, values: &[f32]) -> u64 {
    machine.upload(&bytes_of(values, f32::to_le_bytes))
}

pub fn doubles(machine: &Machine, values: &[f64]) -> u64 {
    machine.upload(&bytes_of(values, f64::to_le_bytes))
}

pub fn read_ints(machine: &Machine, address: u64, count: usize) -> Vec<i32> {
    machine.words(address, count).into_iter().map(|word| word as i32).collect()
}

pub fn read_longs(machine: &Machine, address: u64, count: usize) -> Vec<i64> {
    let bytes = machine.download(address, 8 * count);
    bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap())).collect()
}

pub fn read_doubles(machine: &Machine, address: u64, count: usize) -> Vec<f64> {
    read_longs(machine, address, count).into_iter().map(|bits| f64::from_bits(bits as u64)).collect()
}

/// Asserts an error of at most `tolerance`, which is relative for results above 1.
pub fn assert_near(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (index, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let good = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(good, "{name}: [{index}] is {found:e}, not {expected:e}");
    }
}

pub fn widen(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}
