//! `cargo x doctor`: the tools that are installed, and which of the README's commands work here.

mod commands;
mod machine;

use crate::workspace::Workspace;
use anyhow::Result;
use commands::{Verdict, verdicts};
use machine::Machine;
use serde_json::json;
use std::io::IsTerminal;

/// Prints the report, and returns whether the README's first two commands work.
///
/// # Errors
/// Returns an error if the report cannot be written as JSON.
pub fn run(workspace: &Workspace, as_json: bool) -> Result<bool> {
    let machine = Machine::examine(workspace);
    let verdicts = verdicts(&machine);
    if as_json {
        let machine: serde_json::Map<_, _> =
            machine.facts().into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect();
        let commands: Vec<_> = verdicts.iter().map(Verdict::json).collect();
        println!("{}", serde_json::to_string_pretty(&json!({ "machine": machine, "commands": commands }))?);
    } else {
        print(&machine, &verdicts);
    }
    Ok(verdicts.iter().all(|verdict| verdict.works || !verdict.is_needed))
}

fn print(machine: &Machine, verdicts: &[Verdict]) {
    let colors = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    println!("This machine");
    for (name, text) in machine.facts() {
        println!("  {name:<16} {text}");
    }
    println!("\nCommands of the README");
    for verdict in verdicts {
        let (word, color) = if verdict.works { ("works  ", 32) } else { ("does not", 31) };
        let word = if colors { format!("\x1b[{color}m{word:<8}\x1b[0m") } else { format!("{word:<8}") };
        println!("  {word} {}", verdict.command);
        if let Some(advice) = &verdict.advice {
            println!("           {advice}");
        }
    }
}
