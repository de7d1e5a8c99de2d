//! The throughput of the interpreter on one core, in thread instructions per second, without counters, with counters, and
//! with checks.
//!
//! The workloads are kernels of the stages: all-pairs forces from global memory, from shared tiles and with shuffles;
//! reductions in shared memory and with shuffles; Coulomb potentials with atoms in constant memory. The others are loops in a
//! divergent branch that half of the lanes take, and those of `foreign.cu`.
//!
//! `cargo bench -p bench --bench interpreter` takes about four minutes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use emulator::{Dim3, Launch, Memory, Module, Options, check, launch};
use std::sync::Arc;
use std::time::Duration;

/// The number of bodies, and of threads, of the force loops: 4096 * 4096 interactions per launch.
const BODIES: u32 = 4096;

/// The number of elements of the reductions.
const ELEMENTS: u32 = 1 << 20;

/// The number of atoms of the potentials.
const ATOMS: u32 = 1000;

/// The width and height of the potentials in points.
const POINTS: u32 = 128;

/// The problem of a kernel, which determines its arguments and its grid.
#[derive(Clone, Copy)]
enum Problem {
    /// x, y, z, m; three results; n.
    Forces,
    /// Data, partial sums, n.
    Sum,
    /// Atoms, results, width, height, spacing; atoms in constant memory, and points per thread.
    Potential { points_a_thread: u32 },
    /// Results, value of the inactive lanes, iterations of the loop.
    HalfActive,
    /// Data, results, iterations of the loop.
    Foreign,
}

struct Workload {
    name: &'static str,
    ptx: &'static str,
    kernel: &'static str,
    problem: Problem,
}

const WORKLOADS: [Workload; 15] = [
    Workload {
        name: "forces from global memory",
        ptx: include_str!("../../../stage01-naive/ptx/01_compute_forces.ptx"),
        kernel: "computeForces",
        problem: Problem::Forces,
    },
    Workload {
        name: "forces from shared tiles",
        ptx: include_str!("../../../stage03-unroll/ptx/02_compute_forces_unroll64.ptx"),
        kernel: "computeForces_unroll64_128",
        problem: Problem::Forces,
    },
    Workload {
        name: "forces by shuffles",
        ptx: include_str!("../../../stage04-shuffle/ptx/01_compute_forces_tiling_shuffle.ptx"),
        kernel: "computeForces_Tiling_Shuffle",
        problem: Problem::Forces,
    },
    Workload {
        name: "sum in shared memory",
        ptx: include_str!("../../../stage02-shared/ptx/05_reduce_smem.ptx"),
        kernel: "reduceSmem_128",
        problem: Problem::Sum,
    },
    Workload {
        name: "sum by shuffles",
        ptx: include_str!("../../../stage04-shuffle/ptx/02_reduce_shuffle.ptx"),
        kernel: "reduceShuffle_128",
        problem: Problem::Sum,
    },
    Workload {
        name: "potential from constants",
        ptx: include_str!("../../../stage05-coulomb/ptx/03_constant.ptx"),
        kernel: "coulombConstant",
        problem: Problem::Potential { points_a_thread: 1 },
    },
    Workload {
        name: "potential, coarsened",
        ptx: include_str!("../../../stage05-coulomb/ptx/04_coarsened.ptx"),
        kernel: "coulombCoarsened",
        problem: Problem::Potential { points_a_thread: 8 },
    },
    Workload {
        name: "half of the lanes",
        ptx: include_str!("half_active.ptx"),
        kernel: "halfActive",
        problem: Problem::HalfActive,
    },
    Workload::foreign("one lane", "oneLane"),
    Workload::foreign("indices of 64 bits", "longIndices"),
    Workload::foreign("bytes", "bytes"),
    Workload::foreign("local array", "localArray"),
    Workload::foreign("padded columns", "paddedColumns"),
    Workload::foreign("bf16", "brainFloats"),
    Workload::foreign("atomics", "atomics"),
];

impl Workload {
    /// Returns a loop of `foreign.cu`.
    const fn foreign(name: &'static str, kernel: &'static str) -> Self {
        Self { name, ptx: include_str!("foreign.ptx"), kernel, problem: Problem::Foreign }
    }
}

