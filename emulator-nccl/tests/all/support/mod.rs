//! Ranks of a test as processes: the test's program again, with the emulator's libraries in place of NVIDIA's.

pub mod raw;
pub mod values;

use cudarc::driver::{CudaContext, CudaStream};
use cudarc::nccl::result::NcclError;
use cudarc::nccl::{Comm, Id};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock};

const RANK: &str = "COALESCED_TEST_RANK";
const WORLD: &str = "COALESCED_TEST_WORLD";

/// Seconds of the time limit, of which no test that goes well needs much, on a busy machine either.
const LIMIT: (&str, &str) = ("COALESCED_NCCL_TIMEOUT", "60");

/// The emulator's libraries, opened before cudarc asks for their names.
static LIBRARIES: LazyLock<[libloading::Library; 2]> = LazyLock::new(|| {
    [("driver", "cuda", "cuInit"), ("nccl", "nccl", "ncclGetUniqueId")].map(|(ours, name, proof)| {
        let file = loading::beside_program(&format!("emulator_{ours}")).unwrap();
        loading::open_as(&file, &loading::file_name(name), proof).unwrap()
    })
});

/// What the body of a test knows in each of its ranks.
pub struct Rank {
    pub rank: usize,
    pub world: usize,
    pub stream: Arc<CudaStream>,
}

impl Rank {
    fn new(rank: usize, world: usize) -> Self {
        LazyLock::force(&LIBRARIES);
        Self { rank, world, stream: CudaContext::new(0).unwrap().default_stream() }
    }

    /// Makes the communicator of all ranks.
    pub fn comm(&self) -> Comm {
        self.try_comm().unwrap()
    }

    /// Makes the communicator of all ranks, or not.
    pub fn try_comm(&self) -> Result<Comm, NcclError> {
        Comm::from_rank(Arc::clone(&self.stream), self.rank, self.world, Id::new().unwrap())
    }
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// Returns a port that is free now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts the ranks of the test that is called `name`. In a rank it runs `body` instead, and ends the process.
pub fn start(name: &str, world: usize, body: impl FnOnce(&Rank)) -> Vec<Child> {
    start_with(name, world, |_| Vec::new(), body)
}

/// Starts ranks, each with variables of its own.
pub fn start_with(
    name: &str,
    world: usize,
    variables: impl Fn(usize) -> Vec<(&'static str, String)>,
    body: impl FnOnce(&Rank),
) -> Vec<Child> {
    if let (Some(rank), Some(of)) = (number(RANK), number(WORLD)) {
        if of != world {
            return Vec::new();
        }
        body(&Rank::new(rank, world));
        std::process::exit(0);
    }
    let meeting = format!("127.0.0.1:{}", free_port());
    let child = |rank: usize| {
        let mut command = command(name, rank, world);
        command.env("NCCL_COMM_ID", &meeting).envs(variables(rank)).spawn().unwrap()
    };
    (0..world).map(child).collect()
}

/// Returns whether this process is a rank of a test.
pub fn is_rank() -> bool {
    number(RANK).is_some()
}

/// Returns what starts a rank of a test.
pub fn command(name: &str, rank: usize, world: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    command.env(RANK, rank.to_string()).env(WORLD, world.to_string()).env(LIMIT.0, LIMIT.1);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the test's body in each number of ranks, which must end well.
pub fn ranks(name: &str, worlds: &[usize], body: impl Fn(&Rank)) {
    for &world in worlds {
        for (rank, child) in start(name, world, &body).into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            check_ran(&output, rank);
        }
    }
}

/// Returns variables that make the time limit a second.
pub fn one_second(_rank: usize) -> Vec<(&'static str, String)> {
    vec![(LIMIT.0, "1".into())]
}

/// Runs the test's body, which ends well in every rank after a call that failed; each rank says `wanted`, once.
pub fn failing(name: &str, world: usize, wanted: &str, body: impl FnOnce(&Rank)) {
    all_say(start(name, world, body), wanted);
}

/// The same with a time limit of a second.
pub fn failing_late(name: &str, world: usize, wanted: &str, body: impl FnOnce(&Rank)) {
    all_say(start_with(name, world, one_second, body), wanted);
}

fn all_say(ranks: Vec<Child>, wanted: &str) {
    for (rank, child) in ranks.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        check_ran(&output, rank);
        let text = text(&output);
        assert_eq!(text.matches(wanted).count(), 1, "rank {rank}: {text}");
    }
}

/// Fails unless a rank has run the body of its test, to its end.
pub fn check_ran(output: &Output, rank: usize) {
    let text = text(output);
    assert!(output.status.success(), "rank {rank}: {text}");
    // A name that is not the test's runs nothing, and a body that returns ends the process before a result is told.
    assert!(text.contains("running 1 test") && !text.contains("test result"), "rank {rank}: {text}");
}

/// Returns what a rank has printed.
pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns a function of the emulator's NCCL.
pub fn symbol<T: Copy>(name: &str) -> T {
    // SAFETY: the callers give the type that the function has.
    unsafe { *LIBRARIES[1].get::<T>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
}

/// Returns a function of the emulator's driver.
pub fn driver_symbol<T: Copy>(name: &str) -> T {
    // SAFETY: the callers give the type that the function has.
    unsafe { *LIBRARIES[0].get::<T>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
}

/// Returns what a function of the emulator's driver gives that gives text.
pub fn driver_text(name: &str) -> String {
    let give = driver_symbol::<unsafe extern "C" fn(*mut u8, usize) -> usize>(name);
    let mut buffer = vec![0; 1 << 20];
    // SAFETY: the buffer has the length that is passed.
    let length = unsafe { give(buffer.as_mut_ptr(), buffer.len()) };
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}
