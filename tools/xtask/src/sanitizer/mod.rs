//! `cargo x sanitize`: runs the faulty kernels under compute-sanitizer's tools.
//!
//! Its output is the recording `emulator/machine/tests/faults/compute-sanitizer.json`. It needs an NVIDIA GPU, and the CUDA
//! toolkit's compute-sanitizer on the PATH.

mod collection;
pub mod launch;

use anyhow::{Context, Result};
use collection::Case;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const TOOLS: [&str; 4] = ["memcheck", "initcheck", "racecheck", "synccheck"];

/// The number of processes at a time. A tool takes two seconds to start, and a kernel almost no time.
const WORKERS: usize = 8;

/// The time in seconds after which a kernel counts as endless.
const LIMIT_S: u32 = 20;

/// The beginnings of the messages that report a fault.
const MISTAKES: [&str; 6] =
    ["Invalid ", "Uninitialized ", "Barrier error", "Error: ", "Warning: ", "Malloc/Free error"];

/// Runs all kernels of the collection in `folder` and prints the recording as JSON.
///
/// # Errors
/// Returns an error if the GPU or compute-sanitizer is missing.
pub fn run(folder: &Path) -> Result<()> {
    let program = std::env::current_exe()?;
    let cases = collection::all(folder);
    let next = AtomicUsize::new(0);
    let kernels = Mutex::new(Map::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    let run = |kernel| record(case, kernel, &program, folder);
                    let recorded = json!({ "faulty": run("faulty"), "fixed": run("fixed") });
                    kernels.lock().expect("no worker panics").insert(case.name.clone(), recorded);
                }
            });
        }
    });
    let device = output(Command::new("nvidia-smi").args(["--query-gpu=name,driver_version", "--format=csv,noheader"]));
    let (device, driver) =
        device.lines().next().and_then(|line| line.split_once(", ")).context("nvidia-smi does not report a GPU")?;
    let version = output(Command::new("compute-sanitizer").arg("--version"));
    let version = version
        .lines()
        .find_map(|line| line.strip_prefix("Version ")?.split(' ').next())
        .context("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit")?;
    let kernels = kernels.into_inner()?;
    let recording = json!({ "device": device, "driver": driver, "compute-sanitizer": version, "kernels": kernels });
    println!("{}", serde_json::to_string_pretty(&recording)?);
    Ok(())
}

/// Runs a kernel by itself and under each tool, and returns what was reported.
fn record(case: &Case, kernel: &str, program: &Path, folder: &Path) -> Value {
    let arguments = case.arguments(kernel);
    let run = |tool: &[&str]| {
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", &LIMIT_S.to_string()]).args(tool).arg(program).arg("launch").args(&arguments);
        output(command.current_dir(folder))
    };
    let alone = run(&[]);
    let ended = ["completed", "CUDA_ERROR_"].iter().find_map(|word| {
        let from = &alone[alone.find(word)?..];
        Some(from.chars().take_while(|mark| mark.is_alphanumeric() || *mark == '_').collect::<String>())
    });
    let mut recorded = Map::new();
    recorded.insert("without".into(), ended.unwrap_or_else(|| format!("not ended after {LIMIT_S} s")).into());
    for tool in TOOLS {
        let mut words = vec!["compute-sanitizer", "--tool", tool, "--print-limit", "100"];
        if tool == "racecheck" {
            words.extend(["--racecheck-report", "hazard"]);
        }
        recorded.insert(tool.into(), messages(&run(&words)).into());
    }
    recorded.into()
}

/// Returns the distinct faults in a tool's output, with the source lines that it names.
fn messages(output: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    let mut lines = output.lines().filter_map(|line| line.strip_prefix("========= ")).peekable();
    while let Some(line) = lines.next() {
        if !MISTAKES.iter().any(|beginning| line.starts_with(beginning)) {
            continue;
        }
        // The address and block of a race differ from message to message.
        let mut message = line.split(" at __").next().unwrap_or(line).trim_end_matches('.').to_owned();
        while let Some(place) = lines.next_if(|line| line.starts_with("    ") && !line.contains("Host Frame")) {
            if let Some((_, place)) = place.split_once(".cu:") {
                message += &format!(", line {}", place.trim());
            }
        }
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    messages
}

/// Returns everything that a program prints; an empty text if it cannot be started.
fn output(command: &mut Command) -> String {
    let output = command.output().map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    String::from_utf8_lossy(&output).into_owned()
}
