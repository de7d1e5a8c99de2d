//! The work that a launch gives to each unit, from instruction counts.

use super::unit::Unit;
use emulator::Counters;
use std::collections::BTreeMap;

/// One number per unit: work (warp instructions, bytes or blocks), rates (work per second) or shares of a rate.
pub type PerUnit = BTreeMap<Unit, f64>;

/// Machine opcodes by the unit that executes them. Any other opcode only takes an issue slot.
const OPCODES: [(Unit, &[&str]); 5] = [
    (Unit::Fp32, &["FADD", "FMUL", "FFMA"]),
    (Unit::Special, &["MUFU", "F2I", "I2F", "F2F", "FRND"]),
    (Unit::Tensor, &["HMMA"]),
    (Unit::Warpgroup, &["HGMMA"]),
    (
        Unit::LoadStore,
        &["LDG", "STG", "LDS", "STS", "LDSM", "STSM", "LDL", "STL", "ATOMG", "ATOMS", "REDG", "SHFL", "LDGSTS"],
    ),
];

/// The bytes of a wavefront: a word of 4 bytes from each of 32 banks.
pub(super) const WAVEFRONT: f64 = 128.0;

/// Returns the work in machine instructions, counted by opcode. Those of a warpgroup have products of different sizes, so their
/// number is not yet their work.
pub fn opcode_demand(opcodes: &BTreeMap<String, u64>) -> PerUnit {
    let sum = |names: &[&str]| names.iter().filter_map(|name| opcodes.get(*name)).sum::<u64>() as f64;
    let mut work: PerUnit = OPCODES.into_iter().map(|(unit, names)| (unit, sum(names))).collect();
    work.insert(Unit::Issue, opcodes.values().sum::<u64>() as f64);
    work
}

/// Returns the work in PTX instructions, counted by the emulator. Exchanges contain votes, which need no load/store unit and are
/// few. A wavefront takes all banks, however many of its bytes are read.
pub fn counter_demand(counters: &Counters) -> PerUnit {
    let classes = &counters.classes;
    let wavefronts =
        counters.shared_load_wavefronts + counters.shared_store_wavefronts + counters.shared_atomic_wavefronts;
    // No kernel of the course has products of both.
    let of_warps = if counters.warpgroup_operations == 0 { classes.matrix } else { 0 };
    PerUnit::from([
        (Unit::Issue, counters.warp_instructions as f64),
        (Unit::Fp32, classes.float as f64),
        (Unit::Special, classes.special as f64),
        (Unit::Tensor, of_warps as f64),
        (Unit::Warpgroup, counters.warpgroup_operations as f64),
        (Unit::LoadStore, (classes.memory + classes.exchange) as f64),
        (Unit::Shared, wavefronts as f64 * WAVEFRONT),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_go_to_their_units_and_all_take_issue_slots() {
        let counts = [("FFMA", 10), ("FADD", 4), ("MUFU", 2), ("UIADD3", 3), ("LDSM", 1), ("SHFL", 4), ("LDC", 2)];
        let work = opcode_demand(&counts.map(|(name, count)| (name.to_owned(), count)).into());
        let expected = [
            (Unit::Issue, 26.0),
            (Unit::Fp32, 14.0),
            (Unit::Special, 2.0),
            (Unit::Tensor, 0.0),
            (Unit::Warpgroup, 0.0),
            (Unit::LoadStore, 5.0),
        ];
        assert_eq!(work, expected.into());
    }

    #[test]
    fn classes_of_ptx_go_to_the_same_units() {
        let mut counters = Counters { warp_instructions: 20, ..Counters::default() };
        (counters.classes.float, counters.classes.special, counters.classes.matrix) = (14, 2, 1);
        (counters.classes.memory, counters.classes.exchange) = (4, 3);
        (counters.shared_load_wavefronts, counters.shared_store_wavefronts, counters.shared_atomic_wavefronts) =
            (8, 2, 1);
        let expected = [
            (Unit::Issue, 20.0),
            (Unit::Fp32, 14.0),
            (Unit::Special, 2.0),
            (Unit::Tensor, 1.0),
            (Unit::Warpgroup, 0.0),
            (Unit::LoadStore, 7.0),
            (Unit::Shared, 1408.0),
        ];
        assert_eq!(counter_demand(&counters), expected.into());
        counters.warpgroup_operations = 131_072;
        let work = counter_demand(&counters);
        assert_eq!([Unit::Tensor, Unit::Warpgroup].map(|unit| work[&unit]), [0.0, 131_072.0]);
    }
}
