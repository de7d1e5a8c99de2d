//! The metrics of Nsight Compute that correspond to the emulator's counters.

/// A counter, and the metrics whose sum it equals.
pub type Sum = (&'static str, &'static [&'static str]);

/// Global memory traffic.
const GLOBAL: &[Sum] = &[
    ("global_load_requests", &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]),
    ("global_load_sectors", &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]),
    ("global_store_requests", &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"]),
    ("global_store_sectors", &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]),
    (
        "global_atomic_requests",
        &["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"],
    ),
    (
        "global_atomic_sectors",
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"],
    ),
];

/// Asynchronous copies from global to shared memory. The memory pipeline counts them as loads, so their kernels contain no
/// other loads.
const ASYNC: &[Sum] = &[
    ("async_copy_requests", &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]),
    ("async_copy_sectors", &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]),
];

const LOCAL: &[Sum] = &[
    ("local_load_requests", &["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"]),
    ("local_load_sectors", &["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"]),
    ("local_store_requests", &["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"]),
    ("local_store_sectors", &["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"]),
];

/// Wavefronts and bank conflicts in shared memory, as counted by the memory pipeline.
const SHARED: &[Sum] = &[
    ("shared_load_wavefronts", &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]),
    ("shared_load_conflicts", &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]),
    ("shared_store_wavefronts", &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]),
    ("shared_store_conflicts", &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]),
    ("shared_atomic_wavefronts", &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"]),
    ("shared_atomic_conflicts", &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"]),
];

/// Wavefronts in shared memory, as counted per instruction. With several warps, the pipeline's counts also include a varying
/// number of wavefronts in which a store waits for another warp.
const SHARED_BY_INSTRUCTION: &[Sum] = &[
    ("shared_load_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]),
    ("shared_store_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]),
    ("shared_atomic_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"]),
];

/// Replays of constant loads: distinct addresses beyond the first one of each load. Kernels of other groups read their table
/// from constant memory, which would be counted, too.
const CONSTANT: &[Sum] = &[("constant_load_replays", &["sm__idc_divergent_instruction_replays.sum"])];

/// Divergent branches. In other groups the compiler converts predicates in the PTX to branches.
const BRANCH: &[Sum] = &[("divergent_branches", &["smsp__sass_branch_targets_threads_divergent.sum"])];

/// Executed warp instructions by opcode.
pub const PER_OPCODE: &str = "sass__inst_executed_per_opcode";

/// Counters of instructions, and their opcodes on an H200.
const OPCODES: &[(&str, &[&str])] = &[("barriers", &["BAR"]), ("shuffles", &["SHFL"]), ("votes", &["VOTE", "VOTEU"])];

/// Returns the sums for a group.
pub fn sums(group: &str) -> impl Iterator<Item = &'static Sum> {
    let parts: &[&[Sum]] = match group {
        "shared" => &[SHARED],
        "local" => &[LOCAL],
        "async" => &[ASYNC, SHARED_BY_INSTRUCTION],
        "atomic" => &[GLOBAL, SHARED],
        "constant" => &[GLOBAL, CONSTANT],
        "block" => &[GLOBAL, SHARED_BY_INSTRUCTION],
        "warp" => &[SHARED_BY_INSTRUCTION],
        "branch" => &[GLOBAL, SHARED_BY_INSTRUCTION, BRANCH],
        _ => &[GLOBAL],
    };
    parts.iter().copied().flatten()
}

/// Returns the opcodes for a group.
pub fn opcodes(group: &str) -> &'static [(&'static str, &'static [&'static str])] {
    if group == "warp" { OPCODES } else { &[] }
}
