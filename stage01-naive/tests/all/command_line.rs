//! The program as a user runs it: exit status, output and messages.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output};

fn stage(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stage01-naive"))
        .args(arguments)
        .env_remove("COALESCED_DEVICE")
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The program refuses these options with status 2, and its message has all of `parts`.
fn refuses(arguments: &[&str], parts: &[&str]) {
    let output = stage(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?} does not say {part:?}: {message}");
    }
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    refuses(&["--block", "0"], &["--block", "1..=1024"]);
    refuses(&["--block", "2000"], &["--block", "2000", "1..=1024"]);
    refuses(&["--block", "many"], &["--block", "many"]);
    refuses(&["--grid", "0"], &["--grid", "1..="]);
    refuses(&["--n", "0"], &["--n", "1..="]);
    refuses(&["--n", "-5"], &["--n", "-5 is not in 1..=1073741824"]);
    for option in ["--block", "--grid", "--steps", "--runs", "--seed"] {
        refuses(&[option, "-5"], &[option, "-5", "..="]);
    }
    refuses(&["--width", "64"], &["--width", "no kernel of stage01-naive takes this option"]);
    refuses(&["--steps", "0"], &["--steps", "1..=100000"]);
    refuses(&["--runs", "0"], &["--runs", "1..=10000"]);
    refuses(&["--device", "tpu"], &["--device", "auto, cuda, emulator"]);
    refuses(&["--device", "emulator", "--measure-limits"], &["--measure-limits", "there is no GPU"]);
}

#[test]
fn what_a_kernel_does_not_take_is_refused_by_its_name() {
    let too_many = ["--kernel", "computeForces", "--n", "1048577"];
    refuses(&too_many, &["--n 1048577", "computeForces", "1 to 1048576 bodies"]);
    refuses(&["--block", "100"], &["--block 100", "reduceGmem", "power of two from 32 to 1024"]);
    refuses(&["--kernel", "computeForces", "--grid", "8"], &["--grid 8", "grid-stride"]);
    refuses(&["--kernel", "computeForces_Tiling", "--grid", "16777216", "--block", "128"], &["--grid", "2^31"]);
    refuses(&["--kernel", "reduceGmem", "--steps", "5"], &["--steps 5", "no chosen kernel takes time steps"]);
    refuses(&["--kernel", "periodicGlobal", "--sweep"], &["--sweep", "no chosen kernel"]);
    refuses(&["--sweep", "--block", "64"], &["--sweep", "--block"]);
}

#[test]
fn a_misspelt_kernel_is_answered_with_near_names() {
    refuses(&["--kernel", "computForces"], &["computForces", "computeForces", "reduceGmem"]);
}

#[test]
fn the_list_names_every_kernel_and_its_file() {
    let output = stage(&["--list"]);
    let list = text(&output.stdout);
    assert!(output.status.success());
    for rung in stage01_naive::STAGE.rungs {
        assert!(list.contains(rung.kernel) && list.contains(rung.source.file), "{list}");
    }
    let lines = stage(&["--list", "--json"]);
    let first = text(&lines.stdout).lines().next().unwrap_or_default().to_owned();
    for field in [r#""problem":"A""#, r#""kernel":"computeForces""#, r#""file":"stage01-naive/kernels/"#] {
        assert!(first.contains(field), "{first}");
    }
}

