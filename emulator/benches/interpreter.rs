//! Speed of the interpreter on one core, in thread instructions a second: an N-body force loop that reads global
//! memory, the same from tiles in shared memory, and a sum by a tree in shared memory; with counters and without.
//!
//! `cargo bench -p emulator` takes about half a minute. The PTX is that of the tests, from NVRTC.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use emulator::{Dim3, Launch, Memory, Module, Options, launch};
use std::sync::Arc;
use std::time::Duration;

/// Bodies of the force loops, and threads: 4096 * 4096 interactions a launch.
const BODIES: u32 = 4096;

/// Elements that the reduction adds up.
const ELEMENTS: u32 = 1 << 20;

const FORCES: &str = include_str!("../tests/fixtures/forces.nvrtc12.1-sm75.ptx");
const REDUCTION: &str = include_str!("../tests/fixtures/reduction.nvrtc12.1-sm75.ptx");

/// A kernel with arguments (input, output, count) and one thread an element.
struct Workload {
    name: &'static str,
    ptx: &'static str,
    kernel: &'static str,
    elements: u32,
    element_bytes: u32,
    block: u32,
    shared_bytes: u32,
}

const WORKLOADS: [Workload; 3] = [
    Workload {
        name: "forces from global memory",
        ptx: FORCES,
        kernel: "accelerations_naive",
        elements: BODIES,
        element_bytes: 16,
        block: 128,
        shared_bytes: 0,
    },
    Workload {
        name: "forces from shared tiles",
        ptx: FORCES,
        kernel: "accelerations",
        elements: BODIES,
        element_bytes: 16,
        block: 128,
        shared_bytes: 0,
    },
    Workload {
        name: "sum in shared memory",
        ptx: REDUCTION,
        kernel: "sum_tree",
        elements: ELEMENTS,
        element_bytes: 4,
        block: 256,
        shared_bytes: 1024,
    },
];

fn bench(criterion: &mut Criterion) {
    for workload in &WORKLOADS {
        let memory = Arc::new(Memory::new(256 << 20));
        let module = Module::load(workload.ptx, &memory).expect("a fixture of the tests");
        let kernel = module.kernel(workload.kernel).expect("the kernel of the fixture");
        let bytes = u64::from(workload.elements * workload.element_bytes);
        let (input, output) = (memory.allocate(bytes).expect("room"), memory.allocate(bytes).expect("room"));
        let values: Vec<u8> = (0..bytes / 4).flat_map(|i| ((i % 1013) as f32 / 64.0).to_le_bytes()).collect();
        memory.write(input, &values).expect("the allocation");
        let mut parameters = [input.to_le_bytes(), output.to_le_bytes()].concat();
        parameters.extend(workload.elements.to_le_bytes());
        let one = Dim3 { x: 1, y: 1, z: 1 };
        let shape = Launch {
            grid: Dim3 { x: workload.elements / workload.block, ..one },
            block: Dim3 { x: workload.block, ..one },
            dynamic_shared_bytes: workload.shared_bytes,
            parameters: &parameters,
        };
        let options = |counters| Options { counters, threads: 1, ..Options::default() };
        let run = |counters| launch(kernel, &memory, &shape, &options(counters)).expect("a correct kernel");
        let mut group = criterion.benchmark_group(workload.name);
        group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
        group.throughput(Throughput::Elements(run(true).thread_instructions));
        for (name, counters) in [("counters off", false), ("counters on", true)] {
            group.bench_function(name, |bencher| bencher.iter(|| run(counters)));
        }
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
