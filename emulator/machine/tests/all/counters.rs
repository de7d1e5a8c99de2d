//! Counters of single instructions, compared with hardware: `hardware/patterns.json` contains the readings of Nsight Compute
//! 2025.3 on an H200 (driver 580) for one warp that executes one instruction with given byte addresses.

use crate::support::machine::{Machine, Shape};
use emulator::{Counters, InstructionClasses};
use serde::Deserialize;

/// The reading for one instruction of one warp.
#[derive(Clone, Debug, Deserialize)]
struct Reading {
    op: String,
    pattern: String,
    byte_addresses: Vec<u32>,
    wavefronts: Option<f64>,
    bank_conflicts: Option<f64>,
    requests: Option<f64>,
    sectors: Option<f64>,
}

/// The size in bytes of the memory that the patterns access.
const MEMORY_BYTES: usize = 32 << 10;

/// Returns the PTX spellings of an operation of the readings, where `%a` is the address.
fn spellings(op: &str) -> &'static [&'static str] {
    match op {
        "lds32" => &["ld.shared.b32 %r0, [%a];", "ld.shared.f32 %r0, [%a];"],
        "lds64" => &["ld.shared.b64 %d0, [%a];", "ld.shared.v2.b32 {%r0, %r1}, [%a];"],
        "lds128" => &["ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%a];", "ld.shared.v2.b64 {%d0, %d1}, [%a];"],
        "sts32" => &["st.shared.b32 [%a], %r0;", "st.shared.f32 [%a], %r0;"],
        "sts64" => &["st.shared.b64 [%a], %d0;", "st.shared.v2.b32 [%a], {%r0, %r1};"],
        "sts128" => &["st.shared.v4.b32 [%a], {%r0, %r1, %r2, %r3};", "st.shared.v2.b64 [%a], {%d0, %d1};"],
        "ldg32" => &["ld.global.b32 %r0, [%a];", "ld.global.nc.f32 %r0, [%a];", "ld.b32 %r0, [%a];"],
        "ldg64" => &["ld.global.b64 %d0, [%a];", "ld.global.v2.b32 {%r0, %r1}, [%a];"],
        "ldg128" => &["ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%a];", "ld.global.nc.v2.b64 {%d0, %d1}, [%a];"],
        "stg32" => &["st.global.b32 [%a], %r0;", "st.b32 [%a], %r0;"],
        "stg64" => &["st.global.b64 [%a], %d0;", "st.global.v2.b32 [%a], {%r0, %r1};"],
        "stg128" => &["st.global.v4.b32 [%a], {%r0, %r1, %r2, %r3};", "st.global.v2.b64 [%a], {%d0, %d1};"],
        "redg" => &["red.global.add.u32 [%a], 1;", "atom.global.add.u32 %r0, [%a], 1;"],
        _ => &[],
    }
}

/// Runs `instruction` in one warp, in the lanes of `mask`. The addresses are passed as a parameter, so that loading them does not
/// change the counters of other memory.
fn run(instruction: &str, addresses: &[u32], mask: u32) -> Counters {
    let base = if instruction.contains(".shared") { "mov.u64 %base, tile;" } else { "ld.param.u64 %base, [memory];" };
    let machine = Machine::new(&format!(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry test(.param .align 4 .b8 table[128], .param .u64 memory, .param .u32 mask)
{{
    .shared .align 16 .b8 tile[{MEMORY_BYTES}];
    .reg .pred %p;
    .reg .b32 %lane, %mask, %r<4>;
    .reg .b64 %a, %base, %offset, %d<2>;
    mov.u32 %lane, %laneid;
    mul.wide.u32 %offset, %lane, 4;
    mov.u64 %a, table;
    add.u64 %a, %a, %offset;
    ld.param.u32 %r0, [%a];
    cvt.u64.u32 %offset, %r0;
    {base}
    add.u64 %a, %base, %offset;
    ld.param.u32 %mask, [mask];
    shr.u32 %r0, %mask, %lane;
    and.b32 %r0, %r0, 1;
    setp.ne.u32 %p, %r0, 0;
    mov.u32 %r1, 1;
    mov.u32 %r2, 2;
    mov.u32 %r3, 3;
    mov.u64 %d0, 0;
    mov.u64 %d1, 1;
    @%p {instruction}
    ret;
}}
"
    ));
    let memory = machine.allocate(MEMORY_BYTES).to_le_bytes();
    let table: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
    machine.run("test", Shape::threads(32), &[&table, &memory, &mask.to_le_bytes()])
}

