//! Asking the learner whether to fetch the compiler now.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::Command;

/// Asks at the terminal whether to run `cargo x nvrtc`, and runs it where the answer is yes; whether NVRTC was fetched.
/// Asks nobody where there is no terminal, or where the program was not started by cargo.
#[must_use]
pub fn offer() -> bool {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let (true, Some((cargo, package))) = (is_terminal, cargo()) else { return false };
    eprint!("Run it now? [y/N] ");
    let mut answer = String::new();
    if std::io::stdin().read_line(&mut answer).is_err() || !is_yes(&answer) {
        return false;
    }
    let fetched = Command::new(cargo).args(["x", "nvrtc"]).current_dir(package).status();
    fetched.is_ok_and(|status| status.success())
}

/// The cargo that started this program, and the folder of the package that it was told to run.
fn cargo() -> Option<(OsString, OsString)> {
    std::env::var_os("CARGO").zip(std::env::var_os("CARGO_MANIFEST_DIR"))
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y\n", "Y\n", " yes \n"].into_iter().all(is_yes));
        assert!(!["\n", "", "n\n", "why\n"].into_iter().any(is_yes));
    }
}
