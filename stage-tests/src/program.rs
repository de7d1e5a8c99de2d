//! The stage's program as a user meets it.

use common::stage::{Rung, Stage};
use std::process::Command;

/// Columns of text that a table keeps within.
const WIDTH: usize = 100;

fn output(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(["--device", "emulator"]).args(arguments).output().expect("the program starts");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{words}{}", String::from_utf8_lossy(&output.stderr));
    words
}

/// Every kernel of the stage's own is compared with its rung below, which the stage lists before it; only a kernel that
/// the stage lists before any other of its problem may begin a ladder.
pub fn steps_are_compared(program: &str, stage: &Stage) {
    let words = output(program, &["--n", "1000", "--steps", "2"]);
    for (place, rung) in stage.rungs.iter().enumerate().filter(|(_, rung)| !stage.is_baseline(rung)) {
        let Some(below) = rung.below.map(|below| below.kernel) else {
            let of_its_problem = |other: &&Rung| other.work.facts() == rung.work.facts();
            let is_first = !stage.rungs[..place].iter().copied().any(|other| of_its_problem(&other));
            assert!(is_first, "{} has no rung below", rung.kernel);
            continue;
        };
        assert!(stage.rungs[..place].iter().any(|rung| rung.kernel == below), "{below} is not before {}", rung.kernel);
        let step = format!("{} from {below} ", rung.kernel);
        assert!(words.lines().any(|line| line.starts_with(&step)), "no step {step}in\n{words}");
    }
}

/// The table has a line for each rung of the stage, all within 100 columns; in the column before the last is what the
/// twins in Rust take, where no language is asked for.
pub fn table_fits(program: &str, stage: &Stage) {
    let table = table_lines(program, &[]);
    for rung in stage.rungs {
        let begins = format!("{} ", rung.kernel);
        let line = table.iter().find(|line| line.starts_with(&begins));
        let line = line.unwrap_or_else(|| panic!("{} is not in\n{}", rung.kernel, table.join("\n")));
        let cells: Vec<&str> = line.split_whitespace().rev().collect();
        // "ok 8e-6" or "exact"
        let cell = cells[if cells[0] == "exact" { 1 } else { 2 }];
        let is_ratio = cell.parse::<f64>().is_ok_and(|ratio| (0.5..1.5).contains(&ratio));
        let has_twins = stage.rungs.iter().any(|rung| rung.source.rust.is_some());
        assert!(!has_twins || if rung.source.rust.is_some() { is_ratio } else { cell == "-" }, "{cell} in {line}");
    }
    for line in table.iter().map(String::as_str) {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    assert!(!table_lines(program, &["--language", "cuda"]).concat().contains("Rust"));
    for line in stage.lesson {
        assert!(line.chars().count() <= 110, "{line}");
    }
}

/// The lines of the table, with its heading.
fn table_lines(program: &str, arguments: &[&str]) -> Vec<String> {
    let words = output(program, &[&["--n", "1025", "--steps", "2"], arguments].concat());
    words.lines().skip(2).take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}
