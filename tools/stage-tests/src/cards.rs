//! Other cards than the recorded one, as the emulator's driver can be told to be.

use common::problem::Size;
use common::stage::{Plan, Rung, Shape, Stage};

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The compute capability of each card, the shared memory of a block in KiB, and the other properties.
const CARDS: [((i32, i32), u32, &str); 2] = [
    // a laptop of 2019, with the oldest driver
    ((7, 5), 64, "capability=7.5,memory=4096,multiprocessors=14,driver=12.1"),
    ((8, 9), 99, "capability=8.9,memory=8188,multiprocessors=24"),
];

/// On each card the program runs all kernels that the card has the means for, and names each of the others in a line.
pub fn each_runs_what_it_can(program: &str, stage: &Stage) {
    let has_points = stage.rungs.iter().any(|rung| rung.work.facts().has_parameter("height"));
    let points: &[&str] = if has_points { &["--width", "64", "--height", "16"] } else { &[] };
    for (capability, shared_kib, card) in CARDS {
        let mut command = Command::new(program);
        command.args(["--device", "emulator", "--no-estimate", "--json", "--n", "256"]).args(points);
        let output = command.env("COALESCED_DEVICE_PROPERTIES", card).output().expect("the program starts");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{card}: {words}");
        let records = String::from_utf8_lossy(&output.stdout);
        let ran: BTreeSet<String> = records.lines().map(kernel_of).collect();
        let fits = |rung: &&Rung| {
            let plan = Plan::new(rung, Size::new(256), Shape::block(rung.block)).expect("a plan");
            let is_new_enough = rung.compute_capability() <= capability && !rung.source.is_specific();
            is_new_enough && plan.shared_bytes() <= shared_kib << 10
        };
        let (can, cannot): (Vec<&Rung>, Vec<&Rung>) = stage.rungs.iter().copied().partition(fits);
        assert_eq!(ran, can.iter().map(|rung| rung.kernel.to_owned()).collect(), "{card}: {words}");
        let left_out: Vec<&str> = words.lines().filter(|line| line.contains(" left out: ")).collect();
        for rung in cannot {
            let is_named = |line: &&&str| line.split([',', ' ']).any(|word| word == rung.kernel);
            let line = left_out.iter().find(is_named);
            assert!(line.is_some_and(|line| line.contains("and this GPU has")), "{card}: {} in\n{words}", rung.kernel);
        }
    }
}

/// Returns the kernel of a record, whose results were correct.
fn kernel_of(record: &str) -> String {
    let record: Value = serde_json::from_str(record).expect("a record");
    assert_eq!(record["verified"], true, "{record}");
    record["kernel"].as_str().expect("a name").to_owned()
}
