//! Offering to fetch a missing compiler.

use crate::error::Error;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::Command;

/// The offer to fetch a missing compiler, which a run of a program makes at most once.
#[derive(Debug, Default)]
pub struct FetchOffer {
    is_made: bool,
}

impl FetchOffer {
    /// Returns what `act` returns, or if it lacks a compiler that is fetched now, what it returns when it is called again.
    pub fn retry<T>(&mut self, mut act: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
        act().or_else(|error| if self.is_accepted(&error) { act() } else { Err(error) })
    }

    /// Makes the offer if `error` is a missing compiler that can be fetched. Returns whether the compiler was fetched, so
    /// that what failed is worth one more try.
    fn is_accepted(&mut self, error: &Error) -> bool {
        let Error::NoCompiler { fetch: Some(fetch), .. } = error else { return false };
        !std::mem::replace(&mut self.is_made, true) && fetch()
    }
}

/// Asks at the terminal whether to run a command of `cargo learn`, and runs it if the answer is yes. Returns whether it succeeded:
/// never without a terminal, nor if the program was not started by cargo.
pub(super) fn fetch(what: &str, command: &str) -> bool {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let (true, Some((cargo, package))) = (is_terminal, cargo()) else { return false };
    eprint!("This kernel needs {what}. Fetch it now with `cargo learn {command}`? [y/N] ");
    let mut answer = String::new();
    if std::io::stdin().read_line(&mut answer).is_err() || !is_yes(&answer) {
        return false;
    }
    let fetched = Command::new(cargo).args(["learn", command]).current_dir(package).status();
    fetched.is_ok_and(|status| status.success())
}

/// Returns the cargo that started this program, and the folder of the package that it was told to run.
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

    #[test]
    fn the_offer_is_made_once_and_only_if_a_compiler_can_be_fetched() {
        let missing = |fetch| Error::NoCompiler { reason: String::new(), fetch };
        let mut offer = FetchOffer::default();
        assert!(!offer.is_accepted(&missing(None)) && !offer.is_accepted(&Error::Open(String::new())));
        assert!(offer.is_accepted(&missing(Some(|| true))));
        assert!(!offer.is_accepted(&missing(Some(|| true))), "a second offer");
    }
}
