//! `cargo learn doctor`: the tools of this machine, and the commands that need them.

mod tools;

use anyhow::Result;
use serde_json::{Map, Value, json};
use std::path::Path;
pub use tools::{Tool, find_tools};

/// Commands of the README, whether the course begins with them, and the tools that each takes: one of those that `|` separates.
const COMMANDS: [(&str, bool, &[&str]); 10] = [
    ("cargo run -p stage01-naive", true, &["Rust", "device"]),
    ("cargo test --workspace", true, &["Rust", "device"]),
    ("cargo run -p book", false, &["Rust", "device"]),
    ("cargo learn", false, &["CUDA C++|Rust to PTX"]),
    ("cargo run -p stage02-shared, after an edit of a kernel", false, &["device", "CUDA C++"]),
    ("cargo run -p stage01-naive -- --language rust, after an edit of a kernel", false, &["device", "Rust to PTX"]),
    ("cargo learn check FILE.cu", false, &["CUDA C++|Python packages"]),
    ("cargo learn check FILE.rs", false, &["Rust to PTX"]),
    ("cargo learn nvrtc, clang, headers", false, &["Python packages"]),
    ("cargo x ci", false, &["device", "rustfmt", "clippy"]),
];

/// Prints the report, and returns whether the README's first two commands work.
///
/// # Errors
/// Returns an error if the report cannot be written as JSON.
pub fn run(root: &Path, as_json: bool) -> Result<bool> {
    let tools = find_tools(root);
    let verdicts: Vec<_> =
        COMMANDS.iter().map(|(command, is_needed, needs)| (*command, *is_needed, verdict(&tools, needs))).collect();
    if as_json {
        let machine: Map<_, _> = tools.iter().map(|tool| (tool.name.to_owned(), tool.text().into())).collect();
        let commands: Vec<Value> = verdicts
            .iter()
            .map(|(command, is_needed, verdict)| {
                json!({ "command": command, "works": verdict.is_ok(), "advice": verdict.as_ref().err(), "needed": is_needed })
            })
            .collect();
        println!("{}", serde_json::to_string_pretty(&json!({ "machine": machine, "commands": commands }))?);
    } else {
        println!("This machine");
        tools.iter().for_each(|tool| println!("  {:<16} {}", tool.name, tool.text()));
        println!("\nCommands of the README");
        for (command, _, verdict) in &verdicts {
            match verdict {
                Ok(()) => println!("  works    {command}"),
                Err(advice) => println!("  does not {command}\n           {advice}"),
            }
        }
    }
    Ok(verdicts.iter().all(|(_, is_needed, verdict)| verdict.is_ok() || !is_needed))
}

/// Returns whether the tools of a command are installed.
///
/// # Errors
/// Returns how to install the first that is not.
pub fn verdict(tools: &[Tool], needs: &[&str]) -> Result<(), String> {
    let missing = |need: &&str| {
        let ways = tools.iter().filter(|tool| need.split('|').any(|name| name == tool.name));
        let advices: Vec<String> = ways.map(|tool| tool.found.clone().err()).collect::<Option<_>>()?;
        Some(advices.join("; or "))
    };
    needs.iter().find_map(missing).map_or(Ok(()), Err)
}
