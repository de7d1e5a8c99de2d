//! Pages about several GPUs: those in folders of `results`, and the files that anybody can send.

use crate::support::Copy;
use common::ceilings::Quantity;
use common::report::Record;
use records::file::GpuRecord;
use serde_json::{Value, json};
use std::fs;

/// Writes the file of a GPU with the H200's times of stages 1 and 2, and without their comparisons.
fn write_file_of_gpu(book: &Copy) {
    let records = ["stage01", "stage02"].iter().flat_map(|stage| {
        let text = fs::read_to_string(book.file(&format!("results/nvidia-h200/{stage}.json"))).unwrap();
        serde_json::from_str::<Vec<Record>>(&text).unwrap()
    });
    let records: Vec<Value> = records.map(|record| records::make::brief(&record).unwrap()).collect();
    let device = json!({"name": "NVIDIA X1", "compute_capability": "9.0", "multiprocessors": 132, "memory_bytes": 1,
        "l2_bytes": null, "clock_mhz": null, "fp32_flops_per_second": null, "tensor_flops_per_second": null,
        "special_functions_per_second": null, "memory_bytes_per_second": null});
    let file = json!({"schema": 1, "device": device, "driver": "580", "date": "", "limits": [], "left_out": [],
        "records": records});
    fs::create_dir_all(book.file("results/community")).unwrap();
    fs::write(book.file("results/community/nvidia-x1.json"), file.to_string()).unwrap();
}

#[test]
fn the_file_of_a_gpu_has_columns_among_the_results() {
    let book = Copy::new();
    assert!(!book.page("results.md").contains("NVIDIA X1"));
    write_file_of_gpu(&book);
    let page = book.page("results.md");
    assert!(page.contains("NVIDIA X1") && page.contains("NVIDIA H100"), "{page}");
    let row = page.lines().find(|line| line.contains("computeForces_Shared</code>")).unwrap_or_default();
    // The H200's gain within stage 2, and that of the file, which has the rung below from stage 1.
    assert!(row.contains("1.87") && row.contains("1.88"), "{row}");
}

#[test]
fn kernels_that_change_order_are_named_with_the_rates_that_explain_it() {
    let book = Copy::new();
    write_file_of_gpu(&book);
    let page = book.page("different-on-yours.md");
    assert!(!page.contains("NVIDIA X1"), "its rates are not recorded");
    // A memory of a third of the rate, and three times the time of the kernel that it limits.
    let file = book.file("results/community/nvidia-x1.json");
    let mut gpu: GpuRecord = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    gpu.limits =
        serde_json::from_str(&fs::read_to_string(book.file("results/nvidia-h200/limits.json")).unwrap()).unwrap();
    for limit in gpu.limits.iter_mut().filter(|limit| limit.limit == Quantity::Memory) {
        limit.rate = limit.rate.map(|rate| rate / 3.0);
    }
    for record in gpu.records.iter_mut().filter(|record| record["kernel"] == "transposePadded") {
        for time in ["median", "low", "high"] {
            record["time_ms"][time] = (3.0 * record["time_ms"][time].as_f64().unwrap()).into();
        }
    }
    gpu.write(&file).unwrap();
    let page = book.page("different-on-yours.md");
    let (_, section) = page.split_once("NVIDIA X1").expect("a section");
    let order = "<code>transposePadded</code> is faster than <code>transposeTile</code> on the NVIDIA H200, and slower on the NVIDIA X1.";
    assert!(section.contains(order) && section.matches("The rates explain it.").count() == 1, "{section}");
    let row = section.lines().position(|line| line.contains("<code>transposePadded</code></td>")).expect("a row");
    let cells: Vec<&str> = section.lines().skip(row).take(6).collect();
    assert!(cells.concat().matches("3.00").count() == 2, "{cells:?}");
}
