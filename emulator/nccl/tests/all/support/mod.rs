//! The ranks of a test as processes: the test program starts itself again, with the emulator's libraries instead of NVIDIA's.

pub mod raw;
pub mod values;

use cudarc::driver::{CudaContext, CudaStream};
use cudarc::nccl::result::NcclError;
use cudarc::nccl::{Comm, Id};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, LazyLock};

const RANK: &str = "COALESCED_TEST_RANK";
const WORLD: &str = "COALESCED_TEST_WORLD";

/// The time limit in seconds, which is ample even on a busy machine.
const LIMIT: (&str, &str) = ("COALESCED_NCCL_TIMEOUT", "60");

/// The emulator's libraries, opened before cudarc opens libraries of these names.
static LIBRARIES: LazyLock<[libloading::Library; 2]> = LazyLock::new(|| {
    [("driver", "cuda", "cuInit"), ("nccl", "nccl", "ncclGetUniqueId")].map(|(ours, name, proof)| {
        let file = loading::beside_program(&format!("emulator_{ours}")).unwrap();
        loading::open_as(&file, &loading::file_name(name), proof).unwrap()
    })
});

/// The rank of a process, for the body of a test.
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

    /// Creates the communicator of all ranks.
    pub fn comm(&self) -> Comm {
        self.try_comm().unwrap()
    }

    /// Creates the communicator of all ranks, or returns the error.
    pub fn try_comm(&self) -> Result<Comm, NcclError> {
        Comm::from_rank(Arc::clone(&self.stream), self.rank, self.world, Id::new().unwrap())
    }
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

/// Returns a currently unused port, each time another. Systems take the ports of connections from 32,768 on, so that no
/// connection of another test gets it before it is opened.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = (std::process::id() % 8_000) as u16;
    let ports = std::iter::repeat_with(|| 20_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % 8_000);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    ports.take(8_000).find(is_free).expect("a free port")
}

/// Starts the ranks of the test `name`. In a rank, runs `body` instead and ends the process.
pub fn start(name: &str, world: usize, body: impl FnOnce(&Rank)) -> Vec<Child> {
    start_with(name, world, |_| Vec::new(), body)
}

/// Starts the ranks like [`start`], each with its own environment variables.
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
    let address = format!("127.0.0.1:{}", free_port());
    let child = |rank: usize| {
        let mut command = command(name, rank, world);
        command.env("NCCL_COMM_ID", &address).envs(variables(rank)).spawn().unwrap()
    };
    (0..world).map(child).collect()
}

/// Returns the command that starts a rank of a test.
fn command(name: &str, rank: usize, world: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    command.env(RANK, rank.to_string()).env(WORLD, world.to_string()).env(LIMIT.0, LIMIT.1);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the body of a test with each number of ranks, all of which must succeed.
pub fn ranks(name: &str, worlds: &[usize], body: impl Fn(&Rank)) {
    for &world in worlds {
        for (rank, child) in start(name, world, &body).into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            check_ran(&output, rank);
        }
    }
}

/// Returns the environment variable for a time limit of one second.
pub fn one_second(_rank: usize) -> Vec<(&'static str, String)> {
    vec![(LIMIT.0, "1".into())]
}

/// Runs the body of a test, which must succeed in every rank after a failed call. Every rank must print `wanted` once.
pub fn failing(name: &str, world: usize, wanted: &str, body: impl FnOnce(&Rank)) {
    all_say(start(name, world, body), wanted);
}

/// Does the same as [`failing`] with a time limit of one second.
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

/// Fails unless a rank has run the body of its test to the end.
pub fn check_ran(output: &Output, rank: usize) {
    let text = text(output);
    assert!(output.status.success(), "rank {rank}: {text}");
    // With a wrong name no test runs, and a body that returns ends the process before libtest prints a result.
    assert!(text.contains("running 1 test") && !text.contains("test result"), "rank {rank}: {text}");
}

/// Returns the output of a rank.
pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns a function of the emulated NCCL.
pub fn symbol<T: Copy>(name: &str) -> T {
    // SAFETY: the callers pass the type of the function.
    unsafe { *LIBRARIES[1].get::<T>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
}

/// Returns a function of the emulator's driver.
pub fn driver_symbol<T: Copy>(name: &str) -> T {
    // SAFETY: the callers pass the type of the function.
    unsafe { *LIBRARIES[0].get::<T>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
}

/// Returns the text that a function of the emulator's driver writes.
pub fn driver_text(name: &str) -> String {
    let write = driver_symbol::<unsafe extern "C" fn(*mut u8, usize) -> usize>(name);
    let mut buffer = vec![0; 1 << 20];
    // SAFETY: the buffer has the length that is passed.
    let length = unsafe { write(buffer.as_mut_ptr(), buffer.len()) };
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}
