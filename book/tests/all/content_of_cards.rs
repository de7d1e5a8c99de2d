//! The content check of kernels' cards: for each compared item, a copy in which it differs.

use crate::content::assert_finds;

const FORCES: &str = "stage01-naive/kernels/01_compute_forces.cu";
const TILES: &str = "stage02-shared/kernels/01_compute_forces_shared.cu";
const POINTS: &str = "stage05-coulomb/kernels/04_coarsened.cu";

/// Requires a finding if words of a kernel's file are replaced.
fn assert_card(file: &str, words: &str, others: &str, finding: &str) {
    assert_finds(&format!("{file}:"), finding, |copy| copy.edit(file, words, others));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_card_has_its_parts() {
    assert_card(
        FORCES,
        "// idea        ",
        "// thought     ",
        "the card has [\"shapes\", \"launch\", \"bottleneck\", \"thought\"",
    );
    assert_card(
        FORCES,
        "// f_i = G m_i sum_j m_j r / (|r|^2 + SOFTENING)^(3/2), r = x_j - x_i in three dimensions; \
                         the term j = i is zero.\n//\n",
        "",
        "does not begin with what the kernel computes",
    );
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_card_states_the_blocks_of_the_table() {
    assert_card(
        FORCES,
        "any block size.",
        "block = 256.",
        "launches blocks of 1 threads, which the card's launch does not allow",
    );
    assert_card(FORCES, "any block size.", "some block size.", "the card's launch says no size of block");
    let chunked = "stage02-shared/kernels/03_periodic_shared_strided.cu";
    assert_card(chunked, "block = 256.", "block = 128.", "launches blocks of 256 threads");
    let dynamic = "stage03-unroll/kernels/05_reduce_smem_unroll_dyn.cu";
    assert_card(
        dynamic,
        "a power of two in [64, 1024]",
        "a power of two in [64, 512]",
        "launches blocks of 1024 threads",
    );
    let shuffle = "stage04-shuffle/kernels/04_periodic_shuffle.cu";
    assert_card(shuffle, "a power of two in [32, 1024]", "a multiple of 64", "launches blocks of 32 threads");
    assert_card(POINTS, "block.x = 16", "block.x = 32", "launches blocks of 16 threads");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_card_states_the_grid_and_the_shared_memory_of_the_table() {
    assert_card(FORCES, "ceil(n / block)", "ceil(n / 2 block)", "does not say `ceil(n / block)`");
    assert_card(POINTS, "ceil(width / 128)", "ceil(width / 64)", "does not say `ceil(width / 128)`");
    let strided = "stage01-naive/kernels/02_compute_forces_tiling.cu";
    assert_card(strided, "any number of blocks", "some blocks", "does not say `any number of blocks`");
    let dynamic = "stage02-shared/kernels/06_nbody_sim.cu";
    assert_card(
        dynamic,
        "16 * block bytes",
        "8 * block bytes",
        "does not say `16 * block bytes of dynamic shared memory`",
    );
    assert_card(
        FORCES,
        "any block size.",
        "any block size, with 4 * block bytes of dynamic shared memory.",
        "of which the stage's table gives none",
    );
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn constants_of_the_code_are_those_of_the_table() {
    assert_card(POINTS, "int POINTS = 8;", "int POINTS = 4;", "POINTS is 4, and 8 in the stage's table");
    assert_card(POINTS, "int CHUNK = 4096;", "int CHUNK = 2048;", "CHUNK is 2048, and 4096");
    let sum = "stage03-unroll/kernels/04_reduce_smem_unroll.cu";
    assert_card(sum, "int PARTS = 4;", "int PARTS = 8;", "PARTS is 8, and 4");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn entry_points_are_those_of_the_table() {
    let strided = "stage02-shared/kernels/03_periodic_shared_strided.cu";
    assert_card(
        strided,
        "__launch_bounds__(256)",
        "__launch_bounds__(128)",
        "periodicSharedStrided is launched with 256 threads",
    );
    assert_card(
        TILES,
        "ENTRY_POINT(64)",
        "ENTRY_POINT(64)\nENTRY_POINT(96)",
        "no row of the stage's table launches computeForces_Shared_96",
    );
    assert_card(
        FORCES,
        "constexpr float GRAVITY",
        "extern \"C\" __global__ void more(int n);\nconstexpr float GRAVITY",
        "no row of the stage's table launches more",
    );
    assert_card(FORCES, "int n) {", "int n, int extra) {", "the card does not mention the parameter extra");
    assert_card(
        "stage05-coulomb/kernels/01_gather_global.cu",
        "extern \"C\"",
        "// extern",
        "launches coulombGather, which is not in this file",
    );
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn counters_that_a_card_names_exist() {
    assert_card(FORCES, "Counter: global_load_requests", "Counter: global_loads", "there is no counter global_loads");
    let shuffle = "stage04-shuffle/kernels/04_periodic_shuffle.cu";
    assert_card(shuffle, "Counters: barriers, shared", "Counters: stops, shared", "there is no counter stops");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_card_names_its_rung_below() {
    assert_card(TILES, "stage01's 01", "stage01's 02", "does not name `stage01's 01`");
    assert_card(
        "stage05-coulomb/kernels/04_coarsened.cu",
        "// bottleneck  03:",
        "// bottleneck  02:",
        "does not name `03`",
    );
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn what_a_card_says_was_measured_is_what_the_record_says() {
    let float4 = "stage03-unroll/kernels/07_nbody_sim_float4.cu";
    assert_card(
        float4,
        "slower than nbody_sim_unroll",
        "as fast as nbody_sim_unroll",
        "the record says otherwise: 0.85",
    );
    assert_card(float4, "slower than nbody_sim_unroll", "so so", "says nothing that can be checked");
    assert_card(float4, "on an H200", "on a K20c", "does not name the recorded device, H200");
    let constant = "stage05-coulomb/kernels/03_constant.cu";
    assert_card(constant, "about 8 times slower", "about 5 times slower", "the record says otherwise: 0.11");
}
