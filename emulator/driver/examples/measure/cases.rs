//! The launches: each kernel with address patterns and lane masks that distinguish possible counting rules.

use crate::measured::{Case, Table};

/// The masks of active lanes: the first few, one half, regular, and irregular ones.
const MASKS: [u32; 22] = [
    0x0000_0000,
    0x0000_0001,
    0x0000_0003,
    0x0000_0007,
    0x0000_00FF,
    0x0000_01FF,
    0x0000_FFFF,
    0x0001_FFFF,
    0x7FFF_FFFF,
    0xFFFF_0000,
    0x8000_0001,
    0x5555_5555,
    0xAAAA_AAAA,
    0x1111_1111,
    0x0101_0101,
    0x00FF_00FF,
    0x3333_3333,
    0xB4D3_1E97,
    0x0820_4410,
    0xF7FF_BFEF,
    0x6C5A_93E1,
    0x1248_0F3D,
];

/// A pseudorandom number generator, which produces the same numbers on every machine.
struct Random(u64);

impl Random {
    /// Returns a number below `bound`.
    fn below(&mut self, bound: u32) -> u32 {
        // Knuth's MMIX generator, whose high bits are random enough.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// Returns a multiple of `bytes` below `limit` for each lane.
    fn table(&mut self, bytes: u32, limit: u32) -> Table {
        lanes(|_| self.below(limit / bytes) * bytes)
    }
}

fn lanes(number: impl FnMut(u32) -> u32) -> Table {
    Table::Lanes((0..32).map(number).collect())
}

fn stride(stride: u32) -> Table {
    Table::Stride { start: 0, stride }
}

/// Returns a launch of one warp.
fn warp(kernel: &str, table: Table) -> Case {
    Case { kernel: kernel.to_owned(), table, mask: u32::MAX, threads: 32, blocks: 1, warp_bytes: 0 }
}

/// The name of a group of kernels, and their launches.
type Group = (&'static str, fn() -> Vec<Case>);

/// The groups of kernels. Each is measured with the same metrics and recorded in one file.
pub const GROUPS: [Group; 9] = [
    ("shared", shared),
    ("global", global),
    ("local", local),
    ("atomic", atomic),
    ("constant", constant),
    ("block", block),
    ("warp", together),
    ("branch", branches),
    ("async", copies),
];

/// Returns the launches of a group.
///
/// # Errors
/// Returns a message if there is no such group.
pub fn of(group: &str) -> Result<Vec<Case>, String> {
    let found = GROUPS.iter().find(|(name, _)| *name == group);
    let (_, cases) = found.ok_or_else(|| format!("no group `{group}`: there are {}", names().join(" ")))?;
    Ok(cases())
}

/// Returns the names of the groups.
pub fn names() -> Vec<&'static str> {
    GROUPS.iter().map(|(name, _)| *name).collect()
}

/// Returns patterns in which lanes share addresses, so that a wide load could combine them.
fn agreements(bytes: u32) -> Vec<Table> {
    vec![
        lanes(|lane| (lane & !1) * bytes),
        lanes(|lane| (lane & !2) * bytes),
        lanes(|lane| (lane & !4) * bytes),
        lanes(|lane| (lane / 4) * bytes),
        lanes(|lane| (lane / 16) * bytes),
        lanes(|lane| (lane % 2) * bytes),
        lanes(|lane| (lane % 8) * bytes),
        lanes(|lane| (lane % 16) * bytes),
        lanes(|lane| (31 - lane) * bytes),
        // The first and second pattern with one exception.
        lanes(|lane| if lane == 31 { 4096 } else { (lane & !1) * bytes }),
        lanes(|lane| if lane == 9 { 4096 } else { (lane & !2) * bytes }),
        // A pattern in one half only.
        lanes(|lane| if lane < 16 { (lane & !1) * bytes } else { lane * bytes }),
        // Another pattern in each half.
        lanes(|lane| if lane < 16 { (lane & !1) * bytes } else { (lane & !2) * bytes }),
    ]
}

fn shared() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(1);
    for bytes in [4, 8, 16] {
        for kernel in [format!("shared_load_{bytes}"), format!("shared_store_{bytes}")] {
            let mut tables: Vec<Table> = (0..=33).map(|elements| stride(elements * bytes)).collect();
            tables.extend(agreements(bytes));
            for limit in [256, 512, 1024, 4096, 4096, 16384, 32768] {
                tables.push(random.table(bytes, limit));
            }
            cases.extend(tables.into_iter().map(|table| warp(&kernel, table)));
            for table in [
                stride(bytes),
                stride(2 * bytes),
                lanes(|lane| (lane & !1) * bytes),
                lanes(|lane| (lane & !2) * bytes),
                random.table(bytes, 4096),
            ] {
                cases.extend(MASKS.map(|mask| Case { mask, ..warp(&kernel, table.clone()) }));
            }
        }
    }
    for bytes in [1, 2] {
        for kernel in [format!("shared_load_{bytes}"), format!("shared_store_{bytes}")] {
            cases.extend([0, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33].map(|elements| warp(&kernel, stride(elements * bytes))));
            cases.push(warp(&kernel, random.table(bytes, 1024)));
        }
    }
    cases.extend([8, 16, 24, 40].map(|bytes| warp("shared_load_8_pair", stride(bytes))));
    cases
}

