//! The built book in a real browser, Chromium without a window, from disk and over the book's own server.
//!
//! `COALESCED_BROWSER` names a browser; else `chromium`, `google-chrome` and `chromium-browser` are looked for. Without
//! one these tests pass and say that they were skipped, unless `COALESCED_REQUIRE_BROWSER=1`. Beside the test of a check
//! stands a twin, a page made wrong, that the check must find.

mod axe;
mod barriers;
mod browser;
mod explorers;
mod languages;
mod loads;
mod page;
mod player;
mod search;
mod site;
mod socket;
mod stepper;
mod themes;
mod visits;
mod weight;
mod widths;
