//! Products with factors of 8-bit floats. ptxas 13.0 converts the factors to halves for an H200: of each register, first the
//! lower two, then the upper two, with a product of half the depth for each.

use super::registers;
use super::writer::{Writer, number};
use crate::ptx::tree::Operand;

/// Returns whether an instruction is such a product.
pub(super) fn is_product(opcode: &str) -> bool {
    opcode.starts_with("mma.") && [".e4m3.", ".e5m2."].iter().any(|name| opcode.contains(name))
}

/// Multiplies factors of `e4m3` or `e5m2`.
pub(super) fn multiply(
    writer: &mut Writer<'_>,
    shape: &str,
    types: &[&str],
    [d, a, b, c]: [&Operand; 4],
) -> Option<()> {
    let (half_shape, of_b) = match shape {
        "m16n8k32" => ("m16n8k16", 2),
        "m16n8k16" => ("m16n8k8", 1),
        _ => return None,
    };
    let [sum @ ("f32" | "f16"), of_type_a @ ("e4m3" | "e5m2"), of_type_b @ ("e4m3" | "e5m2"), old] = types else {
        return None;
    };
    let of_sums = if *sum == "f32" { 4 } else { 2 };
    if sum != old {
        return None;
    }
    let (a, b) = (registers(a, 2 * of_b)?, registers(b, of_b)?);
    let (c, d) = (registers(c, of_sums)?, registers(d, of_sums)?);
    let opcode = format!("mma.sync.aligned.{half_shape}.row.col.{sum}.f16.f16.{sum}");
    // All halves come first, because D may be A or B.
    let pairs = [0, 16].map(|shift| {
        let mut halves = |registers: &[Operand], kind: &str| -> Vec<Operand> {
            registers.iter().map(|register| halves(writer, register, shift, kind)).collect()
        };
        (halves(&a, of_type_a), halves(&b, of_type_b))
    });
    let mut old = c;
    for (a, b) in pairs {
        writer.push(&opcode, [d.clone(), a, b, old].map(Operand::Vector).into());
        old = d.clone();
    }
    Some(())
}

/// Returns a register with two of the four elements of a register as halves.
fn halves(writer: &mut Writer<'_>, register: &Operand, shift: i64, kind: &str) -> Operand {
    let pair = match shift {
        0 => register.clone(),
        _ => writer.narrow("shr.u32", vec![register.clone(), number(shift)]),
    };
    writer.narrow(&format!("cvt.rn.f16x2.{kind}x2"), vec![pair])
}