/// The number of iterations of the loop that half of the lanes execute.
const ROUNDS: u32 = 2000;

/// The number of iterations of the loops of `foreign.cu`.
const FOREIGN_ROUNDS: u32 = 200;

/// The number of threads per block.
const BLOCK: u32 = 128;

const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

/// Returns numbers between 0 and 16 without a short period.
fn numbers(count: u32) -> Vec<u8> {
    (0..count).flat_map(|i| ((i * 7919 % 1013) as f32 / 64.0).to_le_bytes()).collect()
}

impl Problem {
    /// Writes the inputs to `memory` and returns grid, block and parameter block.
    fn prepare(self, memory: &Memory, module: &Module) -> (Dim3, Dim3, Vec<u8>) {
        let place = |values: &[u8]| {
            let address = memory.allocate(values.len() as u64).expect("room");
            memory.write(address, values).expect("the allocation");
            address.to_le_bytes()
        };
        let block = Dim3 { x: BLOCK, ..ONE };
        match self {
            Self::Forces => {
                let mut parameters: Vec<u8> = (0..7).flat_map(|_| place(&numbers(BODIES))).collect();
                parameters.extend(BODIES.to_le_bytes());
                (Dim3 { x: BODIES / BLOCK, ..ONE }, block, parameters)
            }
            Self::Sum => {
                let mut parameters = [place(&numbers(ELEMENTS)), place(&numbers(ELEMENTS / BLOCK))].concat();
                parameters.extend(ELEMENTS.to_le_bytes());
                (Dim3 { x: ELEMENTS / BLOCK, ..ONE }, block, parameters)
            }
            Self::Potential { points_a_thread } => {
                let atoms = module.variable("atom_chunk");
                memory.write(atoms.expect("the constants").address, &numbers(4 * ATOMS)).expect("room for the atoms");
                let potential = place(&numbers(POINTS * POINTS));
                let mut parameters = [&ATOMS.to_le_bytes()[..], &[0; 4], &potential].concat();
                parameters.extend([POINTS.to_le_bytes(), POINTS.to_le_bytes(), 0.5_f32.to_le_bytes()].concat());
                let block = Dim3 { x: 16, y: 8, z: 1 };
                (Dim3 { x: POINTS / 16 / points_a_thread, y: POINTS / 8, z: 1 }, block, parameters)
            }
            Self::HalfActive => {
                let subnormal = f32::from_bits(1000);
                let parameters =
                    [&place(&numbers(BODIES))[..], &subnormal.to_le_bytes(), &ROUNDS.to_le_bytes()].concat();
                (Dim3 { x: BODIES / BLOCK, ..ONE }, block, parameters)
            }
            Self::Foreign => {
                let arrays = [place(&numbers(BODIES)), place(&numbers(BODIES))].concat();
                let parameters = [&arrays[..], &FOREIGN_ROUNDS.to_le_bytes()].concat();
                (Dim3 { x: BODIES / BLOCK, ..ONE }, block, parameters)
            }
        }
    }
}

fn bench(criterion: &mut Criterion) {
    for workload in &WORKLOADS {
        let memory = Arc::new(Memory::new(256 << 20));
        let module = Module::load(workload.ptx, &memory).expect("PTX of a stage");
        let kernel = module.kernel(workload.kernel).expect("a kernel of the stage");
        let (grid, block, parameters) = workload.problem.prepare(&memory, &module);
        let shape =
            Launch { grid, block, dynamic_shared_bytes: 0, parameters: &parameters, cooperative: false, cluster: None };
        let options = |counters| Options { counters, threads: 1, ..Options::default() };
        let run = |counters| launch(kernel, &memory, &shape, &options(counters)).expect("a correct kernel");
        let mut group = criterion.benchmark_group(workload.name);
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(run(true).thread_instructions));
        for (name, counters) in [("counters off", false), ("counters on", true)] {
            group.bench_function(name, |bencher| bencher.iter(|| run(counters)));
        }
        let checked = || check(kernel, &memory, &shape, &options(false)).expect("a correct kernel");
        group.bench_function("checked", |bencher| bencher.iter(checked));
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
