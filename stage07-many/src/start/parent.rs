//! The process that starts ranks, and sees to it that none is left.

use super::place::Place;
use super::{PROBE, nccl, program};
use crate::options::Options;
use crate::rung::Rung;
use common::Error;
use std::ffi::OsString;
use std::net::TcpListener;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Ranks where no GPU is.
const EMULATED_RANKS: usize = 4;

/// The variable in which a rank finds the number of the process that started it.
pub const PARENT: &str = "COALESCED_PARENT";

/// The variable in which a single process finds how many GPUs it is to use.
const ONE_PROCESS: &str = "COALESCED_GPUS";

/// How many devices the emulator's driver has.
const EMULATED_DEVICES: &str = "COALESCED_DEVICES";

/// How often the parent looks.
const LOOK: Duration = Duration::from_millis(10);

/// What other ranks may still say after one has failed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Starts the ranks that the options ask for; whether all results were right.
///
/// # Errors
/// [`Error::Usage`] for more ranks than GPUs, [`Error::Open`] when a rank cannot be started or ends before its time.
pub fn run(options: &Options) -> Result<bool, Error> {
    if options.list {
        crate::RUNGS.iter().for_each(|rung| println!("{}  {:<18} {}", rung.letter(), rung.name(), rung.idea()));
        return Ok(true);
    }
    let gpus = count_gpus()?;
    let ranks = ranks(options.ranks.map(|ranks| ranks as usize), gpus)?;
    let jobs = if options.scaling { scaling(options, ranks) } else { plain(options, ranks) };
    let mut passed = true;
    let alone = jobs.len() == 1;
    for job in jobs {
        let done = Job::start(&job, gpus == 0).and_then(|running| running.wait(Duration::from_secs(options.limit)));
        match done {
            Err(error) if alone => return Err(error),
            Err(error) => {
                eprintln!("error: {}: {error}", job.name);
                passed = false;
            }
            Ok(right) => passed &= right,
        }
    }
    Ok(passed)
}

/// What ranks are started for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    /// For messages.
    name: String,
    arguments: Vec<OsString>,
    /// GPUs.
    devices: usize,
    /// Whether one process has them all.
    is_one_process: bool,
}

/// One job for the rungs with a process for each GPU, and one for those with a single process.
fn plain(options: &Options, devices: usize) -> Vec<Plan> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let kinds = [false, true].into_iter().filter(|kind| options.rungs().any(|rung| rung.is_one_process() == *kind));
    let name = |is_one_process| if is_one_process { "one process with all GPUs" } else { "a process for each GPU" };
    kinds
        .map(|is_one_process| {
            let (name, arguments) = (name(is_one_process).into(), arguments.clone());
            Plan { name, arguments, devices, is_one_process }
        })
        .collect()
}

/// A job for each rung and number of GPUs, at the sizes of strong scaling and those of weak scaling. Every job runs the same
/// work on one GPU too.
fn scaling(options: &Options, most: usize) -> Vec<Plan> {
    let plan = |rung: &dyn Rung, devices: usize| {
        let strong = if options.n.is_empty() { rung.scaling().to_vec() } else { options.sizes() };
        let largest = strong.iter().max().copied().unwrap_or_default();
        let weak = strong.iter().map(|&n| rung.weak(n, devices)).filter(|&n| n <= largest);
        let mut sizes: Vec<usize> = strong.iter().copied().chain(weak).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let arguments = options.for_a_job(rung.name(), &sizes.join(",")).into_iter().map(OsString::from).collect();
        let name = format!("{} with {devices} GPUs", rung.name());
        Plan { name, arguments, devices, is_one_process: rung.is_one_process() }
    };
    let numbers = numbers_of_ranks(most);
    options.rungs().flat_map(|rung| numbers.iter().map(move |&devices| plan(rung, devices))).collect()
}

/// 2, 4, 8, … and all; 1 where there is no other.
fn numbers_of_ranks(most: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(2), |ranks| Some(2 * ranks));
    doubled.take_while(|&ranks| ranks < most).chain([most]).collect()
}

/// How many ranks to start.
fn ranks(asked: Option<usize>, gpus: usize) -> Result<usize, Error> {
    match asked {
        Some(asked) if gpus > 0 && asked > gpus => Err(Error::Usage(format!(
            "--ranks {asked}: each rank needs a GPU of its own, and there {} here; --device emulator emulates as many as \
             you like",
            if gpus == 1 { "is 1".into() } else { format!("are {gpus}") }
        ))),
        Some(asked) => Ok(asked),
        None if gpus > 0 => Ok(gpus),
        None => Ok(EMULATED_RANKS),
    }
}