#[test]
fn a_kernel_that_may_be_endless_is_ended_with_the_option_that_lets_it_run_on() {
    let output = stage(&["--device", "emulator", "--kernel", "computeForces", "--n", "1000", "--budget", "1000"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["instruction budget used up in kernel `computeForces`: this block has executed", "block (", "--budget"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
    refuses(&["--budget", "0"], &["--budget", "0 is not in 1.."]);
}

#[test]
fn help_goes_to_stdout_with_status_0() {
    let output = stage(&["--help"]);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("COALESCED_DEVICE"));
    let longest = text(&output.stdout).lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(100), "a line of {longest:?} columns");
}

#[test]
fn one_body_runs_on_the_emulator_and_names_it_first() {
    let output = stage(&["--device", "emulator", "--n", "1", "--steps", "1"]);
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{words}{}", text(&output.stderr));
    assert!(words.starts_with("No GPU (chosen with --device emulator)"), "{words}");
    for rung in stage01_naive::STAGE.rungs {
        assert!(words.contains(rung.kernel), "{words}");
    }
}

#[test]
fn a_report_keeps_within_a_hundred_columns() {
    const BANNER: usize = 1;
    let output = stage(&["--device", "emulator", "--n", "1025", "--steps", "2"]);
    for line in text(&output.stdout).lines().skip(BANNER) {
        assert!(line.chars().count() <= common::format::WIDTH, "{line}");
    }
}

#[test]
fn records_are_one_json_object_a_line_without_times_on_the_emulator() {
    let output = stage(&["--device", "emulator", "--json", "--n", "1000", "--steps", "2"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let records: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect();
    assert_eq!(records.len(), stage01_naive::STAGE.rungs.len());
    for record in &records {
        assert_eq!(record["stage"], "stage01-naive");
        assert_eq!(record["backend"], "emulator");
        assert_eq!(record["verified"], true);
        assert_eq!(record["size"], 1000);
        assert_eq!(record["time_ms"], Value::Null);
        assert_eq!(record["rate"], Value::Null);
        assert!(record["counters"]["warp_instructions"].as_u64() > Some(0), "{record}");
    }
    assert_eq!(records[0]["problem"], "A");
    assert_eq!(records[0]["grid"], serde_json::json!([8, 1, 1]));
    assert_eq!(records[0]["block"], serde_json::json!([128, 1, 1]));
}

#[test]
fn both_languages_have_a_record_each_and_compare_with_their_own() {
    let scratch = Scratch::new("both");
    let arguments = ["--device", "emulator", "--language", "both", "--n", "1000", "--steps", "2"];
    let recorded = stage(&[&arguments[..], &["--json"]].concat());
    let file = scratch.file("run.json");
    std::fs::write(&file, &recorded.stdout).expect("a file");
    let records: Vec<Value> =
        text(&recorded.stdout).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect();
    let rungs = stage01_naive::STAGE.rungs.len();
    assert_eq!(records.len(), 2 * rungs);
    for pair in records.chunks(2) {
        assert_eq!((&pair[0]["language"], &pair[1]["language"]), (&"cuda".into(), &"rust".into()));
        assert_eq!((&pair[0]["kernel"], &pair[0]["grid"]), (&pair[1]["kernel"], &pair[1]["grid"]));
        assert_ne!(pair[0]["kernel_sha256"], pair[1]["kernel_sha256"]);
    }
    let words = text(&stage(&[&arguments[..], &["--compare", &file]].concat()).stdout);
    assert_eq!(words.matches("same counts").count(), 2 * rungs, "{words}");
    assert_eq!(words.lines().filter(|line| line.starts_with("  in Rust ")).count(), rungs, "{words}");
}

#[test]
fn counters_of_twins_are_shown_where_both_languages_are_asked_for() {
    let arguments = ["--device", "emulator", "--kernel", "reduceGmem", "--n", "1000", "--counters"];
    let lines = |words: &str| words.lines().filter(|line| line.starts_with("  in Rust ")).count();
    assert_eq!(lines(&text(&stage(&arguments).stdout)), 0);
    assert_eq!(lines(&text(&stage(&[&arguments[..], &["--language", "both"]].concat()).stdout)), 1);
}

#[test]
fn counts_of_a_small_launch_are_those_of_its_source() {
    let arguments = ["--device", "emulator", "--json", "--kernel", "computeForces", "--n", "1024"];
    let record: Value = serde_json::from_slice(&stage(&arguments).stdout).expect("one record");
    let counters = &record["counters"];
    // 32 warps, each loading x, y, z and m of every source (1 sector), and once its own x, y, z, m (4 sectors each).
    assert_eq!(counters["global_load_requests"], 32 * (4 * 1024 + 4));
    assert_eq!(counters["global_load_sectors"], 32 * (4 * 1024 + 4 * 4));
    assert_eq!(counters["global_store_requests"], 32 * 3);
    assert_eq!(counters["global_store_sectors"], 32 * 3 * 4);
    assert_eq!(counters["barriers"], 0);
    assert_eq!(counters["divergent_branches"], 0);
}

#[test]
fn a_compiler_that_is_named_and_not_there_is_an_error_with_its_name() {
    let output = Command::new(env!("CARGO_BIN_EXE_stage01-naive"))
        .args(["--device", "emulator", "--compiler", "nvrtc", "--n", "1"])
        .env("COALESCED_NVRTC", "/nowhere/libnvrtc.so")
        .output()
        .expect("the program starts");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["--compiler nvrtc", "COALESCED_NVRTC", "/nowhere/libnvrtc.so"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn clang_is_chosen_like_nvrtc_and_named_if_it_is_not_there() {
    let output = Command::new(env!("CARGO_BIN_EXE_stage01-naive"))
        .args(["--device", "emulator", "--compiler", "clang", "--n", "1"])
        .env("COALESCED_CLANG", "/nowhere/clang")
        .output()
        .expect("the program starts");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("--compiler clang: COALESCED_CLANG names a file that is not a usable clang"), "{message}");
    assert!(message.contains("/nowhere/clang cannot be started"), "{message}");
}

#[test]
fn clang_compiles_the_kernels_and_is_named_in_the_first_line_and_in_records() {
    if let Err(missing) = cuda_cpp::Clang::find() {
        let _ = writeln!(std::io::stderr(), "skipped: command_line::clang_compiles_the_kernels: {missing}");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_stage01-naive"))
        .args(["--device", "emulator", "--compiler", "clang", "--n", "33", "--json", "--kernel", "computeForces"])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).lines().next().is_some_and(|line| line.contains("; CUDA C++ by clang ")));
    assert!(text(&output.stdout).contains("\"code\":\"clang "), "{}", text(&output.stdout));
}

#[test]
fn an_emulator_that_is_not_there_is_an_error_that_names_the_file() {
    let output = Command::new(env!("CARGO_BIN_EXE_stage01-naive"))
        .args(["--device", "emulator", "--n", "1"])
        .env("COALESCED_EMULATOR", "/nowhere/libemulator_driver.so")
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/nowhere/libemulator_driver.so"), "{}", text(&output.stderr));
}

#[test]
fn the_environment_chooses_a_device_and_the_option_wins() {
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_stage01-naive"))
            .args(["--kernel", "reduceGmem", "--n", "1"])
            .args(arguments)
            .env("COALESCED_DEVICE", "nonsense")
            .output()
            .expect("the program starts")
    };
    assert_eq!(run(&[]).status.code(), Some(2));
    assert_eq!(run(&["--device", "emulator"]).status.code(), Some(0));
}

/// A file that a test makes, and its folder; the folder goes at the end of the test.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("coalesced-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a scratch folder");
        Self(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on the folder being gone.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_that_no_chosen_kernel_makes_or_nobody_can_are_refused() {
    refuses(&["--kernel", "reduceGmem", "--track", "t.csv"], &["--track t.csv", "no chosen kernel", "periodic box"]);
    refuses(&["--track", "/nowhere/t.csv"], &["--track /nowhere/t.csv", "no folder /nowhere"]);
    refuses(&["--track", "."], &["--track .", "folder"]);
    let render = |kernel, file| ["--kernel", kernel, "--steps", "2", "--render", file];
    refuses(&render("periodicGlobal", "g.gif"), &["--render g.gif", "no chosen kernel moves a galaxy"]);
    refuses(&render("nbody_sim_notile", "g.png"), &["--render g.png", ".gif"]);
    refuses(&render("nbody_sim_notile", "/nowhere/g.gif"), &["--render /nowhere/g.gif", "no folder /nowhere"]);
    refuses(&["--render", "g.gif"], &["--steps"]);
}

#[test]
fn a_recording_that_is_not_there_or_not_one_is_refused() {
    let scratch = Scratch::new("not-a-recording");
    refuses(&["--compare", "abacus"], &["--compare abacus", "no such file", "results", "nvidia-h200"]);
    let file = scratch.file("broken.json");
    std::fs::write(&file, "{\"kernel\": \"computeForces\"}\n").expect("a file");
    refuses(&["--compare", &file], &["broken.json", "line 1 is not a record", "size"]);
    std::fs::write(&file, "[]").expect("a file");
    refuses(&["--compare", &file], &["broken.json", "no record"]);
}

#[test]
fn a_run_compared_with_its_own_record_has_the_same_counts() {
    let scratch = Scratch::new("compare");
    let arguments = ["--device", "emulator", "--n", "1000", "--steps", "2"];
    let recorded = stage(&[&arguments[..], &["--json"]].concat());
    let file = scratch.file("run.json");
    std::fs::write(&file, &recorded.stdout).expect("a file");
    let words = text(&stage(&[&arguments[..], &["--compare", &file]].concat()).stdout);
    assert_eq!(words.matches("same counts").count(), stage01_naive::STAGE.rungs.len(), "{words}");
    let other = stage(&["--device", "emulator", "--kernel", "computeForces", "--n", "33", "--compare", &file]);
    let other = text(&other.stdout);
    assert!(other.contains("Not recorded at 33 bodies, but at 1,000 bodies:\n  computeForces\n"), "{other}");
}

#[test]
fn a_recorded_gpu_time_is_shown_with_its_device_and_without_a_ratio() {
    let arguments = ["--device", "emulator", "--kernel", "reduceGmem", "--compare", "nvidia-h200"];
    let words = text(&stage(&[&arguments[..], &["--n", "1000"]].concat()).stdout);
    assert!(
        words.contains("Not recorded at 1,000 integers, but at 7 sizes from 65,536 integers to 268,435,456 integers"),
        "{words}"
    );
    let words = text(&stage(&[&arguments[..], &["--all-blocks"]].concat()).stdout);
    assert!(words.contains("Recorded on NVIDIA H200"), "{words}");
    assert!(words.contains("ESTIMATED  recorded") && words.contains("83.5 µs"), "{words}");
    assert!(words.contains("Recorded times were measured, and the emulator has none"), "{words}");
}

#[test]
fn chosen_columns_are_shown_and_an_unknown_one_is_answered_with_all() {
    let run = ["--device", "emulator", "--kernel", "computeForces", "--n", "100", "--language", "cuda"];
    let headings = |columns: &str| {
        let words = text(&stage(&[&run[..], &["--columns", columns]].concat()).stdout);
        words
            .lines()
            .find(|line| line.starts_with("kernel "))
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(headings("lanes,error"), "kernel grid x block lanes error result");
    assert!(
        text(&stage(&[&run[..], &["--columns", "all"]].concat()).stdout).contains("divergent"),
        "{}",
        headings("all")
    );
    refuses(&["--columns", "speed"], &["--columns", "no column `speed`", "sectors/load", "of-peak"]);
}

#[test]
fn at_most_four_lines_follow_the_tables() {
    for arguments in [&["--sweep"][..], &["--counters"], &["--columns", "all"], &[]] {
        let run = [&["--device", "emulator", "--n", "600", "--language", "cuda"][..], arguments].concat();
        let words = text(&stage(&run).stdout);
        let below: Vec<&str> = words.lines().rev().take_while(|line| !line.is_empty()).collect();
        assert!(below.len() <= 4 && below[0].starts_with("Read on: "), "{words}");
        assert!(words.lines().all(|line| line.chars().count() <= common::format::WIDTH), "{words}");
    }
}

#[test]
fn the_track_of_a_body_has_a_line_a_step_inside_of_the_box() {
    let scratch = Scratch::new("track");
    let file = scratch.file("track.csv");
    let run = ["--device", "emulator", "--kernel", "periodicGlobal", "--n", "100", "--steps", "7", "--track", &file];
    let output = stage(&run);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let track = std::fs::read_to_string(&file).expect("the track");
    let lines: Vec<&str> = track.lines().collect();
    assert_eq!((lines.len(), lines[0]), (9, "step,t,x,y"));
    assert!(lines[1].starts_with("0,0.000000,") && lines[8].starts_with("7,0.000700,"), "{track}");
    for line in &lines[1..] {
        let place: Vec<f32> = line.split(',').skip(2).map(|value| value.parse().expect("a number")).collect();
        assert!(place.len() == 2 && place.iter().all(|value| (0.0..1.0).contains(value)), "{line}");
    }
    assert_ne!(lines[1].split_once(",0.000000"), lines[8].split_once(",0.000700"), "the body moves");
}

#[test]
fn a_film_is_a_gif_and_its_energy_drift_is_recorded_and_small() {
    let scratch = Scratch::new("film");
    let file = scratch.file("galaxy.gif");
    let kernel = ["--device", "emulator", "--kernel", "nbody_sim_notile", "--n", "500"];
    let film = stage(&[&kernel[..], &["--steps", "30", "--render", &file, "--json"]].concat());
    assert!(film.status.success(), "{}", text(&film.stderr));
    assert!(text(&film.stderr).contains("drift"), "{}", text(&film.stderr));
    let bytes = std::fs::read(&file).expect("the film");
    assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(&[0x3B]));
    let record: Value = serde_json::from_slice(&film.stdout).expect("a record");
    let drift = record["energy_drift"].as_f64().expect("a drift");
    // Steps of first order gain some energy; of 30 short ones it cannot be much.
    assert!(drift != 0.0 && drift.abs() < 0.05, "{drift}");
    let without: Value = serde_json::from_slice(&stage(&[&kernel[..], &["--json"]].concat()).stdout).expect("a record");
    assert_eq!(without["energy_drift"], Value::Null);
}

#[test]
fn an_estimate_is_an_object_of_its_own_and_marked_in_the_table() {
    // a size without a record
    let kernel = ["--device", "emulator", "--kernel", "computeForces", "--n", "4000"];
    let with = |more: &[&str]| stage(&[&kernel[..], more].concat());
    let record: Value = serde_json::from_slice(&with(&["--json"]).stdout).expect("a record");
    let estimate = &record["estimate"];
    let time = &record["time_ms"];
    assert!(estimate["gpu"] == "H200" && time.is_null() && record["time"]["source"] == "estimated", "{record}");
    let nanoseconds = estimate["nanoseconds"].as_u64().expect("a time");
    assert!((100_000..500_000).contains(&nanoseconds), "{nanoseconds} ns");
    let without: Value = serde_json::from_slice(&with(&["--json", "--no-estimate"]).stdout).expect("a record");
    assert!(without.get("estimate").is_none() && without.get("time").is_none(), "{without}");
    assert!(text(&with(&[]).stdout).contains("times of an H200, ~ ESTIMATED from machine code"));
    assert!(!text(&with(&["--no-estimate"]).stdout).contains("ESTIMATED"));
}

#[test]
fn a_kernel_as_shipped_has_its_recorded_time_at_the_size_of_the_tutorial() {
    let kernel = ["--device", "emulator", "--kernel", "computeForces"];
    let record: Value = serde_json::from_slice(&stage(&[&kernel[..], &["--json"]].concat()).stdout).expect("a record");
    let time = &record["time"];
    assert!(time["source"] == "recorded" && time["gpu"] == "NVIDIA H200" && record["time_ms"].is_null(), "{record}");
    assert!(record["sampled"]["of"] == 128 && record["sampled"]["is_uniform"] == true, "{record}");
    let words = text(&stage(&kernel).stdout);
    assert!(words.contains("times recorded on an H200") && !words.contains('~'), "{words}");
}

#[test]
fn the_sample_output_in_the_readme_is_what_the_program_prints() {
    let readme = std::fs::read_to_string(loading::workspace_root().join("README.md")).expect("the README");
    let sample = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the sample");
    let printed = text(&stage(&["--device", "emulator"]).stdout);
    // The first line has the reason for the emulator, which is a machine's.
    let missing: Vec<&str> = sample.lines().skip(1).filter(|line| *line != "…" && !printed.contains(line)).collect();
    assert_eq!(missing, [""; 0], "{printed}");
    assert!(sample.lines().count() > 8, "{sample}");
}

/// Runs the program on an emulated device with these properties.
fn on_card(properties: &str, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_stage01-naive"));
    program.args(["--device", "emulator", "--no-estimate", "--n", "100000"]).args(arguments);
    program.env("COALESCED_DEVICE_PROPERTIES", properties).output().expect("the program starts")
}

#[test]
fn a_kernel_that_does_not_fit_in_memory_is_left_out_and_others_run() {
    let [large, small] = ["--kernel=computeForces", "--kernel=reduceGmem"];
    let both = on_card("memory=1", &[large, small]);
    let words = text(&both.stdout);
    let line = "computeForces, 100,000 bodies, is left out: it does not fit in this GPU's memory: ";
    assert!(words.contains(line) && words.contains(" of 1 MiB are free. A smaller --n may."), "{words}");
    assert!(words.lines().any(|line| line.starts_with("reduceGmem ") && line.ends_with(" correct")), "{words}");
    assert_eq!(both.status.code(), Some(0), "{}", text(&both.stderr));
    let alone = on_card("memory=1", &[large]);
    assert!(text(&alone.stderr).contains("error: no kernel ran"), "{}", text(&alone.stderr));
    assert_eq!(alone.status.code(), Some(1));
}

#[test]
fn a_kernel_that_a_display_ends_comes_with_advice_and_what_ran_is_shown() {
    let ended = on_card("time-limit=100000", &["--kernel=reduceGmem", "--kernel=nbody_sim_notile"]);
    let message = text(&ended.stderr);
    assert!(message.contains("cannot run nbody_sim_notile") && message.contains("LAUNCH_TIMEOUT"), "{message}");
    assert!(message.contains("This GPU has a display") && message.contains("A smaller --n"), "{message}");
    assert!(text(&ended.stdout).contains("\nreduceGmem "), "{}", text(&ended.stdout));
    assert_eq!(ended.status.code(), Some(1));
}
