//! A page of the browser, controlled through the DevTools protocol.

use super::chromium::Browser;
use super::socket::Socket;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time limit for an answer, a load or a condition.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Functions for tests, which are defined on every page.
const CHECKS: &str = concat!(include_str!("checks.js"), include_str!("barriers.js"));

/// Disables transitions and animations, so that pages are checked in their final state.
const STILL: &str = "addEventListener('DOMContentLoaded', () => document.head.insertAdjacentHTML('beforeend',
    '<style>*, *::before, *::after { transition: none !important; animation: none !important }</style>'))";

/// A page with separate storage, so that tests do not share the chosen theme.
pub struct Page {
    socket: Socket,
    /// The connection that keeps the page's storage, which the browser deletes when it closes.
    _owner: Socket,
}

impl Page {
    pub fn new(browser: &Browser) -> Self {
        let mut owner = Socket::connect(browser.address());
        let context = owner.ask("Target.createBrowserContext", json!({ "disposeOnDetach": true }));
        let target = owner.ask(
            "Target.createTarget",
            json!({ "url": "about:blank", "newWindow": true, "browserContextId": context["browserContextId"] }),
        );
        let (host, _) = browser.address().split_once("/devtools/").unwrap();
        let id = target["targetId"].as_str().unwrap();
        let mut socket = Socket::connect(&format!("{host}/devtools/page/{id}"));
        for domain in ["Page", "Runtime", "Log", "Network"] {
            socket.ask(&format!("{domain}.enable"), json!({}));
        }
        socket.ask("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        socket.ask("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        let mut page = Self { socket, _owner: owner };
        page.before_every_page(CHECKS);
        page.before_every_page(STILL);
        page.resize(1280, 800);
        page
    }

    /// Runs a script in every page that is opened from now on, before the page's scripts.
    pub fn before_every_page(&mut self, script: &str) {
        self.socket.ask("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
    }

    /// Sets the width and height of the window, in CSS pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.socket.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens an address and waits until the page and its resources are loaded.
    pub fn open(&mut self, address: &str) {
        let answer = self.socket.ask("Page.navigate", json!({ "url": address }));
        assert!(answer.get("errorText").is_none(), "{address}: {}", answer["errorText"]);
        self.wait_for_load(&answer["loaderId"], address);
    }

    /// Clicks a link to another page and waits until that page and its resources are loaded. The old page cannot be queried
    /// meanwhile.
    pub fn follow(&mut self, selector: &str) {
        let arrival = self.leave(selector, |page| page.click(selector));
        self.wait_for_load(&arrival["params"]["frame"]["loaderId"], selector);
    }

    /// Goes back to the page before and waits until the browser shows it, perhaps as it was left. A script cannot do this: the
    /// old page may end before it has answered.
    pub fn back(&mut self) {
        let history = self.socket.ask("Page.getNavigationHistory", json!({}));
        let before = history["currentIndex"].as_u64().and_then(|index| index.checked_sub(1)).expect("no page before");
        let entry = &history["entries"][before as usize]["id"];
        self.leave("back", |page| {
            page.socket.ask("Page.navigateToHistoryEntry", json!({ "entryId": entry }));
        });
    }

    /// Leaves the page by `step` and returns the event of the arrival at another one.
    fn leave(&mut self, whose: &str, step: impl FnOnce(&mut Self)) -> Value {
        let is_new_page = |event: &Value| {
            event["method"] == "Page.frameNavigated" && event["params"]["frame"].get("parentId").is_none()
        };
        self.socket.events.retain(|event| !is_new_page(event));
        step(self);
        self.socket.wait_for_event(is_new_page, whose)
    }

    /// Waits for the load event of a document. An event of an earlier document may come first.
    fn wait_for_load(&mut self, document: &Value, whose: &str) {
        assert!(document.is_string(), "{whose}: no other document");
        let is_loaded = |event: &Value| {
            let details = &event["params"];
            event["method"] == "Page.lifecycleEvent" && details["name"] == "load" && details["loaderId"] == *document
        };
        self.socket.wait_for_event(is_loaded, whose);
        self.wait_for("checks.isStyled()");
    }

    /// Runs statements in the page.
    pub fn run(&mut self, script: &str) {
        self.evaluate::<()>(&format!("{{ {script} }} null"));
    }

    /// Scrolls to every explorer and player of the page and waits until they are active.
    pub fn wake(&mut self) {
        self.evaluate::<()>("checks.wake()");
    }

    /// Returns the value of an expression, and waits for a promise.
    pub fn evaluate<T: DeserializeOwned>(&mut self, expression: &str) -> T {
        let question = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.socket.ask("Runtime.evaluate", question);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        serde_json::from_value(answer["result"]["value"].clone())
            .unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, condition: &str) {
        let begin = Instant::now();
        while !self.evaluate::<bool>(&format!("Boolean({condition})")) {
            assert!(begin.elapsed() < PATIENCE, "not within {} s: {condition}", PATIENCE.as_secs());
            sleep(Duration::from_millis(20));
        }
    }

    /// Clicks the middle of the first element that matches a selector.
    pub fn click(&mut self, selector: &str) {
        let [x, y]: [f64; 2] = self.evaluate(&format!("checks.middle({selector:?})"));
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1 });
            self.socket.ask("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key that enters no text, such as `ArrowDown`.
    pub fn press(&mut self, key: &str) {
        self.press_with(key, 0);
    }

    /// Presses a key with modifiers, by the protocol's bits: 2 is the control key.
    pub fn press_with(&mut self, key: &str, modifiers: u8) {
        let known = [
            ("Tab", 9),
            ("Enter", 13),
            ("Escape", 27),
            ("PageUp", 33),
            ("PageDown", 34),
            ("End", 35),
            ("Home", 36),
            ("ArrowLeft", 37),
            ("ArrowUp", 38),
            ("ArrowRight", 39),
            ("ArrowDown", 40),
        ];
        let (_, code) = known.into_iter().find(|(name, _)| *name == key).unwrap_or_else(|| panic!("no key {key}"));
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers
            });
            self.socket.ask("Input.dispatchKeyEvent", event);
            // A browser presses a focused button by the character of this key.
            if key == "Enter" && kind == "rawKeyDown" {
                self.socket.ask(
                    "Input.dispatchKeyEvent",
                    json!({ "type": "char", "text": "\r", "key": key, "modifiers": modifiers }),
                );
            }
        }
    }

    /// Types text into the focused element, key by key.
    pub fn type_text(&mut self, text: &str) {
        for key in text.chars() {
            self.socket.ask("Input.dispatchKeyEvent", json!({ "type": "keyDown", "text": key, "key": key }));
            self.socket.ask("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
        }
    }

    /// Chooses a theme in mdBook's menu.
    pub fn choose_theme(&mut self, theme: &str) {
        // mdBook's bar moves after a scroll, away from a click.
        self.run("scrollTo({ top: 0, behavior: 'instant' })");
        self.wait_for("document.querySelector('#mdbook-menu-bar').getBoundingClientRect().top === 0");
        // The menu stays open after a choice.
        if !self.evaluate::<bool>(&format!("checks.isVisible(document.querySelector('#mdbook-theme-{theme}'))")) {
            self.click("#mdbook-theme-toggle");
        }
        self.click(&format!("#mdbook-theme-{theme}"));
        self.wait_for(&format!("document.documentElement.classList.contains({theme:?}) && checks.isStyled()"));
    }

    /// Waits until a loaded page is idle, and for its messages.
    fn rest(&mut self) {
        let _: Value = self.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(() => done(0)), 50))");
    }

    /// Returns the bytes received over the network, uncompressed, and the problems since the last call of this or of
    /// [`Page::problems`].
    pub fn received(&mut self) -> (u64, Vec<String>) {
        self.rest();
        let events = std::mem::take(&mut self.socket.events);
        let is_data = |event: &&Value| event["method"] == "Network.dataReceived";
        let bytes = |event: &Value| event["params"]["dataLength"].as_u64().unwrap_or_default();
        (events.iter().filter(is_data).map(bytes).sum(), events.iter().filter_map(problem).collect())
    }

    /// Returns the bytes received over the network, as they were sent, and the problems since the last call of this or of
    /// [`Page::problems`]. A `data:` address is part of the text that has it, and is not counted again.
    pub fn sent(&mut self) -> (u64, Vec<String>) {
        self.rest();
        let events = std::mem::take(&mut self.socket.events);
        let is_embedded =
            |event: &Value| event["params"]["request"]["url"].as_str().is_some_and(|url| url.starts_with("data:"));
        let embedded: Vec<_> =
            events.iter().filter(|event| is_embedded(event)).map(|event| &event["params"]["requestId"]).collect();
        let is_end = |event: &&Value| {
            event["method"] == "Network.loadingFinished" && !embedded.contains(&&event["params"]["requestId"])
        };
        let bytes = |event: &Value| event["params"]["encodedDataLength"].as_f64().unwrap_or_default() as u64;
        (events.iter().filter(is_end).map(bytes).sum(), events.iter().filter_map(problem).collect())
    }

    /// Sets the reader's preference for motion: `reduce` or `no-preference`.
    pub fn prefer_motion(&mut self, wish: &str) {
        let features = json!([{ "name": "prefers-reduced-motion", "value": wish }]);
        self.socket.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Shows the page as on paper, or as on a screen.
    pub fn show_on(&mut self, medium: &str) {
        self.socket.ask("Emulation.setEmulatedMedia", json!({ "media": medium }));
    }

    /// Returns the width and height of each page of a print, in points.
    pub fn print(&mut self) -> Vec<String> {
        let wish = json!({ "preferCSSPageSize": true, "printBackground": true });
        let printed = self.socket.ask("Page.printToPDF", wish);
        let bytes = STANDARD.decode(printed["data"].as_str().unwrap()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        text.split("/MediaBox [0 0 ").skip(1).map(|rest| rest.split(']').next().unwrap().trim().to_owned()).collect()
    }

    /// Sets whether the system prefers dark pages.
    pub fn prefer_dark(&mut self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.socket.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Disables the cache.
    pub fn forget_files(&mut self) {
        self.socket.ask("Network.setCacheDisabled", json!({ "cacheDisabled": true }));
    }

    /// Returns the problems since the last call: console errors, exceptions, failed resources, and requests to other hosts.
    pub fn problems(&mut self) -> Vec<String> {
        self.received().1
    }
}

fn problem(event: &Value) -> Option<String> {
    let details = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => {
            let exception = &details["exceptionDetails"];
            Some(format!("exception: {} {}", exception["text"], exception["exception"]["description"]))
        }
        "Runtime.consoleAPICalled" if matches!(details["type"].as_str(), Some("error" | "warning" | "assert")) => {
            Some(format!("console.{}: {}", details["type"].as_str()?, details["args"]))
        }
        "Log.entryAdded" if details["entry"]["level"] == "error" => {
            Some(format!("error: {} {}", details["entry"]["text"], details["entry"]["url"]))
        }
        "Network.requestWillBeSent" => {
            let address = details["request"]["url"].as_str()?;
            let is_local =
                ["file:", "data:", "blob:", "http://localhost:"].iter().any(|begin| address.starts_with(begin));
            (!is_local).then(|| format!("asks the network for {address}"))
        }
        _ => None,
    }
}
