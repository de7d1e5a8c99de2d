//! Random kernels by both back ends: the same bits.

use super::clang_for;
use super::comparison::replay;
use super::program::{OUTPUTS, THREADS, program};
use emulator::{Memory, Scene};

/// The number of kernels. `COALESCED_FUZZ=FIRST..LAST` runs those with other seeds.
const PROGRAMS: u64 = 60;

/// Returns a launch of one block, with inputs that do not depend on the seed.
fn scene() -> Scene {
    let memory = Memory::new(1 << 20);
    let word = |index: u32| index.wrapping_mul(2_654_435_761) >> 7;
    let integers: Vec<u8> = (0..THREADS).flat_map(|index| word(index).to_le_bytes()).collect();
    let reals: Vec<u8> = (0..THREADS).flat_map(|index| (word(index) as f32 / 3e6 - 4.0).to_le_bytes()).collect();
    let contents = [integers, reals, vec![0; 4 * OUTPUTS * THREADS as usize]];
    let mut parameters = Vec::new();
    let places = contents.map(|contents| {
        let address = memory.allocate(contents.len() as u64).expect("memory");
        parameters.extend(address.to_le_bytes());
        emulator::Contents { address, contents }
    });
    Scene {
        ptx: String::new(),
        entry: "fuzz".into(),
        grid: [1; 3],
        block: [THREADS, 1, 1],
        shared_bytes: 0,
        parameters,
        cooperative: false,
        cluster: None,
        memory: places.into(),
        variables: Vec::new(),
        results: Vec::new(),
    }
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("COALESCED_FUZZ").ok();
    let range = given.as_deref().and_then(|range| range.split_once(".."));
    range.and_then(|(first, last)| Some(first.parse().ok()?..last.parse().ok()?)).unwrap_or(0..PROGRAMS)
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn random_kernels_have_the_bits_of_llvms_back_end() {
    let Some(clang) = clang_for("fuzz::random_kernels_have_the_bits_of_llvms_back_end") else { return };
    let scene = scene();
    let mut wrong = Vec::new();
    for seed in seeds() {
        let text = program(seed);
        let compiled = clang.compile(&text, 75).unwrap_or_else(|log| panic!("seed {seed}: {log}\n{text}"));
        let ours = match ir_ptx::translate(&compiled.ir) {
            Ok(ours) => ours,
            Err(refusals) => {
                wrong.push(format!("seed {seed}: {refusals}"));
                continue;
            }
        };
        let ours = replay(&scene, &ours);
        let theirs = replay(&scene, &compiled.ptx);
        theirs.counters.unwrap_or_else(|error| panic!("seed {seed}: LLVM's PTX: {error}"));
        match ours.counters {
            Err(error) => wrong.push(format!("seed {seed}: {error}")),
            Ok(_) if ours.memory != theirs.memory => {
                let words = ours.memory[2].chunks(4).zip(theirs.memory[2].chunks(4));
                let first = words.enumerate().find(|(_, (ours, theirs))| ours != theirs);
                wrong.push(format!("seed {seed}: other bits: {first:?}"));
            }
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Kernels that were written by hand, with what random ones lack.
const WRITTEN: [(&str, &str); 3] = [
    ("mathematics.cu", include_str!("../kernels/mathematics.cu")),
    ("warps.cu", include_str!("../kernels/warps.cu")),
    ("narrow.cu", include_str!("../kernels/narrow.cu")),
];

#[test]
#[ignore = "slow: run by cargo x ci"]
fn written_kernels_have_the_bits_of_llvms_back_end() {
    let Some(clang) = clang_for("fuzz::written_kernels_have_the_bits_of_llvms_back_end") else { return };
    let scene = scene();
    for (name, text) in WRITTEN {
        let compiled = clang.compile(text, 75).unwrap_or_else(|log| panic!("{name}: {log}"));
        let ours = ir_ptx::translate(&compiled.ir).unwrap_or_else(|refusals| panic!("{name}: {refusals}"));
        let ours = replay(&scene, &ours);
        let theirs = replay(&scene, &compiled.ptx);
        ours.counters.unwrap_or_else(|error| panic!("{name}: {error}"));
        theirs.counters.unwrap_or_else(|error| panic!("{name}: LLVM's PTX: {error}"));
        let words = ours.memory[2].chunks(4).zip(theirs.memory[2].chunks(4)).enumerate();
        let other: Vec<_> = words.filter(|(_, (ours, theirs))| ours != theirs).take(4).collect();
        assert!(other.is_empty(), "{name}: other bits: {other:?}");
    }
}

/// The comparison notices a wrong instruction.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_wrong_instruction_has_other_bits() {
    let Some(clang) = clang_for("fuzz::a_wrong_instruction_has_other_bits") else { return };
    let scene = scene();
    let compiled = clang.compile(&program(0), 75).expect("a kernel");
    let ours = ir_ptx::translate(&compiled.ir).expect("PTX");
    let theirs = replay(&scene, &compiled.ptx).memory;
    let is_noticed =
        |from: &str, to: &str| ours.contains(from) && replay(&scene, &ours.replace(from, to)).memory != theirs;
    assert!(is_noticed("fma.rn.f32", "fma.rz.f32") && is_noticed("xor.b32", "or.b32"));
}

#[test]
fn the_generator_makes_the_same_kernel_for_the_same_seed() {
    assert_eq!(program(7), program(7));
    assert_ne!(program(7), program(8));
}
