//! The process that starts ranks, and terminates those that remain.

use super::PROBE;
use super::plan::{Plan, plain, scaling};
use crate::ranks::options::Options;
use crate::ranks::process::child::{self, ONE_PROCESS, PARENT};
use crate::ranks::process::place::Place;
use crate::ranks::process::{nccl, program, say};
use crate::ranks::strategy::Facts;
use common::Error;
use std::net::TcpListener;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The number of ranks without a GPU.
const EMULATED_RANKS: usize = 4;

/// The environment variable with the number of devices of the emulator's driver.
const EMULATED_DEVICES: &str = "COALESCED_DEVICES";

/// The interval at which the parent polls its ranks.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The time for messages of the other ranks after one has failed.
const MESSAGE_TIME: Duration = Duration::from_secs(1);

/// Starts the ranks that the options ask for; returns whether all results were correct.
///
/// # Errors
/// [`Error::Usage`] for more ranks than GPUs, [`Error::Open`] if a rank cannot be started or ends prematurely.
pub fn run(options: &Options) -> Result<bool, Error> {
    if options.list {
        for strategy in options.table {
            let Facts { letter, name, idea, .. } = strategy.facts();
            println!("{letter}  {name:<18} {idea}");
        }
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
                say(&format!("error: {}: {error}", job.name));
                passed = false;
            }
            Ok(right) => passed &= right,
        }
    }
    Ok(passed)
}

/// Returns the number of ranks to start.
fn ranks(asked: Option<usize>, gpus: usize) -> Result<usize, Error> {
    match asked {
        Some(asked) if gpus > 0 && asked > gpus => Err(Error::Usage(format!(
            "--ranks {asked}: each rank needs its own GPU, and this machine has {gpus}; --device emulator emulates any \
             number"
        ))),
        Some(asked) => Ok(asked),
        None if gpus > 0 => Ok(gpus),
        None => Ok(EMULATED_RANKS),
    }
}

/// Returns the number of GPUs of this machine, counted by a child; 0 for the emulator.
fn count_gpus() -> Result<usize, Error> {
    let child =
        Command::new(program()?).args(std::env::args_os().skip(1)).env(PROBE, "1").stderr(Stdio::piped()).output();
    let output = child.map_err(|error| Error::Open(format!("cannot start a child process to count GPUs: {error}")))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    parse_count(&answer, &complaint, output.status)
}

/// Parses the child's answer, or returns its error message.
fn parse_count(answer: &str, complaint: &str, status: ExitStatus) -> Result<usize, Error> {
    answer.trim().parse().map_err(|_| match complaint.trim().trim_start_matches("error: ") {
        "" => Error::Open(format!("the child process that counts GPUs ended without a message ({status})")),
        reason => Error::Open(reason.to_owned()),
    })
}

/// The ranks of one job. Dropping it terminates those that still run.
#[derive(Debug)]
pub struct Job {
    ranks: Vec<Child>,
}

impl Drop for Job {
    fn drop(&mut self) {
        for rank in &mut self.ranks {
            // This fails for a rank that has already ended.
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
        let program = program()?;
        let environment = nccl::environment(is_emulated)?;
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
            command.stdin(child::input());
            job.ranks.push(command.spawn().map_err(failed)?);
        }
        Ok(job)
    }

    /// Waits for all ranks; returns whether all results were correct. If one fails, or the time limit is exceeded, the
    /// others are terminated.
    ///
    /// # Errors
    /// [`Error::Open`], naming the rank that ended without a message.
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
                Some((.., since)) if since.elapsed() > MESSAGE_TIME => break,
                _ if started.elapsed() > limit => {
                    return Err(Error::Open(format!(
                        "{running} of {} ranks still run after {} s and are terminated; --limit sets the time limit",
                        self.ranks.len(),
                        limit.as_secs()
                    )));
                }
                _ => std::thread::sleep(POLL_INTERVAL),
            }
        }
        match failed {
            None => Ok(true),
            Some((rank, status, _)) if !has_reported(status) => {
                Err(Error::Open(format!("rank {rank} ended prematurely ({status}); the others are terminated")))
            }
            Some(_) => Ok(false),
        }
    }
}

/// Returns whether a rank has printed its own error.
fn has_reported(status: ExitStatus) -> bool {
    matches!(status.code(), Some(1 | 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_rank_per_gpu_or_four_emulated_ones() {
        assert_eq!(ranks(None, 2).ok(), Some(2));
        assert_eq!(ranks(None, 0).ok(), Some(4));
        assert_eq!(ranks(Some(7), 0).ok(), Some(7));
        assert_eq!(ranks(Some(1), 2).ok(), Some(1));
    }

    #[test]
    fn the_message_of_a_failed_child_is_quoted() {
        let reason = |complaint| parse_count("", complaint, ExitStatus::default()).unwrap_err().to_string();
        assert_eq!(parse_count("2\n", "", ExitStatus::default()).ok(), Some(2));
        assert!(reason("error: no driver\n").ends_with("no driver"), "{}", reason("error: no driver\n"));
        assert!(reason("").contains("without a message (exit status: 0)"), "{}", reason(""));
    }

    #[test]
    fn more_ranks_than_gpus_are_refused_with_what_to_do() {
        let text = ranks(Some(3), 2).unwrap_err().to_string();
        assert!(text.contains("--ranks 3") && text.contains("has 2;") && text.contains("--device emulator"), "{text}");
    }
}
