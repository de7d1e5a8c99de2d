//! Tests that need a process of their own: the test program starts itself again to run one test.

use std::process::Command;

/// The environment variable with the name of the test for which a process was started.
const TEST: &str = "COALESCED_TEST_PROCESS";

/// Runs the rest of the test in a new process, with environment variables if any are given.
macro_rules! own_process {
    ($($name:literal = $value:literal),*) => {
        fn here() {}
        if $crate::support::process::start(std::any::type_name_of_val(&here), &[$(($name, $value)),*]) {
            return;
        }
    };
}
pub(crate) use own_process;

/// Starts a process for the test at `path`, which is the path of an item inside its function, unless this is that process.
/// Returns whether a process was started.
///
/// # Panics
/// If the test fails in that process.
pub fn start(path: &str, variables: &[(&str, &str)]) -> bool {
    let (_, name) = path.split_once("::").unwrap();
    let (name, _) = name.rsplit_once("::").unwrap();
    if std::env::var(TEST).is_ok_and(|test| test == name) {
        return false;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    let output = command.env(TEST, name).envs(variables.iter().copied()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("1 passed"), "no test is called {name}: {printed}");
    true
}
