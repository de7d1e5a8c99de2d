//! What Nsight Compute is asked for, and which counter of the emulator it is.

/// A counter, and the metrics whose sum it is.
pub type Sum = (&'static str, &'static [&'static str]);

/// Traffic of global memory.
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

/// Asynchronous copies from global to shared memory, which the memory pipeline counts among loads: their kernels have no
/// others.
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

/// Passes over the banks, as the memory pipeline counts them.
const SHARED: &[Sum] = &[
    ("shared_load_wavefronts", &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]),
    ("shared_load_conflicts", &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]),
    ("shared_store_wavefronts", &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]),
    ("shared_store_conflicts", &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"]),
    ("shared_atomic_wavefronts", &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"]),
    ("shared_atomic_conflicts", &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"]),
];

/// Passes over the banks, as counted for each instruction. With several warps the pipeline also counts passes in which a
/// store waits for another warp, more or fewer in each run.
const SHARED_BY_INSTRUCTION: &[Sum] = &[
    ("shared_load_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]),
    ("shared_store_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]),
    ("shared_atomic_wavefronts", &["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"]),
];

/// Distinct addresses of constant loads beyond the first of each. Kernels of other groups have their table in a constant
/// bank and would count its loads.
const CONSTANT: &[Sum] = &[("constant_load_replays", &["sm__idc_divergent_instruction_replays.sum"])];

/// Branches whose active lanes part. In other groups the compiler branches where the PTX has a predicate.
const BRANCH: &[Sum] = &[("divergent_branches", &["smsp__sass_branch_targets_threads_divergent.sum"])];

/// Instructions that warps execute, by opcode.
pub const PER_OPCODE: &str = "sass__inst_executed_per_opcode";

/// Counters that are numbers of instructions, by the opcodes of an H200.
const OPCODES: &[(&str, &[&str])] = &[("barriers", &["BAR"]), ("shuffles", &["SHFL"]), ("votes", &["VOTE", "VOTEU"])];

/// The sums that are read in a group.
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

/// The opcodes that are read in a group.
pub fn opcodes(group: &str) -> &'static [(&'static str, &'static [&'static str])] {
    if group == "warp" { OPCODES } else { &[] }
}
