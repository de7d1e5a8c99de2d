//! Runs the collection of faulty kernels under compute-sanitizer's tools, and prints the recording that lies in
//! `emulator/tests/faults/compute-sanitizer.json`: `cargo run -p xtask --example sanitize -- emulator/tests/faults`, after
//! `cargo build -p xtask --examples`. Needs an NVIDIA GPU, and the CUDA toolkit's compute-sanitizer on the PATH.

#[path = "../tests/all/collection.rs"]
mod collection;

use collection::Case;
use serde_json::{Map, Value, json};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const TOOLS: [&str; 4] = ["memcheck", "initcheck", "racecheck", "synccheck"];

/// Programs at a time: a tool takes two seconds to start, and no kernel more than a moment.
const WORKERS: usize = 8;

/// Seconds after which a kernel is taken not to end.
const LIMIT_S: u32 = 20;

/// How the messages begin that name a mistake.
const MISTAKES: [&str; 6] =
    ["Invalid ", "Uninitialized ", "Barrier error", "Error: ", "Warning: ", "Malloc/Free error"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder of the collection")?);
    let launch = std::env::current_exe()?.with_file_name("launch");
    let cases = collection::all(&folder);
    let (next, kernels) = (AtomicUsize::new(0), Mutex::new(Map::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    let run = |kernel| record(case, kernel, &launch, &folder);
                    let recorded = json!({ "faulty": run("faulty"), "fixed": run("fixed") });
                    kernels.lock().expect("no worker panics").insert(case.name.clone(), recorded);
                }
            });
        }
    });
    let device = output(Command::new("nvidia-smi").args(["--query-gpu=name,driver_version", "--format=csv,noheader"]));
    let (device, driver) = device.lines().next().and_then(|line| line.split_once(", ")).ok_or("no nvidia-smi")?;
    let version = output(Command::new("compute-sanitizer").arg("--version"));
    let version = version
        .lines()
        .find_map(|line| line.strip_prefix("Version ")?.split(' ').next())
        .ok_or("no compute-sanitizer")?;
    let kernels = kernels.into_inner()?;
    let recording = json!({ "device": device, "driver": driver, "compute-sanitizer": version, "kernels": kernels });
    println!("{}", serde_json::to_string_pretty(&recording)?);
    Ok(())
}

/// A kernel by itself, and what each tool says of it.
fn record(case: &Case, kernel: &str, launch: &Path, folder: &Path) -> Value {
    let arguments = case.arguments(kernel);
    let run = |tool: &[&str]| {
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", &LIMIT_S.to_string()]).args(tool).arg(launch).args(&arguments);
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

/// The mistakes in a tool's output, each once, with the lines of source that it names.
fn messages(output: &str) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    let mut lines = output.lines().filter_map(|line| line.strip_prefix("========= ")).peekable();
    while let Some(line) = lines.next() {
        if !MISTAKES.iter().any(|beginning| line.starts_with(beginning)) {
            continue;
        }
        // A race's address and block differ from message to message.
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

/// All that a program prints; nothing if it cannot be started.
fn output(command: &mut Command) -> String {
    let output = command.output().map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    String::from_utf8_lossy(&output).into_owned()
}