/// Returns accesses to shared memory in blocks of several warps.
fn block() -> Vec<Case> {
    let kernels =
        [4, 8, 16].map(|bytes| [(format!("shared_load_{bytes}"), bytes), (format!("shared_store_{bytes}"), bytes)]);
    kernels.iter().flatten().flat_map(|(kernel, bytes)| several_warps(kernel, *bytes)).collect()
}

/// Returns launches of blocks of several warps, some with a partial last warp.
fn several_warps(kernel: &str, bytes: u32) -> Vec<Case> {
    [(33, 1), (64, 3), (100, 2), (256, 300), (1024, 2)]
        .map(|(threads, blocks)| Case { threads, blocks, warp_bytes: 32 * bytes, ..warp(kernel, stride(bytes)) })
        .to_vec()
}

fn global() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(4_299_317_911_613_053_442);
    for bytes in [4, 8, 16] {
        for kernel in [format!("global_load_{bytes}"), format!("global_store_{bytes}")] {
            let mut tables: Vec<Table> =
                (0..32).step_by(bytes as usize).map(|start| Table::Stride { start, stride: bytes }).collect();
            tables.extend([0, 2, 3, 4, 5, 8, 9, 16, 31, 32, 33].map(|elements| stride(elements * bytes)));
            tables.extend([256, 4096, 32768].map(|limit| random.table(bytes, limit)));
            cases.extend(tables.into_iter().map(|table| warp(&kernel, table)));
            let masks = if kernel.contains("load") { &MASKS[..] } else { &MASKS[..4] };
            for table in [Table::Stride { start: 16, stride: bytes }, random.table(bytes, 1024)] {
                cases.extend(masks.iter().map(|&mask| Case { mask, ..warp(&kernel, table.clone()) }));
            }
            cases.extend(several_warps(&kernel, bytes));
        }
    }
    let mut random = Random(11_725_283_399_694_837_634);
    for kernel in ["global_load_read_only_4", "global_load_volatile_4", "generic_load_4"] {
        let tables = [stride(0), stride(4), stride(12), Table::Stride { start: 4, stride: 4 }, random.table(4, 4096)];
        cases.extend(tables.map(|table| warp(kernel, table)));
    }
    cases
}

/// Returns asynchronous copies. The last kernel reads a number of bytes that depends on the lane.
fn copies() -> Vec<Case> {
    let mut random = Random(12_157_665_459_056_928_801);
    let kernels = [("async_copy_4", 4), ("async_copy_8", 8), ("async_copy_16", 16), ("async_copy_past_l1_16", 16)];
    let mut cases = Vec::new();
    for (kernel, bytes) in kernels.into_iter().chain([("async_copy_part_16", 16)]) {
        let mut tables: Vec<Table> = [0, 1, 2, 3, 4, 8, 31, 32, 33].map(|elements| stride(elements * bytes)).to_vec();
        tables.push(Table::Stride { start: 16, stride: bytes });
        tables.push(random.table(bytes, 4096));
        cases.extend(tables.into_iter().map(|table| warp(kernel, table)));
        cases.extend(MASKS.map(|mask| Case { mask, ..warp(kernel, stride(bytes)) }));
    }
    cases
}

fn local() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(3);
    for bytes in [1, 2, 4, 8, 16] {
        for kernel in [format!("local_load_{bytes}"), format!("local_store_{bytes}")] {
            let tables = [
                stride(0),
                Table::Stride { start: 48, stride: 0 },
                lanes(|lane| lane % 2 * bytes),
                lanes(|lane| lane % 2 * 16),
                lanes(|lane| lane / 8 * 16),
                lanes(|lane| lane / 16 * bytes),
                lanes(|lane| lane % 16 * bytes),
                random.table(bytes, 64),
                random.table(bytes, 256),
                random.table(bytes, 256),
            ];
            cases.extend(tables.clone().map(|table| warp(&kernel, table)));
            for table in [&tables[0], &tables[9]] {
                cases.extend(MASKS.into_iter().step_by(3).map(|mask| Case { mask, ..warp(&kernel, table.clone()) }));
            }
            cases.extend([(33, 1), (100, 2), (256, 3)].map(|(threads, blocks)| Case {
                threads,
                blocks,
                ..warp(&kernel, stride(0))
            }));
        }
    }
    cases
}

/// The kernels with atomics, and the sizes of their operands in bytes.
const ATOMICS: [(&str, u32); 24] = [
    ("global_reduce_add_u32", 4),
    ("global_reduce_add_u64", 8),
    ("global_reduce_add_f32", 4),
    ("global_reduce_add_f64", 8),
    ("global_reduce_max_s32", 4),
    ("global_reduce_or_b32", 4),
    ("global_atomic_add_u32", 4),
    ("global_atomic_add_u64", 8),
    ("global_atomic_add_f32", 4),
    ("global_atomic_exchange_b32", 4),
    ("global_atomic_swap_b32", 4),
    ("global_atomic_swap_b64", 8),
    ("global_reduce_one_address", 4),
    ("shared_atomic_add_u32", 4),
    ("shared_reduce_add_u32", 4),
    ("shared_reduce_max_s32", 4),
    ("shared_reduce_or_b32", 4),
    ("shared_reduce_increment_u32", 4),
    ("shared_atomic_exchange_b32", 4),
    ("shared_atomic_swap_b32", 4),
    ("shared_reduce_add_u64", 8),
    ("shared_reduce_add_f32", 4),
    ("shared_atomic_exchange_b64", 8),
    ("shared_atomic_swap_b64", 8),
];

