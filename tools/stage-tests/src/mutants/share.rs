//! The distribution of a test's mutants among processes, one per core. The launches of a mutant are too small for several cores,
//! and the emulator's counters and checks belong to the whole process.

use super::Judged;
use std::process::{Child, Command, Stdio};
use std::thread;

/// The environment variable with the share of a process: `1/2` is the second of two.
const SHARE: &str = "COALESCED_SHARE_OF_MUTANTS";

/// The prefix of the line in which a process prints its results as JSON.
const JUDGED: &str = "judged ";

/// The share of a process: every `count`th mutant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// The index of the share, from 0.
    pub number: usize,
    /// The number of shares.
    pub count: usize,
}

impl Share {
    const ALL: Self = Self { number: 0, count: 1 };

    /// Returns whether the mutant with an index is in the share.
    pub fn has(self, index: usize) -> bool {
        index % self.count == self.number
    }

    /// Parses the environment variable.
    fn parse(text: &str) -> Option<Self> {
        let (number, count) = text.split_once('/')?;
        Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
    }
}

/// Calls `judge` for all shares, each in another process that runs the calling test. Returns `None` in such a process, which
/// prints its results.
pub(super) fn out(judge: impl Fn(Share) -> Judged) -> Option<Judged> {
    if let Ok(share) = std::env::var(SHARE) {
        let judged = judge(Share::parse(&share).expect("a share"));
        println!("{JUDGED}{}", serde_json::to_string(&judged).expect("JSON"));
        return None;
    }
    let count = thread::available_parallelism().map_or(1, usize::from);
    // The thread of a test has its name, except with one test thread, where tests run on the main thread.
    let current = thread::current();
    match current.name() {
        Some(test) if test != "main" && count > 1 => Some(gather(test, count)),
        _ => Some(judge(Share::ALL)),
    }
}

fn gather(test: &str, count: usize) -> Judged {
    let start = |number| {
        let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
        command.args(["--exact", test, "--include-ignored", "--nocapture"]).env(SHARE, format!("{number}/{count}"));
        // The other processes use the other cores.
        command.env("RAYON_NUM_THREADS", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("this program once more")
    };
    let processes: Vec<Child> = (0..count).map(start).collect();
    let mut all = Judged::default();
    for process in processes {
        let output = process.wait_with_output().expect("the output of a process");
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        let judged = said.lines().find_map(|line| line.split_once(JUDGED));
        let Some((_, judged)) = judged.filter(|_| output.status.success()) else {
            panic!("a share of the mutants ended with {}\n{said}{complaint}", output.status);
        };
        all.add(serde_json::from_str(judged).expect("what a share writes"));
    }
    all
}
