//! The table keeps within its width.

use super::super::format::WIDTH;
use super::super::samples::{outcome, timing};
use super::*;

fn widest(headings: &[&str], row: &[&str]) -> usize {
    let cells = row.iter().map(|&text| text.to_owned()).collect();
    let title = "B  periodic N-body, 16384 bodies, 100000 steps".to_owned();
    let text = render_groups(headings, std::iter::once((title, cells)));
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn the_widest_rows_keep_within_the_width() {
    let name = "computeForces_Tiling_Shuffle";
    let baseline = format!("{name} ^");
    let name = baseline.as_str();
    let columns: Vec<&str> = GPU_COLUMNS.into_iter().chain([BELOW_COLUMN, RUST_COLUMN, "check"]).collect();
    let gpu =
        [name, "*131072x128", "12.3 ms", "12%", "12.3k", "12%", "255", "100%", "12.3k", "0.82", "1.02", "ok 1e-7"];
    assert!(widest(&columns, &gpu) <= WIDTH, "{}", widest(&columns, &gpu));
    let columns: Vec<&str> = EMULATOR_COLUMNS.into_iter().chain([RUST_COLUMN, "check"]).collect();
    let emulator =
        [name, "131072x128", "4.57G", "32.0", "32.0", "1234x", "1.23M", "1.23M", "0.1%", "100%", "1.02", "ok 1e-7"];
    assert!(widest(&columns, &emulator) <= WIDTH, "{}", widest(&columns, &emulator));
}

#[test]
fn counts_become_ratios_and_what_did_not_happen_is_a_dash() {
    let counters = Counters {
        warp_instructions: 1000,
        thread_instructions: 16_000,
        global_load_requests: 10,
        global_load_sectors: 45,
        branches: 8,
        divergent_branches: 2,
        ..Counters::default()
    };
    let cells = count_cells(&counters, 720.0);
    assert_eq!(cells, ["1000", "4.5", "-", "2x", "0", "0", "25%", "50%"]);
}

/// The twin of an outcome.
fn twin(kernel: &Outcome<'static>) -> Outcome<'static> {
    let mut twin = kernel.clone();
    twin.plan.in_rust = true;
    twin
}

fn instructions(warp_instructions: u64) -> Outcome<'static> {
    outcome(None, Some(Counters { warp_instructions, ..Counters::default() }))
}

#[test]
fn a_twin_is_compared_with_its_kernel_in_the_same_launch() {
    let own = outcome(Some(timing(4.0, 4.0, 4.0)), None);
    let mut beside = twin(&own);
    beside.timing = Some(timing(5.0, 5.0, 5.0));
    let rows = [own];
    assert_eq!(rust_cell(&rows[0], &rows, &[beside]), "1.25");
    assert_eq!(rust_cell(&rows[0], &rows, &[]), "-");
}

#[test]
fn a_twin_that_ran_at_another_size_is_compared_with_the_kernel_there() {
    let row = instructions(1000);
    let mut small = Outcome { is_beside: true, ..instructions(100) };
    small.plan.size.n = 64;
    let mut beside = twin(&small);
    beside.counters = Some(Counters { warp_instructions: 98, ..Counters::default() });
    let rows = [row];
    assert_eq!(rust_cell(&rows[0], &rows, &[small, beside.clone()]), "0.98");
    assert_eq!(rust_cell(&rows[0], &rows, &[beside]), "-", "nothing in the same launch");
}

#[test]
fn a_twin_with_wrong_results_says_so_in_its_column() {
    let rows = [instructions(100)];
    let mut wrong = twin(&rows[0]);
    wrong.report.failed = 1;
    assert_eq!(rust_cell(&rows[0], &rows, &[wrong]), "FAIL");
}

#[test]
fn a_twin_below_its_kernel_is_named_by_its_language() {
    let own = instructions(100);
    let twin = twin(&own);
    assert_eq!(name(&twin, &[own, twin.clone()]), "  in Rust");
    assert_eq!(name(&twin, std::slice::from_ref(&twin)), "computeForces");
}
