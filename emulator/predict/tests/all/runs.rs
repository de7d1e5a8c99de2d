//! Estimates depend on the launch alone; runs of several launches.

use crate::support::{Argument, kernel, scene};
use emulator::Scene;
use predict::{Estimate, H200, Limiter, Prediction, RunEstimate, Way, predict, run};

/// A loop of `turns` turns around these instructions.
fn looped(turns: u32, body: &str) -> String {
    kernel(&format!(
        "mov.u32 %r9, 0;\nmul.wide.u32 %rd8, %r1, 4;\nadd.s64 %rd9, %rd1, %rd8;\nTURN:\n{body}\nadd.u32 %r9, %r9, 1;\n\
         setp.lt.u32 %p1, %r9, {turns};\n@%p1 bra TURN;\nst.global.f32 [%rd9], %f2;"
    ))
}

fn estimate(ptx: &str, grid: u32, block: u32) -> Estimate {
    predict(&H200, &scene(ptx, "k", (grid, block), 1 << 20, &[Argument::Pointer(0)]), None).expect("an estimate")
}

/// Each multiply-add waits four cycles for the one before.
#[test]
fn dependent_operations_take_their_latency() {
    let body = "fma.rn.f32 %f2, %f2, %f2, %f2;\n".repeat(100);
    let cycles = |turns| estimate(&looped(turns, &body), 1, 32).cycles;
    let each = (cycles(30) - cycles(10)) as f64 / 2000.0;
    assert!((4.0..4.3).contains(&each), "{each} cycles");
    assert_eq!(estimate(&looped(100, &body), 1, 32).limiter, Limiter::Dependency);
}

/// 32 lanes that read different words of one bank take 32 wavefronts.
#[test]
fn bank_conflicts_take_a_wavefront_each() {
    let loads = |shift: u32| {
        let body = format!(
            "shl.b32 %r2, %r1, {shift};\nand.b32 %r2, %r2, 4095;\nmov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\n"
        );
        looped(100, &(body + &"ld.shared.f32 %f2, [%r2];\n".repeat(50)))
    };
    let without = estimate(&loads(2), 1, 1024).cycles;
    let with = estimate(&loads(7), 1, 1024).cycles;
    assert!((28..=33).contains(&(with / without)), "{with} instead of {without} cycles");
}

#[test]
fn twice_the_waves_take_twice_the_time() {
    let ptx = looped(100, &"fma.rn.f32 %f2, %f2, %f2, %f2;\n".repeat(20));
    let ten = estimate(&ptx, 132 * 80, 256);
    let twenty = estimate(&ptx, 132 * 160, 256);
    let ratio = twenty.cycles as f64 / ten.cycles as f64;
    assert!((1.95..2.05).contains(&ratio), "{ratio}");
    assert!(twenty.is_extrapolated);
}

#[test]
fn blocks_without_work_do_not_stand_for_the_grid() {
    let body = "mov.u32 %r5, %ctaid.x;\nsetp.gt.u32 %p2, %r5, 20;\n@%p2 bra END;";
    let code =
        looped(2000, "fma.rn.f32 %f2, %f2, %f2, %f2;").replace("mov.u32 %r9, 0;", &format!("{body}\nmov.u32 %r9, 0;"));
    let code = code.replace("\nret;", "\nEND:\nret;");
    let few = estimate(&code, 21, 32).cycles;
    let all = estimate(&code, 132, 32).cycles;
    assert!(all > few / 2, "{all} cycles of 132 blocks, {few} of 21");
}

/// Of blocks with so many instructions, only a few are weighed.
#[test]
fn the_heavier_blocks_at_the_end_of_a_grid_are_found_although_blocks_are_long() {
    let turns = |of_late: u32| {
        let body = format!("mov.u32 %r5, %ctaid.x;\nsetp.gt.u32 %p2, %r5, 80;\nselp.u32 %r6, {of_late}, 5000, %p2;");
        let fma = "fma.rn.f32 %f2, %f2, %f2, %f2;\n".repeat(10);
        let code = looped(0, &fma).replace("%r9, 0;\n@", "%r9, %r6;\n@");
        estimate(&code.replace("mov.u32 %r9, 0;", &format!("{body}\nmov.u32 %r9, 0;")), 132, 512).cycles
    };
    let [equal, longer] = [5000, 20_000].map(turns);
    assert!(longer > 2 * equal, "{longer} cycles, and {equal} if blocks are equal");
}

