//! Every data type with every reduction, compared with a calculation in the order of ranks.

use crate::support::raw::{Buffers, Raw, SUCCESS};
use crate::support::{Rank, ranks};
use cudarc::driver::DevicePtr;
use std::ffi::c_int;

/// A data type whose values are given as f64: small numbers that every type represents exactly.
struct Type {
    /// The number of the type.
    datatype: c_int,
    bytes: usize,
    encode: fn(f64) -> u64,
    /// Rounds a result.
    round: fn(f64) -> f64,
}

/// Returns the nearest number with `digits` significant bits, ties to even. Ignores the range of exponents.
fn nearest(value: f64, digits: i32) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let unit = 2_f64.powi(value.abs().log2().floor() as i32 + 1 - digits);
    (value / unit).round_ties_even() * unit
}

/// Returns the bits of a normal number that a small format represents exactly.
fn small(value: f64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    if value == 0.0 {
        return 0;
    }
    let exponent = value.abs().log2().floor() as i32;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let fraction = (value.abs() / 2_f64.powi(exponent) - 1.0) * f64::from(1 << fraction_bits);
    let sign = u64::from(value < 0.0) << (exponent_bits + fraction_bits);
    sign | ((exponent + bias) as u64) << fraction_bits | fraction as u64
}

const TYPES: [Type; 10] = [
    Type { datatype: 0, bytes: 1, encode: |v| v as i8 as u8 as u64, round: f64::trunc },
    Type { datatype: 1, bytes: 1, encode: |v| v as u8 as u64, round: f64::trunc },
    Type { datatype: 2, bytes: 4, encode: |v| v as i32 as u32 as u64, round: f64::trunc },
    Type { datatype: 3, bytes: 4, encode: |v| v as u32 as u64, round: f64::trunc },
    Type { datatype: 4, bytes: 8, encode: |v| v as i64 as u64, round: f64::trunc },
    Type { datatype: 5, bytes: 8, encode: |v| v as u64, round: f64::trunc },
    Type { datatype: 6, bytes: 2, encode: |v| small(v, 5, 10), round: |v| nearest(v, 11) },
    Type { datatype: 7, bytes: 4, encode: |v| (v as f32).to_bits().into(), round: |v| nearest(v, 24) },
    Type { datatype: 8, bytes: 8, encode: f64::to_bits, round: |v| v },
    Type { datatype: 9, bytes: 2, encode: |v| small(v, 8, 7), round: |v| nearest(v, 8) },
];

impl Type {
    fn is_unsigned(&self) -> bool {
        matches!(self.datatype, 1 | 3 | 5)
    }

    /// Returns a number that depends on rank and index: ±1, ±2 or ±3.
    fn value(&self, rank: usize, index: usize) -> f64 {
        let value: f64 = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0][(3 * rank + 5 * index + index / 6) % 6];
        if self.is_unsigned() { value.abs() } else { value }
    }

    fn buffer(&self, values: impl Iterator<Item = f64>) -> Vec<u8> {
        values.flat_map(|value| (self.encode)(value).to_le_bytes().into_iter().take(self.bytes)).collect()
    }

    /// Returns the values of all ranks, combined in the order of ranks and rounded each time.
    fn combine(&self, op: c_int, world: usize, index: usize) -> f64 {
        let value = |rank| self.value(rank, index);
        let combine = |left: f64, right: f64| match op {
            PROD => (self.round)(left * right),
            MAX => left.max(right),
            MIN => left.min(right),
            _ => (self.round)(left + right),
        };
        let all = (1..world).fold(value(0), |all, rank| combine(all, value(rank)));
        if op == AVG { (self.round)(all / world as f64) } else { all }
    }
}

const PROD: c_int = 1;
const MAX: c_int = 2;
const MIN: c_int = 3;
const AVG: c_int = 4;

const COUNT: usize = 50;

/// All-reduces values of a type.
fn check(comm: &Raw, own: &Rank, of: &Type, reduction: c_int) {
    let rank = own.rank;
    let world = own.world;
    let stream = &own.stream;
    let send = stream.clone_htod(&of.buffer((0..COUNT).map(|index| of.value(rank, index)))).unwrap();
    let receive = stream.alloc_zeros::<u8>(COUNT * of.bytes).unwrap();
    let from = send.device_ptr(stream).0;
    let to = receive.device_ptr(stream).0;
    let buffers = Buffers { send: from, receive: to, count: COUNT, datatype: of.datatype };
    assert_eq!(comm.numbered("ncclAllReduce", buffers, reduction), SUCCESS);
    let expected = of.buffer((0..COUNT).map(|index| of.combine(reduction, world, index)));
    assert_eq!(stream.clone_dtoh(&receive).unwrap(), expected, "type {} reduction {reduction} of {world}", of.datatype);
}

#[test]
fn every_type_with_every_reduction() {
    ranks("types::every_type_with_every_reduction", &[1, 2, 3, 4], |own| {
        let comm = Raw::new(own);
        for of in &TYPES {
            (0..=AVG).for_each(|reduction| check(&comm, own, of, reduction));
        }
    });
}
