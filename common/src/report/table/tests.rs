//! The columns of a table, its width, and the comparison with kernels in Rust.

use super::cells::instructions;
use super::*;
use crate::ceilings::{CountedBy, RatesBy, Shares};
use crate::columns::Chosen;
use crate::format::WIDTH;
use crate::kernel::{self, Resources};
use crate::outcome::Twin;
use crate::report::data::readings::File;
use crate::report::samples::{RUNG, outcome, timing, view, with_record};
use crate::session::Smaller;
use crate::stage::Rung;
use crate::timing::Timing;

static LONGEST: Rung = Rung { kernel: "computeForces_Tiling_Shuffle", below: Some(&RUNG), ..RUNG };

/// Returns the heading and the rows of the only table.
fn lines(rows: &[Outcome], chosen: Option<&str>, with_counters: bool) -> Vec<String> {
    let chosen = chosen.map(|names| Chosen::parse(names).expect("columns"));
    let text = render(&View { chosen: chosen.as_ref(), with_counters, ..view(rows) });
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn counters() -> Counters {
    Counters {
        warp_instructions: 1000,
        thread_instructions: 16_000,
        global_load_requests: 10,
        global_load_sectors: 45,
        branches: 8,
        divergent_branches: 2,
        ..Counters::default()
    }
}

/// A timed outcome with every number.
fn timed(rung: &'static Rung, median: f64) -> Outcome<'static> {
    let mut outcome = outcome(Some(timing(median, median, median)), None);
    outcome.run.plan.rung = rung;
    outcome.run.cost.amount = 5.4e9;
    outcome.run.resources = Resources { registers: Some(32), occupancy: Some(1.0), ..Resources::default() };
    outcome.cpu.as_mut().expect("sampled").serial_ms = 988.0;
    let of_limit = [(Unit::Issue, 0.28), (Unit::Memory, 0.0)].into();
    outcome.shares = Some(Shares {
        of_limit,
        busiest: Unit::Issue,
        counted_by: CountedBy::MachineCode,
        instructions: None,
        wavefronts_by: CountedBy::MachineCode,
        rates_by: RatesBy::default(),
    });
    outcome
}

#[test]
fn limits_of_other_machine_code_are_marked_and_explained() {
    let mut row = timed(&RUNG, 1.0);
    let mut limited = |counted_by| {
        let shares = row.shares.as_mut().expect("shares");
        (shares.counted_by, shares.of_limit) = (counted_by, [(Unit::Issue, 0.8)].into());
        lines(&[row.clone()], Some("time,limited-by"), false).join("\n")
    };
    let exact = limited(CountedBy::MachineCode);
    assert!(exact.contains(" issue slots 80 % ") && !exact.contains('~'), "{exact}");
    let of_other = limited(CountedBy::OtherMachineCode);
    let reason = "\n~ not exact: counted in the machine code of another compute capability.";
    assert!(of_other.contains(" ~issue slots 80 % ") && of_other.contains(reason), "{of_other}");
    assert!(limited(CountedBy::Emulator).contains("~ not exact: counted in PTX"));
}

#[test]
fn counts_become_ratios_and_columns_of_zeros_are_left_out() {
    let mut row = outcome(None, Some(counters()));
    row.run.cost.bytes_needed_by_a_launch = 720.0;
    assert_eq!(
        lines(&[row], None, false),
        [
            "A all-pairs forces, 1,024 bodies",
            "kernel grid x block instructions sectors/load traffic divergent lanes result",
            "computeForces 8 x 128 1,000 4.5 2.00x 25 % 50 % correct",
        ]
    );
}

#[test]
fn a_column_of_equal_values_is_left_out_unless_it_is_a_main_number() {
    let one = outcome(None, Some(counters()));
    let mut other = outcome(None, Some(Counters { branches: 16, ..counters() }));
    other.run.plan.rung = &LONGEST;
    let lines = lines(&[one, other], None, false);
    assert_eq!(lines[1], "kernel grid x block instructions traffic divergent result");
}

#[test]
fn on_a_gpu_the_counts_are_recorded_ones_and_the_cpu_has_rows() {
    let rows = [with_record(timed(&RUNG, 0.8904), None, Some(counters()))];
    let shown = lines(&rows, None, false);
    let expected = [
        "A all-pairs forces, 1,024 bodies times measured, counts recorded",
        "kernel time limited by sectors/load traffic vs CPU result",
        "computeForces 0.890 ms 8 of 132 SMs 4.5 1,440x 1,110x correct",
        "1 CPU thread 988 ms 1.00x",
    ];
    assert_eq!(shown, expected);
    let shown = lines(&rows, Some("rate,of-peak"), false);
    assert_eq!(shown[0], "A all-pairs forces, 1,024 bodies, GFLOP/s times measured, counts recorded");
    assert_eq!(shown[2], "computeForces 8 x 128 6,065 9 % correct");
}

#[test]
fn the_tables_of_both_devices_differ_only_in_the_source_of_the_times() {
    let table = |rows: &[Outcome<'static>]| {
        let text = render(&View { has_times: true, ..view(rows) });
        let (title, table) = text.split_once('\n').expect("a title");
        (title.split("  ").last().map(|note| note.trim().to_owned()), table.to_owned())
    };
    let device = |measured: fn(Outcome<'static>, Timing) -> Outcome<'static>| {
        [(&RUNG, 0.8904), (&LONGEST, 0.3)].map(|(rung, median)| {
            let row = measured(timed(rung, median), timing(median, median, median));
            Outcome { cpu: None, ..row }
        })
    };
    let on_a_gpu = device(|row, _| with_record(row, None, Some(counters())));
    let emulated = device(|mut row, time| {
        (row.run.timing, row.run.counters) = (None, Some(counters()));
        let mut row = with_record(row, Some(time), None);
        row.recorded.as_mut().expect("a record").occupancy = Some(1.0);
        row
    });
    let [(measured, one), (recorded, other)] = [table(&on_a_gpu), table(&emulated)];
    assert_eq!(one, other);
    assert_eq!(measured.as_deref(), Some("times measured, counts recorded"));
    assert_eq!(recorded.as_deref(), Some("times recorded on an H200"));
}

#[test]
fn kernels_without_recorded_counts_have_dashes_and_a_reason() {
    let mut edited = with_record(timed(&LONGEST, 0.3), None, Some(counters()));
    edited.run.is_edited = true;
    let mut compiled = with_record(timed(&LONGEST, 0.3), None, Some(counters()));
    compiled.run.code = "NVRTC 12.9".into();
    let mut other = timed(&LONGEST, 0.3);
    other.run.code = kernel::PREBUILT.into();
    for (row, reason) in [
        (edited, "the kernel was edited"),
        (compiled, "compiled by another compiler"),
        (other, "no count is recorded of this size and shape"),
    ] {
        let rows = [with_record(timed(&RUNG, 0.8904), None, Some(counters())), row];
        let shown = lines(&rows, None, false);
        assert!(shown.iter().any(|line| line.ends_with("- - 3,293x correct")), "{shown:?}");
        let last = shown.last().expect("a note");
        assert_eq!(*last, format!("- not counted: {reason}; --counters counts it on the emulator."));
        assert!(!lines(&rows, Some("rate"), false).join("").contains("not counted"));
    }
}

#[test]
fn the_longest_names_leave_room_for_what_matters() {
    let rows = [timed(&RUNG, 0.89), timed(&LONGEST, 0.3)];
    let shown = lines(&rows, None, false);
    for heading in ["time", "gain", "limited", "result"] {
        assert!(shown[1..3].iter().any(|line| line.contains(heading)), "{heading} is not in {shown:?}");
    }
}

#[test]
fn chosen_columns_are_shown_in_the_order_of_all_and_all_means_all_with_a_value() {
    let rows = [timed(&RUNG, 0.8904)];
    let shown = lines(&rows, Some("registers,time"), false);
    assert_eq!(shown[1], "kernel grid x block time registers result");
    let all = lines(&rows, Some("all"), false).join(" ");
    for heading in ["occupancy", "range", "issue", "memory", "error"] {
        assert!(all.contains(heading), "{heading} is not in {all}");
    }
    assert!(!all.contains("shuffles"), "{all}");
}

#[test]
fn the_best_shape_of_a_sweep_is_marked_on_both_devices() {
    let shapes = |rows: &[Outcome<'static>]| {
        let sweep = View { is_sweep: true, ..view(rows) };
        let text = render(&sweep);
        text.lines()
            .filter(|line| line.starts_with(RUNG.kernel))
            .map(|line| line.contains("fastest") || line.contains("fewest") || line.contains("least"))
            .collect::<Vec<_>>()
    };
    let timed = [timed(&RUNG, 2.0), timed(&RUNG, 1.0)];
    assert_eq!(shapes(&timed)[..2], [false, true]);
    let counted = |warp_instructions, global_load_sectors| {
        outcome(None, Some(Counters { warp_instructions, global_load_sectors, ..counters() }))
    };
    assert_eq!(shapes(&[counted(10, 5), counted(9, 5)]), [false, true]);
    assert_eq!(shapes(&[counted(10, 4), counted(9, 5)]), [true, false]);
}

#[test]
fn the_version_in_rust_is_a_ratio_and_wrong_results_say_so() {
    let mut row = outcome(None, Some(counters()));
    assert_eq!(in_rust(&row), "-");
    row.twin = Some(Twin { ratio: Some(0.984), passed: true, runs: Vec::new() });
    assert_eq!(in_rust(&row), "0.98");
    row.twin = Some(Twin { ratio: Some(1.0), passed: false, runs: Vec::new() });
    assert_eq!(in_rust(&row), "WRONG");
}

#[test]
fn a_gain_over_a_row_further_up_says_how_far_and_noise_is_no_gain() {
    let rows = [timed(&RUNG, 2.0), timed(&LONGEST, 1.0), timed(&LONGEST, 1.99)];
    let mut gains: Vec<String> = rows.iter().map(|row| cells::gain(row, &rows)).collect();
    assert_eq!(gains, ["-", "2.00x", "same"]);
    point_up(&mut gains, &rows);
    assert_eq!(gains, ["-   ", "2.00x   ", "same ↑2"]);
}

#[test]
fn instructions_are_of_machine_code_unless_a_kernel_of_the_table_was_edited() {
    let counted = |rung, median, instructions| {
        let mut row = timed(rung, median);
        row.run.counters = Some(counters());
        row.shares.as_mut().expect("shares").instructions = instructions;
        row
    };
    let shown = |rows: &[Outcome]| rows.iter().map(|row| instructions(row, rows)).collect::<Vec<_>>();
    let mut rows = [counted(&RUNG, 2.0, Some(800.0)), counted(&LONGEST, 1.0, None)];
    assert_eq!(shown(&rows), [Some(800.0), Some(1000.0)]);
    let text = lines(&rows, Some("instructions"), false).join("\n");
    assert!(text.contains(" ~1,000 ") && text.contains("\n~ not exact: counted in PTX"), "{text}");
    rows[1].run.timing = None;
    assert_eq!(shown(&rows), [Some(1000.0); 2]);
    assert!(!lines(&rows, Some("instructions"), false).join("\n").contains('~'));
}

#[test]
fn counts_at_a_smaller_size_are_not_shown() {
    let mut row = outcome(None, Some(counters()));
    row.run.smaller = Some(Smaller { n: 512, is_counted: true });
    let text = lines(&[row, outcome(None, Some(counters()))], None, false).join("\n");
    assert!(!text.contains('*') && text.contains("\n- not counted: its blocks depend on each other"), "{text}");
}

#[test]
fn a_row_in_rust_below_its_kernel_is_named_by_its_language() {
    let own = outcome(None, Some(counters()));
    let mut twin = own.clone();
    twin.run.plan.in_rust = true;
    assert_eq!(name(&twin, &[own, twin.clone()]), "  in Rust");
    assert_eq!(name(&twin, std::slice::from_ref(&twin)), "computeForces");
}

#[test]
fn a_recorded_difference_is_marked_with_its_reason_and_a_malformed_record_is_an_error() {
    let mut readings = Readings::default();
    let text = r#"{"kernels": [{"kernel": "computeForces", "differs": {"global_load_sectors": "ptxas joins reads"}}]}"#;
    readings.add(serde_json::from_str(text).expect("a record"));
    let rows = [outcome(None, Some(counters()))];
    let marked = View { readings: &readings, with_counters: true, ..view(&rows) };
    let text = render(&marked);
    assert!(text.contains(" ~4.5 ") && text.ends_with("\n~ not exact: ptxas joins reads.\n"), "{text}");
    assert!(!render(&View { with_counters: true, ..view(&rows) }).contains('~'));
    assert!(serde_json::from_str::<File>(r#"{"kernels": 1}"#).is_err());
}
