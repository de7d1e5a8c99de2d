//! The mutants of a test, shared out among processes, one a core: the launches of a mutant are too small for two cores, and
//! what the emulator counts and checks is of a whole process.

use super::Judged;
use std::process::{Child, Command, Stdio};
use std::thread;

/// Tells a process its share: `1/2` is the second of two.
const SHARE: &str = "COALESCED_SHARE_OF_MUTANTS";

/// What a process writes before the mutants that it has judged, as JSON.
const JUDGED: &str = "judged ";

/// Each `count`th mutant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// From 0.
    pub number: usize,
    /// How many there are.
    pub count: usize,
}

impl Share {
    const ALL: Self = Self { number: 0, count: 1 };

    /// Whether the mutant of that index is in it.
    pub fn has(self, index: usize) -> bool {
        index % self.count == self.number
    }

    /// What the variable says.
    fn parse(text: &str) -> Option<Self> {
        let (number, count) = text.split_once('/')?;
        Some(Self { number: number.parse().ok()?, count: count.parse().ok()? })
    }
}

/// Has `judge` judge all shares, each in a process of its own that runs this very test; `None` in such a process, which has
/// written what it found.
pub(super) fn out(judge: impl Fn(Share) -> Judged) -> Option<Judged> {
    if let Ok(share) = std::env::var(SHARE) {
        let judged = judge(Share::parse(&share).expect("a share"));
        println!("{JUDGED}{}", serde_json::to_string(&judged).expect("JSON"));
        return None;
    }
    let count = thread::available_parallelism().map_or(1, usize::from);
    // a test's thread has its name, but where tests run one after the other on the first thread
    let current = thread::current();
    match current.name() {
        Some(test) if test != "main" && count > 1 => Some(gather(test, count)),
        _ => Some(judge(Share::ALL)),
    }
}

fn gather(test: &str, count: usize) -> Judged {
    let start = |number| {
        let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
        command.args(["--exact", test, "--nocapture"]).env(SHARE, format!("{number}/{count}"));
        // the other processes have the other cores
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
