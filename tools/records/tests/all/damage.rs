//! Kinds of damage to a file, each of which is refused in its own words.

use crate::fixture::{check, h200, index};
use records::file::{Cause, GpuRecord, LeftOut};
use serde_json::{Value, json};

/// Requires that a damaged file is refused with these words, which begin with the record and the field.
fn refuses(words: &str, damage: impl FnOnce(&mut GpuRecord)) {
    refuses_all(&[words], damage);
}

/// Requires the same for each of several kinds of damage.
fn refuses_all(words: &[&str], damage: impl FnOnce(&mut GpuRecord)) {
    let mut file = h200();
    damage(&mut file);
    refuses_text(words, file.text().expect("JSON").as_bytes());
}

fn refuses_text(words: &[&str], text: &[u8]) {
    let lines: Vec<String> = check(text).iter().map(ToString::to_string).collect();
    for words in words {
        assert!(lines.iter().any(|line| line.contains(words)), "{words:?} is not in\n{}", lines.join("\n"));
    }
}

/// Requires the same of a file with a changed field in the record of `computeForces`.
fn refuses_field(words: &str, pointer: &str, value: Value) {
    refuses(&format!("stage01-naive, computeForces: {words}"), |file| set(file, "computeForces", pointer, value));
}

/// Sets a field of a kernel's record: `/time_ms/median`.
fn set(file: &mut GpuRecord, kernel: &str, pointer: &str, value: Value) {
    let record = index(file, kernel);
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    let parent = file.records[record].pointer_mut(parent).expect("a field");
    parent[field] = value;
}

/// Multiplies all times of a kernel, and its rates accordingly, so that the record agrees with itself.
fn scale(file: &mut GpuRecord, kernel: &str, factor: f64) {
    let record = index(file, kernel);
    let record = &mut file.records[record];
    for time in ["median", "low", "high"] {
        record["time_ms"][time] = (factor * record["time_ms"][time].as_f64().expect("a time")).into();
    }
    let rates = ["/rate/value", "/limit_share", "/interactions_per_second"];
    for field in rates {
        if let Some(rate) = record.pointer_mut(field) {
            *rate = (rate.as_f64().expect("a rate") / factor).into();
        }
    }
}

#[test]
fn edited_times() {
    refuses_field("rate.value: 6021.", "/time_ms/median", json!(0.89));
    refuses_field("interactions_per_second: 301093233235", "/time_ms/median", json!(0.89));
    refuses_field("interactions_per_second: none is not 301", "/interactions_per_second", Value::Null);
    refuses_field("limit_share: 0.5 is not the rate divided by the device's peak", "/limit_share", json!(0.5));
    refuses_field("time_ms.median: 0.5 ms is less than the fastest run, 0.889", "/time_ms/median", json!(0.5));
    refuses_field("time_ms.median: 0.99 ms is more than the slowest run, 0.894", "/time_ms/median", json!(0.99));
    refuses_field("time_ms.median: 0.891", "/time_ms/low", json!(0.5));
    refuses_field("rate.unit: GB/s is not GFLOP/s", "/rate/unit", json!("GB/s"));
    refuses_field("bytes_needed: 1 is not the 458752 bytes of this launch", "/bytes_needed", json!(1.0));
}

#[test]
fn times_that_are_none() {
    refuses_field("time_ms.low: 0 ms is no time", "/time_ms/low", json!(0.0));
    refuses_field("time_ms.low: -1 ms is no time", "/time_ms/low", json!(-1.0));
    refuses("computeForces): time_ms.median: it is missing, and not a number", |file| {
        set(file, "computeForces", "/time_ms/median", Value::Null);
    });
    refuses("computeForces): time_ms.high: it is \"fast\", and not a number", |file| {
        set(file, "computeForces", "/time_ms/high", json!("fast"));
    });
    refuses("computeForces): time_ms.median: it is missing", |file| {
        set(file, "computeForces", "/time_ms", Value::Null);
    });
    refuses_field("time_ms.runs: 2 are too few: at least 3", "/time_ms/runs", json!(2));
    let text = h200().text().expect("JSON").replacen("\"median\":0.", "\"median\":NaN,\"x\":0.", 1);
    refuses_text(&["file: it is no JSON: expected value at line"], text.as_bytes());
}

