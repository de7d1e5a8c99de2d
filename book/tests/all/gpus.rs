//! Pages about several GPUs: those in folders of `results`, and the files that anybody can send.

use crate::support::Copy;
use common::report::Record;
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