fn atomic() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(4);
    for (kernel, bytes) in ATOMICS {
        let tables = [
            stride(0),
            stride(bytes),
            stride(2 * bytes),
            stride(32),
            stride(128),
            lanes(|lane| lane % 2 * bytes),
            lanes(|lane| lane % 2 * 128),
            lanes(|lane| lane / 16 * bytes),
            lanes(|lane| lane / 2 * bytes),
            lanes(|lane| lane % 16 * bytes),
            lanes(|lane| if lane < 5 { 0 } else { lane * 32 }),
            random.table(bytes, 64),
            random.table(bytes, 1024),
            random.table(bytes, 16384),
        ];
        for mask in [0, 1, 0xFFFF, 0xB4D3_1E97] {
            for table in [&tables[0], &tables[11]] {
                cases.push(Case { mask, ..warp(kernel, table.clone()) });
            }
        }
        cases.extend(tables.map(|table| warp(kernel, table)));
        if kernel.starts_with("global") {
            let limits = [128, 256, 512, 512, 1024, 1024, 2048, 4096];
            cases.extend(limits.map(|limit| warp(kernel, random.table(bytes, limit))));
        }
    }
    cases
}

fn constant() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(5);
    for bytes in [4, 8, 16] {
        let kernel = format!("constant_load_{bytes}");
        let tables = [
            stride(0),
            Table::Stride { start: 64, stride: 0 },
            lanes(|lane| lane % 2 * bytes),
            lanes(|lane| lane / 16 * 4096),
            lanes(|lane| lane % 4 * 64),
            stride(bytes),
            stride(64),
            random.table(bytes, 256),
            random.table(bytes, 32768),
        ];
        for mask in [0, 1, 0xFF, 0x5555_5555, 0xB4D3_1E97] {
            cases.push(Case { mask, ..warp(&kernel, tables[5].clone()) });
            cases.push(Case { mask, ..warp(&kernel, tables[7].clone()) });
        }
        cases.extend(tables.map(|table| warp(&kernel, table)));
        cases.push(Case { threads: 256, blocks: 3, ..warp(&kernel, stride(0)) });
    }
    cases
}

/// Returns launches of warp-wide and block-wide operations.
fn together() -> Vec<Case> {
    let mut cases = Vec::new();
    for kernel in ["shuffle_down", "shuffle_up", "shuffle_butterfly", "shuffle_index_with_predicate"] {
        for mask in [u32::MAX, 0, 0xFFFF, 0x5555_5555] {
            cases.push(Case { mask, ..warp(kernel, stride(1)) });
        }
        cases.push(Case { threads: 256, blocks: 3, ..warp(kernel, stride(1)) });
    }
    for kernel in [
        "shuffles_of_a_sum",
        "vote_ballot",
        "vote_all",
        "vote_any",
        "vote_uniform",
        "active_mask",
        "match_any",
        "match_all",
        "warp_reduce_add",
        "warp_barrier",
        "barrier",
        "barriers",
        "barrier_count",
        "barrier_and",
    ] {
        cases.extend([(32, 1), (64, 5), (1024, 2)].map(|(threads, blocks)| Case {
            threads,
            blocks,
            ..warp(kernel, stride(4))
        }));
    }
    for kernel in ["barrier", "barriers", "barrier_count"] {
        cases.extend([(1, 1), (33, 1), (100, 7)].map(|(threads, blocks)| Case {
            threads,
            blocks,
            ..warp(kernel, stride(4))
        }));
    }
    cases
}

fn branches() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(6);
    for kernel in ["loop_by_lane", "loop_with_break", "loop_in_loop"] {
        let tables = [
            stride(0),
            lanes(|_| 4),
            Table::Stride { start: 0, stride: 4 },
            lanes(|lane| lane % 2 * 4),
            lanes(|lane| (lane / 16 + 1) * 4),
            lanes(|lane| if lane == 7 { 40 } else { 4 }),
            lanes(|lane| lane % 4 * 8),
            random.table(4, 40),
        ];
        cases.extend(tables.clone().map(|table| warp(kernel, table)));
        cases.push(Case { threads: 100, blocks: 3, ..warp(kernel, tables[7].clone()) });
    }
    for kernel in ["either_way", "short_way", "early_exit"] {
        for mask in MASKS {
            cases.push(Case { mask, ..warp(kernel, stride(4)) });
        }
        cases.push(Case { mask: 0x5555_5555, threads: 100, blocks: 3, ..warp(kernel, stride(4)) });
    }
    cases
}