#[test]
fn times_that_the_device_cannot_reach() {
    let words = [
        "stage02-shared, transposePadded: time_ms.low: 0.0735",
        "% of the peak rate of the device's memory",
        "% of the measured rate of issue slots",
        "% of the measured rate of FP32",
        "ms is too short for 1000 launches",
    ];
    refuses_all(&words, |file| {
        scale(file, "transposePadded", 0.5);
        scale(file, "forcesThirdLaw", 0.5);
        scale(file, "matmulTallTile", 0.5);
        scale(file, "periodicGlobal", 0.001);
    });
}

#[test]
fn records_of_other_kernels_and_launches() {
    refuses_field("kernel_sha256: it is of another version of the kernel", "/kernel_sha256", json!("12ab"));
    refuses_field("code: \"NVRTC 12.9\" is not \"prebuilt PTX\", that of the repository", "/code", json!("NVRTC 12.9"));
    refuses_field("problem: \"B\" is not \"A\", the kernel's", "/problem", json!("B"));
    refuses_field("size: 1024 is not 16384, the tutorial's", "/size", json!(1024));
    refuses_field("steps: Some(3) is not None, the tutorial's", "/steps", json!(3));
    refuses_field("seed: 1 is not 1687, the default", "/seed", json!(1));
    refuses_field("grid: [64, 1, 1] is not [128, 1, 1], the kernel's default", "/grid", json!([64, 1, 1]));
    refuses_field("block: [256, 1, 1] is not [128, 1, 1], the kernel's default", "/block", json!([256, 1, 1]));
    refuses("stage05-coulomb, coulombConstant: parameters: ", |file| {
        set(file, "coulombConstant", "/parameters/width", json!(256));
    });
    refuses_field("registers: 300 is not in 1..=255", "/registers", json!(300));
    refuses_field("occupancy: 1.5 is not in 0 to 1", "/occupancy", json!(1.5));
}

#[test]
fn results_that_were_wrong_or_not_measured() {
    refuses_field("verified: its results were wrong", "/verified", json!(false));
    refuses_field("share_of_tolerance: 1.5 is not in 0 to 1", "/share_of_tolerance", json!(1.5));
    refuses_field("share_of_tolerance: it is missing", "/share_of_tolerance", Value::Null);
    refuses_field("max_rel_error: it is not in 0 to 1", "/max_rel_error", json!(-1.0));
    refuses_field("backend: it is of the emulator, and not of a GPU", "/backend", json!("emulator"));
}

#[test]
fn unknown_duplicate_and_missing_kernels() {
    refuses("(stage01-naive, sum): kernel: the repository has no such kernel", |file| {
        set(file, "computeForces", "/kernel", json!("sum"));
    });
    refuses("(stage02-shared, computeForces): kernel: computeForces is a kernel of stage01-naive", |file| {
        set(file, "computeForces", "/stage", json!("stage02-shared"));
    });
    refuses("stage01-naive, computeForces: kernel: it is recorded twice", |file| {
        let record = file.records[index(file, "computeForces")].clone();
        file.records.push(record);
    });
    refuses("stage01-naive, computeForces: kernel: it is neither recorded nor left out", |file| {
        file.records.remove(index(file, "computeForces"));
    });
    refuses("records: 0 kernels in CUDA C++ are recorded, less than half of the", |file| file.records.clear());
    refuses("stage01-naive, computeForces: left_out: it is left out, and also recorded", |file| {
        file.left_out.push(without("computeForces", Cause::Refused, "the driver refuses it"));
    });
    refuses("stage01-naive, sum: left_out: the repository has no such kernel", |file| {
        file.left_out.push(without("sum", Cause::Refused, "the driver refuses it"));
    });
}

fn without(kernel: &str, because: Cause, reason: &str) -> LeftOut {
    let language = common::recorded::Language::Cuda;
    LeftOut { stage: "stage01-naive".into(), kernel: kernel.into(), language, because, reason: reason.into() }
}

