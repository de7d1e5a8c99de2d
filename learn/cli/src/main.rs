//! `cargo learn`: the learner's program.

use clap::{Args, Parser};
use learn::kernel_check::directives::{self, Directive};
use learn::kernel_check::{self, Check};
use learn::{Learn, output};
use loading::workspace_root;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Do the exercises: copy them, check each save, get hints, grade a class; check any kernel; fetch compilers
///
/// Without a subcommand it watches your folder: each time you save the current exercise, it is compiled and run on the
/// emulator under all checks, and the first failure is shown. Needs no GPU. Exit status: 0 if everything that was checked
/// is solved, 1 if something is not, 2 if nothing could be checked.
#[derive(Parser)]
#[command(name = "cargo learn", bin_name = "cargo learn")]
struct Options {
    #[command(flatten)]
    learn: Learn,
}

/// Run any kernel on the emulator and report its memory and synchronization errors
///
/// Finds in one run the errors for which compute-sanitizer has four tools: memcheck, initcheck, racecheck and synccheck.
/// Each report names the threads, the source line and the instruction. Needs no GPU, and no compiler for PTX.
#[derive(Parser)]
#[command(name = "cargo learn check", bin_name = "cargo learn check", after_help = kernel_check::EXAMPLE)]
struct KernelOptions {
    #[command(flatten)]
    check: Check,
}

/// The options by which a check of any kernel is told from a check of exercises.
const OF_KERNELS: [&str; 3] = ["--kernel", "--grid", "--block"];

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let checks = match kernel_words(&words) {
        Some(words) => {
            let KernelOptions { check } = KernelOptions::try_parse_from(words).unwrap_or_else(|error| show(&error));
            Some(Ok(vec![check]))
        }
        None => checks_in_comments(&words),
    };
    let (result, error_status) = match checks {
        Some(checks) => (checks.and_then(|checks| kernel_check::run(&checks)), 2),
        None => {
            let Options { learn } = Options::try_parse_from(&words).unwrap_or_else(|error| show(&error));
            (learn::run(&learn, &workspace_root()), learn.error_status())
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        // A finding is a result and not an error: a kernel has one, or an exercise is not solved.
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(error_status)
        }
    }
}

/// Returns the words of a check of any kernel, without `check`; none for all other commands.
fn kernel_words(words: &[OsString]) -> Option<Vec<OsString>> {
    let [program, command, rest @ ..] = words else { return None };
    let is_of_kernels = |word: &OsString| {
        let word = word.to_string_lossy();
        OF_KERNELS
            .iter()
            .any(|option| word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
    };
    let is_check = command == "check" && rest.iter().any(is_of_kernels);
    is_check.then(|| [program].into_iter().chain(rest).cloned().collect())
}

/// Returns the checks that the comments of files ask for; `None` for all other commands.
fn checks_in_comments(words: &[OsString]) -> Option<anyhow::Result<Vec<Check>>> {
    let [program, command, rest @ ..] = words else { return None };
    let commands = directives::commands(program, rest).filter(|_| command == "check")?;
    let parse = |Directive { place, words }: Directive| {
        let parsed = KernelOptions::try_parse_from(words);
        parsed
            .map(|options| options.check)
            .map_err(|error| anyhow::anyhow!("{place}: {}", error.to_string().trim_end()))
    };
    Some(
        commands.map_err(|error| anyhow::anyhow!(error)).and_then(|commands| commands.into_iter().map(parse).collect()),
    )
}

/// Shows help within the width of the terminal, which clap does only with another dependency, or an error of the command line,
/// and exits.
fn show(error: &clap::Error) -> ! {
    if error.use_stderr() {
        error.exit();
    }
    let is_terminal = std::io::stdout().is_terminal();
    let words: Vec<OsString> = std::env::args_os().collect();
    let render = |help: &clap::builder::StyledStr| if is_terminal { help.ansi().to_string() } else { help.to_string() };
    let mut text = render(&error.render());
    // One command with two uses has both helps.
    if words.get(1).is_some_and(|word| word == "check") && kernel_words(&words).is_none() {
        let help = Check::augment_args(clap::Command::new("check"))
            .bin_name("cargo learn check")
            .about("Or run any kernel, which --kernel names, on the emulator, and report its memory and synchronization errors")
            .after_help(kernel_check::EXAMPLE)
            .render_long_help();
        text.push('\n');
        text.push_str(&render(&help));
    }
    output::say(text.trim_end());
    std::process::exit(error.exit_code())
}
