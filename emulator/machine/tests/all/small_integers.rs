//! Products of matrices of 4-bit integers and of bits, compared with those of a GPU.

use crate::support::machine::{Machine, Shape, bytes_of};
use crate::support::small_integers::{module, recording};

#[test]
fn products_are_those_of_a_gpu() {
    let recording = recording();
    let machine = Machine::new(&module(&recording));
    let mut wrong = Vec::new();
    for (number, recorded) in recording.iter().enumerate() {
        let operands = machine.upload(&bytes_of(&recorded.operands(), u32::to_le_bytes));
        let sums = machine.allocate(4 * recorded.words.len());
        let arguments = [operands, sums].map(u64::to_le_bytes);
        machine.run(&format!("test{number}"), Shape::threads(32), &arguments.each_ref().map(|bytes| bytes.as_slice()));
        if machine.words(sums, recorded.words.len()) != recorded.words {
            wrong.push(format!("{} of case {}", recorded.instruction, recorded.case));
        }
    }
    assert!(recording.len() >= 50 && wrong.is_empty(), "{} of {}:\n{}", wrong.len(), recording.len(), wrong.join("\n"));
}