#[test]
fn reasons_that_are_not_true() {
    let refuses_reason = |words: &str, because, reason: &str| {
        refuses(&format!("stage01-naive, computeForces: left_out.reason: {words}"), |file| {
            file.records.remove(index(file, "computeForces"));
            file.left_out.push(without("computeForces", because, reason));
        });
    };
    refuses_reason("compute capability 9.0 suffices", Cause::ComputeCapability, "it needs more");
    refuses_reason("a block needs 0 bytes of shared memory, and can have 232448", Cause::SharedMemory, "too much");
    refuses_reason("141000000000 bytes of memory suffice", Cause::Memory, "out of memory");
    refuses_reason("it has no words", Cause::Refused, " ");
    refuses("stage08-matmul, matmulWarpgroup: device.compute_capability: it needs exactly", |file| {
        file.device.compute_capability = "12.0".into();
    });
}

#[test]
fn devices_that_cannot_be() {
    refuses("device.clock_mhz: 19800 MHz is not in 200.0..=4000.0", |file| file.device.clock_mhz = Some(19_800.0));
    refuses("device.multiprocessors: 0 is not in 1..=1024", |file| file.device.multiprocessors = 0);
    refuses("device.memory_bytes: 1000 is not in", |file| file.device.memory_bytes = 1000);
    refuses("device.memory_bytes_per_second: 1e0 is not in", |file| file.device.memory_bytes_per_second = Some(1.0));
    refuses("device.l2_bytes: the L2 cache is not smaller", |file| file.device.l2_bytes = Some(1 << 40));
    refuses("device.fp32_flops_per_second: 1e15 is not the 6.69", |file| {
        file.device.fp32_flops_per_second = Some(1e15)
    });
    refuses("device.compute_capability: 7.0 is older than 7.5", |file| file.device.compute_capability = "7.0".into());
    refuses("device.compute_capability: `sm_90` is not such as 8.6", |file| {
        file.device.compute_capability = "sm_90".into();
    });
    refuses("device.name: it is empty", |file| file.device.name = String::new());
    refuses("driver: it is `emulator`, and that of a GPU is such as", |file| file.driver = "emulator".into());
}

#[test]
fn records_of_another_device_or_time() {
    let other = "device: \"NVIDIA H100\" is not \"NVIDIA H200\", the file's device";
    refuses_field(other, "/device", json!("NVIDIA H100"));
    refuses_field("compute_capability: \"8.6\" is not \"9.0\", the file's", "/compute_capability", json!("8.6"));
    refuses_field("driver: \"535 (CUDA 12.2)\" is not", "/driver", json!("535 (CUDA 12.2)"));
    refuses_field("date: `2026-11-20T00:00:00Z` is not in the day after", "/date", json!("2026-11-20T00:00:00Z"));
    refuses_field("date: `soon` is not in the day after", "/date", json!("soon"));
    refuses("date: 2027-01-01T00:00:00Z is in the future", |file| file.date = "2027-01-01T00:00:00Z".into());
    refuses("date: `yesterday` is no time in UTC", |file| file.date = "yesterday".into());
}

#[test]
fn clocks_that_fell_or_cannot_be() {
    let clock = |before: u32, after: u32| json!({"sm_mhz": [before, after], "max_sm_mhz": 1980, "power_w": null, "temperature_c": 45, "throttled": []});
    let fell =
        "time_ms.clock.sm_mhz: the clock fell by 10 %, from 1900 to 1710 MHz: let the GPU cool, plug in a laptop";
    refuses_field(fell, "/time_ms/clock", clock(1900, 1710));
    let above = "time_ms.clock.sm_mhz: 2100 MHz is above the GPU's highest clock, 1980 MHz";
    refuses_field(above, "/time_ms/clock", clock(1900, 2100));
    refuses_field("time_ms.clock.sm_mhz: 19000 MHz is not in", "/time_ms/clock", clock(19_000, 19_000));
    let nothing = "record 1 (stage01-naive, computeForces): record: missing field `sm_mhz`";
    refuses(nothing, |file| set(file, "computeForces", "/time_ms/clock", json!({"throttled": []})));
    let because = |cause: &str, after: u32| json!({"sm_mhz": [1900, after], "max_sm_mhz": 1980, "throttled": [cause]});
    let hot = "time_ms.clock.throttled: the GPU was too hot: let it cool";
    refuses_field(hot, "/time_ms/clock", because("temperature", 1900));
    refuses_field("time_ms.clock.sm_mhz: the clock fell by 11 %", "/time_ms/clock", because("hardware", 1700));
    refuses_field("time_ms.clock.sm_mhz: the clock fell by 26 %", "/time_ms/clock", because("power", 1400));
    let mut file = h200();
    set(&mut file, "computeForces", "/time_ms/clock", clock(1900, 1830));
    set(&mut file, "computeForces_Tiling", "/time_ms/clock", because("power", 1700));
    assert_eq!(check(file.text().expect("JSON").as_bytes()), []);
}

