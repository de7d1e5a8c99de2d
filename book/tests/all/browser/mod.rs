//! The built book in Chromium without a window, opened from disk and from the book's own server.
//!
//! `COALESCED_BROWSER` names a browser; otherwise `chromium`, `google-chrome` and `chromium-browser` are tried. Without a
//! browser these tests are skipped, unless `COALESCED_REQUIRE_BROWSER=1`. Each check has a twin that breaks a page and
//! requires the check to find it.

mod answers;
mod axe;
mod barriers;
mod chromium;
mod compiling;
mod contents;
mod editing;
mod editor;
mod explorers;
mod formulas;
mod graded;
mod handing_in;
mod keeping;
mod languages;
mod links;
mod loads;
mod log;
mod page;
mod paper;
mod player;
mod published;
mod search;
mod sheets;
mod site;
mod slides;
mod socket;
mod solving;
mod stepper;
mod tables;
mod themes;
mod visits;
mod weight;
mod widths;
