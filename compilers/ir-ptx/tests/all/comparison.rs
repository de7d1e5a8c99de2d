//! A launch with the PTX of both back ends.

use emulator::{Counters, Options, Scene, launch};

/// The most memory of a launch in bytes.
const MEMORY_BYTES: u64 = 1 << 30;
/// A limit on the warp instructions of a launch, for wrong answers that do not end.
const BUDGET: u64 = 1 << 26;

/// The outcome of a launch.
pub struct Ran {
    /// The counts, or how it ended early.
    pub counters: Result<Counters, String>,
    /// The contents of its memory afterwards.
    pub memory: Vec<Vec<u8>>,
}

/// Replays a scene with other PTX, on one worker thread, so that atomic operations have one order.
pub fn replay(scene: &Scene, ptx: &str) -> Ran {
    let scene = Scene { ptx: ptx.to_owned(), ..scene.clone() };
    let replay = match scene.set_up(MEMORY_BYTES) {
        Ok(replay) => replay,
        Err(error) => return Ran { counters: Err(error.to_string()), memory: Vec::new() },
    };
    let options = Options { counters: true, threads: 1, instruction_budget: Some(BUDGET), ..Options::default() };
    let counters =
        launch(&replay.kernel, &replay.memory, &replay.launch(), &options).map_err(|error| error.to_string());
    let read = |address: u64, bytes: usize| {
        let mut contents = vec![0; bytes];
        replay.memory.read(address, &mut contents).expect("the memory of the scene");
        contents
    };
    let memory = scene.memory.iter().map(|place| read(place.address, place.contents.len())).collect();
    Ran { counters, memory }
}

/// A kernel's counts by both back ends.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kernel.
    pub name: String,
    /// Warp instructions with our PTX.
    pub ours: u64,
    /// Warp instructions with LLVM's.
    pub theirs: u64,
}

impl Row {
    /// Returns our count divided by LLVM's.
    pub fn ratio(&self) -> f64 {
        self.ours as f64 / self.theirs as f64
    }
}

/// Prints the rows in order of their ratios, and returns the median ratio.
pub fn report(title: &str, rows: &mut [Row]) -> f64 {
    rows.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    println!("{title}: warp instructions, ours and LLVM's");
    for row in rows.iter() {
        println!("{:6.3} {:>10} {:>10}  {}", row.ratio(), row.ours, row.theirs, row.name);
    }
    let median = rows[rows.len() / 2].ratio();
    println!("{title}: {} launches, median {median:.3}", rows.len());
    median
}