/// Returns the requests, and then the wavefronts and conflicts of shared memory, or the sectors of global memory.
fn counted(op: &str, counters: &Counters) -> [u64; 3] {
    match &op[..3] {
        "lds" => [counters.shared_load_requests, counters.shared_load_wavefronts, counters.shared_load_conflicts],
        "sts" => [counters.shared_store_requests, counters.shared_store_wavefronts, counters.shared_store_conflicts],
        "ldg" => [counters.global_load_requests, counters.global_load_sectors, 0],
        "stg" => [counters.global_store_requests, counters.global_store_sectors, 0],
        _ => [counters.global_atomic_requests, counters.global_atomic_sectors, 0],
    }
}

fn readings() -> Vec<Reading> {
    let text = std::fs::read_to_string(crate::support::folder("hardware/patterns.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns the readings that the emulator does not reproduce.
fn differences(readings: &[Reading]) -> Vec<String> {
    let mut wrong = Vec::new();
    for reading in readings {
        let Reading { op, pattern, byte_addresses, .. } = reading;
        let passes = reading.wavefronts.or(reading.sectors).expect("wavefronts or sectors");
        let hardware = [reading.requests.unwrap_or(1.0), passes, reading.bank_conflicts.unwrap_or(0.0)];
        assert!(!spellings(op).is_empty(), "unknown operation {op}");
        for instruction in spellings(op) {
            let ours = counted(op, &run(instruction, byte_addresses, u32::MAX)).map(|count| count as f64);
            if ours != hardware {
                wrong.push(format!("{op} {pattern}: {ours:?}, on hardware {hardware:?} (`{instruction}`)"));
            }
        }
    }
    wrong
}

#[test]
fn every_reading_of_the_hardware_is_reproduced() {
    let readings = readings();
    assert_eq!(readings.len(), 117);
    let wrong = differences(&readings);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_reading_that_is_one_off_is_noticed() {
    for mut reading in readings() {
        for count in [&mut reading.wavefronts, &mut reading.sectors].into_iter().flatten() {
            *count += 1.0;
        }
        assert!(!differences(&[reading.clone()]).is_empty(), "{reading:?}");
    }
}

/// Returns the addresses of a strided access.
fn stride(bytes: u32) -> Vec<u32> {
    (0..32).map(|lane| lane * bytes).collect()
}

#[test]
fn inactive_lanes_access_no_sector() {
    let load = spellings("ldg32")[0];
    for (mask, sectors, bytes) in
        [(0xFFFF_FFFF, 4, 128), (0x0000_00FF, 1, 32), (0x8000_0001, 2, 8), (0x0101_0101, 4, 16)]
    {
        let counters = run(load, &stride(4), mask);
        assert_eq!(
            [counters.global_load_requests, counters.global_load_sectors, counters.global_load_bytes],
            [1, sectors, bytes]
        );
    }
    let counters = run(spellings("stg128")[0], &stride(16), 0x0000_000F);
    assert_eq!([counters.global_store_sectors, counters.global_store_bytes], [2, 64]);
}

#[test]
fn an_instruction_without_active_lanes_is_counted_and_accesses_nothing() {
    for op in ["lds32", "sts64", "ldg128", "stg32", "redg"] {
        let none = run(spellings(op)[0], &stride(16), 0);
        let all = run(spellings(op)[0], &stride(16), u32::MAX);
        assert_eq!(counted(op, &none), [0, 0, 0], "{op}");
        assert_eq!(none.warp_instructions, all.warp_instructions, "{op}");
        assert_eq!(none.thread_instructions, all.thread_instructions, "{op}");
    }
}

#[test]
fn counters_add_up_over_warps_and_blocks() {
    let machine = Machine::new(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 data)
{
    .reg .b32 %r<5>;
    .reg .b64 %d<3>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    ld.param.u64 %d0, [data];
    mul.wide.u32 %d1, %r3, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r4, [%d2];
    st.global.u32 [%d2], %r4;
    ret;
}
",
    );
    let data = machine.allocate(4 * 48 * 100).to_le_bytes();
    let counters = machine.run("copy", Shape::threads(48).blocks(100), &[&data]);
    // A block has a warp and a half, which access 128 bytes in 4 sectors and 64 bytes in 2.
    let expected = Counters {
        warp_instructions: 10 * 2 * 100,
        thread_instructions: 10 * 48 * 100,
        classes: InstructionClasses {
            integer: 3 * 200,
            moves: 3 * 200,
            constant: 200,
            memory: 2 * 200,
            control: 200,
            ..InstructionClasses::default()
        },
        global_load_requests: 200,
        global_load_sectors: 600,
        global_load_bytes: 4 * 48 * 100,
        global_store_requests: 200,
        global_store_sectors: 600,
        global_store_bytes: 4 * 48 * 100,
        ..Counters::default()
    };
    assert_eq!(counters, expected);
}

/// Returns the class counts of a warp that loads a parameter, executes `instruction`, and exits.
fn classes(instruction: &str) -> InstructionClasses {
    let machine = Machine::new(&format!(
        ".version 8.1
.target sm_80
.address_size 64
.const .align 16 .b8 table[16];
.visible .entry test(.param .u64 memory)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [memory];
    {instruction}
    ret;
}}
"
    ));
    let memory = machine.allocate(16).to_le_bytes();
    machine.run("test", Shape::threads(32), &[&memory]).classes
}

#[test]
fn every_instruction_is_counted_in_the_class_of_its_unit() {
    type Class = fn(&mut InstructionClasses) -> &mut u64;
    let cases: [(&str, Class); 20] = [
        ("fma.rn.f32 %r0, %r1, %r2, %r3;", |classes| &mut classes.float),
        ("add.f64 %d1, %d2, %d3;", |classes| &mut classes.float),
        ("neg.f32 %r0, %r1;", |classes| &mut classes.float),
        ("div.rn.f32 %r0, %r1, %r2;", |classes| &mut classes.special),
        ("rsqrt.approx.ftz.f32 %r0, %r1;", |classes| &mut classes.special),
        ("div.u32 %r0, %r1, %r2;", |classes| &mut classes.integer),
        ("mad.lo.s32 %r0, %r1, %r2, %r3;", |classes| &mut classes.integer),
        ("and.pred %p0, %p0, %p1;", |classes| &mut classes.integer),
        ("setp.lt.f32 %p0, %r1, %r2;", |classes| &mut classes.comparison),
        ("max.f32 %r0, %r1, %r2;", |classes| &mut classes.comparison),
        ("cvt.rn.f32.s32 %r0, %r1;", |classes| &mut classes.conversion),
        ("mov.f32 %r0, %r1;", |classes| &mut classes.moves),
        ("cvta.to.global.u64 %d1, %d0;", |classes| &mut classes.moves),
        ("ld.param.f32 %r0, [memory];", |classes| &mut classes.constant),
        ("ld.const.v4.f32 {%r0, %r1, %r2, %r3}, [table];", |classes| &mut classes.constant),
        ("ld.global.nc.v4.f32 {%r0, %r1, %r2, %r3}, [%d0];", |classes| &mut classes.memory),
        ("red.global.add.f32 [%d0], %r0;", |classes| &mut classes.memory),
        ("shfl.sync.bfly.b32 %r0, %r1, 1, 31, 0xffffffff;", |classes| &mut classes.exchange),
        ("bar.sync 0;", |classes| &mut classes.control),
        (
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 \
             {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%r4, %r5}, {%r0, %r1, %r2, %r3};",
            |classes| &mut classes.matrix,
        ),
    ];
    for (instruction, class) in cases {
        let mut expected = classes("");
        *class(&mut expected) += 1;
        assert_eq!(classes(instruction), expected, "{instruction}");
    }
}
