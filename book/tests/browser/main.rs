//! The built book in a real browser, Chromium without a window, from disk and over the book's own server.
//!
//! `COALESCED_BROWSER` names a browser; else `chromium`, `google-chrome` and `chromium-browser` are looked for. Without
//! one these tests pass and say that they were skipped, unless `COALESCED_REQUIRE_BROWSER=1`. Each check is a question to
//! a page in `checks.js`, and beside the test that asks it stands a twin, a page made wrong, that it must find.

mod browser;
mod loads;
mod page;
mod search;
mod site;
mod themes;
mod widths;
