//! Ranks of a test as processes: the test's program again, with the emulator's libraries in place of NVIDIA's.

pub mod raw;

use cudarc::driver::{CudaContext, CudaStream};
use cudarc::nccl::result::NcclError;
use cudarc::nccl::{Comm, Id};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, LazyLock};

const RANK: &str = "COALESCED_TEST_RANK";
const WORLD: &str = "COALESCED_TEST_WORLD";

/// Seconds of the tests' time limit.
const TIMEOUT: &str = "1";

/// The emulator's libraries, opened before cudarc asks for `libcuda.so` and `libnccl.so`, which are their SONAMEs.
static LIBRARIES: LazyLock<[libloading::Library; 2]> = LazyLock::new(|| {
    ["libemulator_driver.so", "libemulator_nccl.so"].map(|name| {
        let path = std::env::current_exe().unwrap().with_file_name(name);
        // SAFETY: the library runs no code when it is loaded.
        unsafe { libloading::Library::new(&path) }.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
    if let (Some(rank), Some(of)) = (number(RANK), number(WORLD)) {
        if of != world {
            return Vec::new();
        }
        body(&Rank::new(rank, world));
        std::process::exit(0);
    }
    let port = free_port();
    let child = |rank: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
        command.env(RANK, rank.to_string()).env(WORLD, world.to_string());
        command.env("COALESCED_NCCL_TIMEOUT", TIMEOUT).env("NCCL_COMM_ID", format!("127.0.0.1:{port}"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    (0..world).map(child).collect()
}

/// Runs the test's body in each number of ranks, which must end well.
pub fn ranks(name: &str, worlds: &[usize], body: impl Fn(&Rank)) {
    for &world in worlds {
        for (rank, child) in start(name, world, &body).into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "rank {rank} of {world}: {}", text(&output));
        }
    }
}

/// Runs the test's body, which ends well in every rank after a call that failed; each rank says `wanted`, once.
pub fn failing(name: &str, world: usize, wanted: &str, body: impl FnOnce(&Rank)) {
    for (rank, child) in start(name, world, body).into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let text = text(&output);
        assert!(output.status.success(), "rank {rank} of {world}: {text}");
        assert_eq!(text.matches(wanted).count(), 1, "rank {rank} of {world}: {text}");
    }
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