#[test]
fn an_estimate_is_the_same_again() {
    let ptx = looped(50, &"ld.global.f32 %f2, [%rd9];\nbar.sync 0;\n".repeat(5));
    assert_eq!(estimate(&ptx, 500, 128), estimate(&ptx, 500, 128));
}

#[test]
fn a_run_is_the_sum_of_its_launches_and_has_a_band() {
    let launch = estimate(&looped(20_000, "fma.rn.f32 %f2, %f2, %f2, %f2;"), 132, 128);
    let each = H200.nanoseconds(launch.cycles);
    let twice = run(&H200, vec![Prediction::Estimate(launch.clone()); 2]).expect("a run");
    let nanoseconds = twice.nanoseconds;
    let band = twice.band;
    assert!(nanoseconds.abs_diff(2 * each + 5120 + 2977) <= 1, "{nanoseconds} ns");
    assert!(band.0 < nanoseconds && nanoseconds < band.1);
    assert_eq!(twice.launches.len(), 1);
}

#[test]
fn a_run_with_a_refused_launch_has_no_estimate() {
    let short = estimate(&looped(1, "fma.rn.f32 %f2, %f2, %f2, %f2;"), 1, 32);
    assert!(run(&H200, vec![Prediction::Estimate(short)]).is_ok());
    assert_eq!(run(&H200, vec![Prediction::Refused("no".into())]).unwrap_err(), "no");
}

#[test]
fn a_band_is_shown_with_two_digits_and_one_unit() {
    let text = |low, high| {
        let gpu = "H200".to_owned();
        let limiter = Limiter::Issue;
        let launches = Vec::new();
        let nanoseconds = low;
        let band = (low, high);
        RunEstimate { gpu, cycles: 2 * low, nanoseconds, band, limiter, way: Way::Ptx, launches }.band_text()
    };
    let texts = [(15_400, 27_000), (85_000, 150_400), (855_000, 1_504_000), (1_234_000_000, 2_345_000_000)];
    let texts = texts.map(|(low, high)| text(low, high));
    assert_eq!(texts, ["15-27 µs", "85-150 µs", "0.86-1.5 ms", "1.2-2.3 s"]);
}

/// The lanes of the data sheet start a warp of multiply-adds every cycle.
#[test]
fn independent_multiply_adds_take_the_cycles_of_the_lanes() {
    let body: String = (2..34).map(|number| format!("fma.rn.f32 %f{number}, %f1, %f1, %f{number};\n")).collect();
    let ptx = looped(200, &body);
    let each = estimate(&ptx, 1, 512).cycles as f64 / (4.0 * 32.0 * 200.0);
    assert!((1.0..1.15).contains(&each), "{each} cycles");
}

/// The shared memory of two blocks does not fit: the next one starts when the place of the one before is free.
#[test]
fn a_multiprocessor_with_one_place_executes_all_of_its_blocks() {
    let ptx = looped(20, &"fma.rn.f32 %f2, %f2, %f2, %f2;\n".repeat(100));
    let scene_of = |grid| {
        let scene = scene(&ptx, "k", (grid, 32), 1 << 20, &[Argument::Pointer(0)]);
        Scene { shared_bytes: 160_000, ..scene }
    };
    let cycles = |grid| predict(&H200, &scene_of(grid), None).expect("an estimate").cycles;
    let one = cycles(132);
    let three = cycles(396);
    assert!(three.abs_diff(3 * one + 2 * H200.latency.next_block) < one / 20, "{one} and {three}");
}

/// The thread of one block in sixteen loops; the others end at once. All multiprocessors have such a block at a time.
#[test]
fn blocks_with_unequal_work_are_dealt_out() {
    let body = "mov.u32 %r2, %ctaid.x;\nand.b32 %r3, %r2, 15;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\n\
                mov.u32 %r4, 0;\nAGAIN:\nfma.rn.f32 %f2, %f2, %f2, %f2;\nadd.u32 %r4, %r4, 1;\n\
                setp.lt.u32 %p2, %r4, 2000;\n@%p2 bra AGAIN;\nEND:";
    let cycles = |grid| estimate(&kernel(body), grid, 32).cycles;
    let [one, many] = [cycles(16), cycles(132 * 16 * 64)];
    // 64 blocks with work for each multiprocessor, 32 of which are resident.
    assert!((one..5 * one).contains(&many), "{one} cycles of 16 blocks, {many} of 8,448 with work");
    assert!(many > 2 * one, "{one} cycles of 16 blocks, {many} of 8,448 with work");
}