#[test]
fn rates_of_units_that_cannot_be() {
    refuses("limits: fmaRate is there 0 times", |file| drop(file.limits.remove(0)));
    refuses("limits, fmaRate: kernel_sha256: it is of another version", |file| {
        file.limits[0].made.kernel_sha256 = Some("12ab".into());
    });
    refuses("limits, fmaRate: rate: 1 is not the amount divided by", |file| file.limits[0].rate = Some(1.0));
    refuses("limits, fmaRate: rate: it has no rate", |file| file.limits[0].time_ms = None);
    refuses("limits, fmaRate: clock_hz: the clock was 2.00 times the nominal one", |file| {
        file.limits[0].clock_hz = Some(3.96e9);
    });
    refuses("limits, fmaRate: multiprocessors: Some(144) is not 132", |file| {
        file.limits[0].multiprocessors = Some(144)
    });
    refuses("limits, fmaRate: device: NVIDIA H100, ", |file| file.limits[0].made.device = "NVIDIA H100".into());
    refuses("limits, fmaRate: verified: its results were wrong", |file| file.limits[0].verified = false);
    refuses("limits, other: kernel: the program limits has no such kernel", |file| {
        file.limits[0].kernel = "other".into()
    });
    refuses("limits, fmaRate: rate: 2.05", |file| {
        file.limits[0].amount *= 2.0;
        file.limits[0].rate = file.limits[0].rate.map(|rate| 2.0 * rate);
    });
    refuses("limits, fmaRate: time_ms: ", |file| {
        let time = file.limits[0].time_ms.as_mut().expect("times");
        time.low = 2.0 * time.high;
    });
}

#[test]
fn texts_that_are_no_file() {
    let text = h200().text().expect("JSON");
    refuses_text(&["file: it is no JSON: expected value at line 1 column 1"], b"hello");
    refuses_text(&["file: it is no JSON: EOF while parsing"], &text.as_bytes()[..text.len() / 2]);
    refuses_text(&["file: it is no JSON: EOF while parsing a value at line 1 column 0"], b"");
    refuses_text(&["schema: it is no number, and this program reads 1"], b"{}");
    refuses("schema: it is 2, and this program reads 1: record with this version", |file| file.schema = 2);
    let other = text.replacen("\"left_out\"", "\"lacks\"", 1);
    refuses_text(&["file: it is not the record of a GPU: unknown field `lacks`"], other.as_bytes());
    let large = text.clone() + &" ".repeat(300_000);
    refuses_text(&["bytes, of at most 300000"], large.as_bytes());
    refuses("(stage01-naive, computeForces): record: missing field `grid`", |file| {
        let record = index(file, "computeForces");
        file.records[record].as_object_mut().expect("an object").remove("grid");
    });
}

#[test]
fn a_file_outlives_its_kernels() {
    let mut file = h200();
    set(&mut file, "computeForces", "/kernel_sha256", json!("12ab"));
    file.records.remove(index(&file, "computeForces_Tiling"));
    file.left_out.push(without("deleted", Cause::Refused, "the driver refuses it"));
    crate::fixture::REPOSITORY.prune(&mut file);
    assert_eq!(check(file.text().expect("JSON").as_bytes()), []);
    let changed: Vec<&str> = file.left_out.iter().map(|one| one.kernel.as_str()).collect();
    assert!(changed.contains(&"computeForces") && !changed.contains(&"deleted"), "{changed:?}");
}
