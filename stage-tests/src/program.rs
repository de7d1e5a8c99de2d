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

/// The table has a line for each rung of the stage, all within 100 columns.
pub fn table_fits(program: &str, stage: &Stage) {
    let words = output(program, &["--n", "1025", "--steps", "2"]);
    let table: Vec<&str> = words.lines().skip(2).take_while(|line| !line.is_empty()).collect();
    for rung in stage.rungs {
        let begins = format!("{} ", rung.kernel);
        assert!(table.iter().any(|line| line.starts_with(&begins)), "{} is not in\n{words}", rung.kernel);
    }
    for line in table {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    for line in stage.lesson {
        assert!(line.chars().count() <= 110, "{line}");
    }
}
