//! Finding, starting and ending the browser.

use crate::support::skip;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NAMES: [&str; 3] = ["chromium", "google-chrome", "chromium-browser"];

/// Keeps the browser off the network and runs timers at full speed in background pages.
const FLAGS: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--remote-debugging-port=0",
];

/// The time that the browser has to start listening.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running browser, ended with the last test that uses it.
pub struct Browser {
    child: Child,
    profile: TempDir,
    address: String,
}

static RUNNING: Mutex<Weak<Browser>> = Mutex::new(Weak::new());

impl Browser {
    /// Returns the browser that all tests share; none if there is no browser, which skips the calling test.
    pub fn shared() -> Option<Arc<Self>> {
        // A test that fails to start the browser must not fail the others.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(browser) = running.upgrade() {
            return Some(browser);
        }
        let required = env::var("COALESCED_REQUIRE_BROWSER").is_ok_and(|value| value == "1");
        let Some(program) = or_skip(find(), required).unwrap_or_else(|error| panic!("{error}")) else {
            skip("install chromium, or name a browser in COALESCED_BROWSER");
            return None;
        };
        let browser = Arc::new(Self::start(&program));
        *running = Arc::downgrade(&browser);
        Some(browser)
    }

    fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let child = Command::new(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        let mut browser = Self { child, profile, address: String::new() };
        browser.address = browser.wait_for_address();
        browser
    }

    /// Waits for the file in which the browser writes the port and the path of its WebSocket once it listens.
    fn wait_for_address(&mut self) -> String {
        let file = self.profile.path().join("DevToolsActivePort");
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            let text = fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.split_once('\n').filter(|(_, path)| path.contains("browser/")) {
                return format!("ws://127.0.0.1:{port}{}", path.trim());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!("the browser ended ({status}) before it listened");
            }
            sleep(Duration::from_millis(20));
        }
        panic!("the browser did not listen within {} s", PATIENCE.as_secs());
    }

    /// Returns the address of the browser's own WebSocket, `ws://127.0.0.1:PORT/devtools/browser/ID`.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the program named in `COALESCED_BROWSER`, or else the first known one on the path.
fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("COALESCED_BROWSER") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

fn or_skip(found: Option<PathBuf>, required: bool) -> Result<Option<PathBuf>, String> {
    match found {
        None if required => Err(format!("COALESCED_REQUIRE_BROWSER=1, and none of {NAMES:?} is on the path")),
        found => Ok(found),
    }
}

#[test]
fn a_missing_browser_is_an_error_only_if_one_is_required() {
    assert_eq!(or_skip(None, false), Ok(None));
    assert!(or_skip(None, true).is_err());
    let found = Some(PathBuf::from("/usr/bin/chromium"));
    assert_eq!(or_skip(found.clone(), true), Ok(found));
}
