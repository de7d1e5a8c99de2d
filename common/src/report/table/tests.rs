//! The table keeps within its width.

use super::super::format::WIDTH;
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
    let columns: Vec<&str> = GPU_COLUMNS.into_iter().chain([BELOW_COLUMN, "check"]).collect();
    let gpu = [name, "*131072x128", "12.3 ms", "12%", "12.3k", "12%", "255", "100%", "12.3k", "0.82x", "ok 1e-7"];
    assert!(widest(&columns, &gpu) <= WIDTH, "{}", widest(&columns, &gpu));
    let columns: Vec<&str> = EMULATOR_COLUMNS.into_iter().chain(["check"]).collect();
    let emulator = [name, "131072x128", "4.57G", "32.0", "32.0", "1234x", "1.23M", "1.23M", "0.1%", "100%", "ok 1e-7"];
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