/// The GPUs of this machine, counted by a child; 0 for the emulator.
fn count_gpus() -> Result<usize, Error> {
    let child =
        Command::new(program()?).args(std::env::args_os().skip(1)).env(PROBE, "1").stderr(Stdio::piped()).output();
    let output = child.map_err(|error| Error::Open(format!("cannot start this program again: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().map_err(|_| {
        let reason = String::from_utf8_lossy(&output.stderr);
        Error::Open(reason.trim().trim_start_matches("error: ").to_owned())
    })
}

/// The ranks of one job. Dropping it ends those that still run.
#[derive(Debug)]
pub struct Job {
    ranks: Vec<Child>,
}

impl Drop for Job {
    fn drop(&mut self) {
        for rank in &mut self.ranks {
            // One that has ended already cannot be ended.
            let _ = rank.kill();
            let _ = rank.wait();
        }
    }
}

impl Job {
    /// Starts ranks on this machine.
    ///
    /// # Errors
    /// [`Error::Open`].
    fn start(plan: &Plan, is_emulated: bool) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::Open(format!("cannot start the ranks: {error}"));
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr()).map_err(failed)?;
        let (program, environment) = (program()?, nccl::environment(is_emulated)?);
        let mut job = Self { ranks: Vec::new() };
        let ranks = if plan.is_one_process { 1 } else { plan.devices };
        for rank in 0..ranks {
            let place = Place { rank, world: ranks, local_rank: rank, local_world: ranks, root: free.to_string() };
            let mut command = Command::new(&program);
            command.args(&plan.arguments);
            if plan.is_one_process {
                let devices = plan.devices.to_string();
                command.env(ONE_PROCESS, &devices).env(EMULATED_DEVICES, devices);
            }
            command.envs(environment.clone()).envs(place.environment()).env(PARENT, std::process::id().to_string());
            command.stdin(Stdio::null());
            job.ranks.push(command.spawn().map_err(failed)?);
        }
        Ok(job)
    }

    /// Waits for all ranks; whether all results were right. When one ends badly, or the time is over, the others are ended.
    ///
    /// # Errors
    /// [`Error::Open`], naming the rank that ended without a word of its own.
    pub fn wait(mut self, limit: Duration) -> Result<bool, Error> {
        let started = Instant::now();
        let mut failed: Option<(usize, ExitStatus, Instant)> = None;
        loop {
            let mut running = 0;
            for (rank, child) in self.ranks.iter_mut().enumerate() {
                match child.try_wait().map_err(Error::Write)? {
                    None => running += 1,
                    Some(status) if status.success() => {}
                    Some(status) => _ = failed.get_or_insert((rank, status, Instant::now())),
                }
            }
            match failed {
                _ if running == 0 => break,
                Some((.., since)) if since.elapsed() > LAST_WORDS => break,
                _ if started.elapsed() > limit => {
                    return Err(Error::Open(format!(
                        "{running} of {} ranks still run after {} s, and are ended; --limit gives them more time",
                        self.ranks.len(),
                        limit.as_secs()
                    )));
                }
                _ => std::thread::sleep(LOOK),
            }
        }
        match failed {
            None => Ok(true),
            Some((rank, status, _)) if !has_spoken(status) => {
                Err(Error::Open(format!("rank {rank} ended before its time ({status}); the others are ended too")))
            }
            Some(_) => Ok(false),
        }
    }
}

/// Whether a rank has said itself what was wrong.
fn has_spoken(status: ExitStatus) -> bool {
    matches!(status.code(), Some(1 | 2))
}

/// How many GPUs this process is to use; `None` where each has a process of its own.
#[must_use]
pub fn devices_of_one_process() -> Option<usize> {
    std::env::var(ONE_PROCESS).ok()?.parse().ok()
}

/// Lets this rank end when its parent does, however that ends.
#[cfg(target_os = "linux")]
pub fn end_with_parent() {
    let Some(parent) = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok()) else { return };
    let signal = Some(rustix::process::Signal::KILL);
    // Without it, only what the parent itself does ends ranks.
    let _ = rustix::process::set_parent_process_death_signal(signal);
    // It may have ended before that.
    if std::os::unix::process::parent_id() != parent {
        std::process::exit(1);
    }
}

/// Nothing where the system has no such signal.
#[cfg(not(target_os = "linux"))]
pub fn end_with_parent() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_rank_for_each_gpu_or_four_emulated_ones() {
        assert_eq!(ranks(None, 2).ok(), Some(2));
        assert_eq!(ranks(None, 0).ok(), Some(4));
        assert_eq!(ranks(Some(7), 0).ok(), Some(7));
        assert_eq!(ranks(Some(1), 2).ok(), Some(1));
    }

    #[test]
    fn scaling_doubles_ranks_up_to_all() {
        assert_eq!([1, 2, 3, 8].map(numbers_of_ranks), [vec![1], vec![2], vec![2, 3], vec![2, 4, 8]]);
    }

    #[test]
    fn more_ranks_than_gpus_are_refused_with_what_to_do() {
        let text = ranks(Some(3), 2).unwrap_err().to_string();
        assert!(
            text.contains("--ranks 3") && text.contains("are 2 here") && text.contains("--device emulator"),
            "{text}"
        );
    }
}
