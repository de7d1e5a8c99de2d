//! Results and counters do not depend on the number of worker threads, and results do not depend on counting.

use crate::support::machine::{Machine, Shape, bytes_of};
use emulator::{Counters, Options};

/// Returns floats whose sum depends on the order of additions.
fn input(count: usize) -> Vec<u8> {
    let values: Vec<f32> = (0..count).map(|i| ((i * 7919) % 1009) as f32 * 1.1e-3 + 1.0 / (i + 1) as f32).collect();
    bytes_of(&values, f32::to_le_bytes)
}

fn fixture(name: &str) -> String {
    let fixture = crate::support::fixtures().into_iter().find(|(found, _)| found == name);
    fixture.unwrap_or_else(|| panic!("no fixture {name}")).1
}

/// Runs a kernel on fresh memory. Its arguments are the input, the output and the number of elements.
fn outcome(ptx: &str, kernel: &str, shape: Shape, output_bytes: usize, options: &Options) -> (Vec<u8>, Counters) {
    let machine = Machine::new(ptx);
    let (data, output) = (machine.upload(&input(64 << 10)), machine.upload(&vec![0; output_bytes]));
    let arguments: [&[u8]; 3] = [&data.to_le_bytes(), &output.to_le_bytes(), &(1_i32 << 14).to_le_bytes()];
    let counters = machine.try_run(kernel, shape, &arguments, options).unwrap_or_else(|error| panic!("{error}"));
    (machine.download(output, output_bytes), counters)
}

/// Returns kernels with shared memory, loops, shuffles and atomics, and launches that are large enough for several workers.
fn kernels() -> [(&'static str, &'static str, Shape, usize); 3] {
    [
        ("forces.nvrtc12.1-sm75", "accelerations", Shape::threads(128).blocks(8), 16 << 10),
        ("reduction.nvrtc13.5-sm100", "sum_tree", Shape { shared: 1024, ..Shape::threads(256).blocks(64) }, 256),
        ("reduction.nvrtc12.9-sm80-debug", "sum_shuffle", Shape::threads(128).blocks(40), 4),
    ]
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits_and_counts() {
    for (file, kernel, shape, bytes) in kernels() {
        let ptx = fixture(file);
        let options = |threads| Options { counters: true, threads, ..Options::default() };
        let (result, counters) = outcome(&ptx, kernel, shape, bytes, &options(1));
        assert!(result.iter().any(|&byte| byte != 0) && counters.thread_instructions > 0, "{kernel} does something");
        for threads in [2, 8] {
            let again = outcome(&ptx, kernel, shape, bytes, &options(threads));
            assert!(again.0 == result, "{kernel}: other bits on {threads} threads");
            assert_eq!(again.1, counters, "{kernel} on {threads} threads");
        }
    }
}

#[test]
fn counters_change_no_result() {
    for (file, kernel, shape, bytes) in kernels() {
        let ptx = fixture(file);
        let run =
            |counters| outcome(&ptx, kernel, shape, bytes, &Options { counters, threads: 1, ..Options::default() });
        let with = run(true);
        let without = run(false);
        assert!(with.0 == without.0, "{kernel}");
        assert_eq!(without.1, Counters::default(), "{kernel}: nothing is counted");
    }
}

/// A register that is read before it is written contains zero, and not a value of an earlier block.
#[test]
fn no_values_remain_from_earlier_blocks() {
    let ptx = ".version 8.1
.target sm_80
.address_size 64
.visible .entry leftover(.param .u64 unused, .param .u64 output, .param .u32 count)
{
    .shared .align 4 .u32 word;
    .local .align 4 .u32 own;
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %d<3>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r0, 32, %r1;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mov.u32 %r3, 77;
    @%p0 st.shared.u32 [word], %r3;
    @%p0 st.local.u32 [own], %r3;
    ld.shared.u32 %r4, [word];
    ld.local.u32 %r5, [own];
    add.u32 %r6, %r3, %r4;
    add.u32 %r6, %r6, %r5;
    ld.param.u64 %d0, [output];
    mul.wide.u32 %d1, %r2, 4;
    add.u64 %d2, %d0, %d1;
    st.global.u32 [%d2], %r6;
    ret;
}
";
    let shape = Shape::threads(32).blocks(64);
    let options = |threads| Options { counters: false, threads, ..Options::default() };
    let (one, _) = outcome(ptx, "leftover", shape, 64 * 128, &options(1));
    let words: Vec<u32> = one.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words[..32], [3 * 77; 32]);
    // Zero, and twice the pattern of unwritten shared memory.
    assert_eq!(words[32..], [0xFFFF_FFFE; 63 * 32]);
    assert!(outcome(ptx, "leftover", shape, 64 * 128, &options(8)).0 == one);
}
