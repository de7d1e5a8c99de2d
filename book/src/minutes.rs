//! The minutes of readers, from the logs that pages export: `log.json`, or the zip that contains it.
//!
//! `theme/log.js` writes them; the chapter *Commands* says what their fields mean.

use anyhow::{Context, Result, bail, ensure};
use common::timing;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// The number of the format of logs.
const SCHEMA: u64 = 1;

/// The name of a log in a zip.
const NAME: &str = "log.json";

/// The largest log that is read: a small zip may hold a huge file.
const MAX_BYTES: u64 = 1 << 20;

/// One reader's log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    /// The number of its format, which is checked before.
    #[serde(rename = "schema")]
    _schema: u64,
    /// When it began, in UTC.
    #[serde(rename = "since")]
    _since: String,
    /// The seconds that were counted, by the names of pages: `first-kernels`.
    page_seconds: BTreeMap<String, f64>,
    /// The exercises that were opened, by their files: `12_guard.cu`.
    exercises: BTreeMap<String, Entry>,
}

/// An exercise in a log. Its times are counted seconds since the beginning of the log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    opened_second: f64,
    checks: u64,
    first_verdict_second: Option<f64>,
    first_solved_second: Option<f64>,
}

/// The medians of several readers.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// The number of logs.
    readers: usize,
    /// In the order of the book.
    pages: Vec<Page>,
    /// Sorted by name.
    exercises: Vec<Exercise>,
}

#[derive(Debug, Serialize)]
struct Page {
    page: String,
    minutes: f64,
    readers: usize,
}

/// The minutes are those of the readers who have had a verdict, or a solution.
#[derive(Debug, Serialize)]
struct Exercise {
    exercise: String,
    minutes_to_first_verdict: Option<f64>,
    minutes_to_solution: Option<f64>,
    checks: f64,
    opened_by: usize,
    solved_by: usize,
}

impl Summary {
    /// Reads logs, one a reader, and takes their medians. `chapters` are the names of the pages in the order of the book.
    ///
    /// # Errors
    /// Returns an error that names the file if one is no log, or one of another format.
    pub fn read(files: &[PathBuf], chapters: &[String]) -> Result<Self> {
        let logs: Vec<Log> =
            files.iter().map(|file| read(file).with_context(|| file.display().to_string())).collect::<Result<_>>()?;
        Ok(Self { readers: logs.len(), pages: pages(&logs, chapters), exercises: exercises(&logs) })
    }

    /// Returns the tables.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("Medians of {}\n", count(self.readers, "reader"));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{:<28} {:>8} {:>8}", "page", "minutes", "readers");
        for Page { page, minutes, readers } in &self.pages {
            let _ = writeln!(text, "{page:<28} {minutes:>8.1} {readers:>8}");
        }
        if !self.exercises.is_empty() {
            let heads = ["exercise", "verdict", "solved", "checks", "opened by", "solved by"];
            let [name, verdict, solved, checks, opened_by, solved_by] = heads;
            let _ = writeln!(text, "\n{name:<28} {verdict:>8} {solved:>8} {checks:>8} {opened_by:>10} {solved_by:>10}");
        }
        for each in &self.exercises {
            let [verdict, solved] = [each.minutes_to_first_verdict, each.minutes_to_solution]
                .map(|minutes| minutes.map_or_else(|| "-".to_owned(), |minutes| format!("{minutes:.1}")));
            let Exercise { exercise, checks, opened_by, solved_by, .. } = each;
            let _ =
                writeln!(text, "{exercise:<28} {verdict:>8} {solved:>8} {checks:>8} {opened_by:>10} {solved_by:>10}");
        }
        if !self.exercises.is_empty() {
            text += "\nverdict, solved: minutes from the opening of an exercise to its first verdict, and to its solution\n";
        }
        text
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn pages(logs: &[Log], chapters: &[String]) -> Vec<Page> {
    let mut seconds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (page, &value) in logs.iter().flat_map(|log| &log.page_seconds) {
        seconds.entry(page).or_default().push(value);
    }
    let page = |(page, seconds): (&str, Vec<f64>)| {
        let readers = seconds.len();
        Some(Page { page: page.to_owned(), minutes: minutes(seconds)?, readers })
    };
    let mut pages: Vec<Page> = seconds.into_iter().filter_map(page).collect();
    let place = |page: &Page| chapters.iter().position(|chapter| *chapter == page.page).unwrap_or(chapters.len());
    pages.sort_by_key(place);
    pages
}

fn exercises(logs: &[Log]) -> Vec<Exercise> {
    let mut entries: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for (file, entry) in logs.iter().flat_map(|log| &log.exercises) {
        entries.entry(file).or_default().push(entry);
    }
    let exercise = |(file, entries): (&str, Vec<&Entry>)| {
        let after = |end: fn(&Entry) -> Option<f64>| -> Vec<f64> {
            entries.iter().filter_map(|entry| Some(end(entry)? - entry.opened_second)).collect()
        };
        let solved = after(|entry| entry.first_solved_second);
        Exercise {
            exercise: file.trim_end_matches(".cu").to_owned(),
            solved_by: solved.len(),
            minutes_to_first_verdict: minutes(after(|entry| entry.first_verdict_second)),
            minutes_to_solution: minutes(solved),
            checks: median(entries.iter().map(|entry| entry.checks as f64).collect()).unwrap_or_default(),
            opened_by: entries.len(),
        }
    };
    entries.into_iter().map(exercise).collect()
}

/// Returns the median of seconds in minutes, rounded to a tenth; `None` if there are none.
fn minutes(seconds: Vec<f64>) -> Option<f64> {
    median(seconds).map(|seconds| (seconds / 6.0).round() / 10.0)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    (!values.is_empty()).then(|| timing::median(&values))
}

/// Reads the log in a file, which is a zip if it begins like one.
fn read(file: &Path) -> Result<Log> {
    let bytes = fs::read(file)?;
    let json = if bytes.starts_with(b"PK") { from_zip(bytes)? } else { bytes };
    parse(&json)
}

/// Returns the log in a zip, which may be in a folder.
fn from_zip(bytes: Vec<u8>) -> Result<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut names = archive.file_names().filter_map(Result::ok);
    let Some(name) = names.find(|name| name.rsplit('/').next() == Some(NAME)).map(Cow::into_owned) else {
        bail!("it contains no {NAME}: its reader kept no log");
    };
    drop(names);
    let mut json = Vec::new();
    archive.by_name(&name)?.take(MAX_BYTES + 1).read_to_end(&mut json)?;
    ensure!(json.len() as u64 <= MAX_BYTES, "{name} is larger than 1 MB");
    Ok(json)
}

fn parse(json: &[u8]) -> Result<Log> {
    let value: serde_json::Value = serde_json::from_slice(json).context("it is no log of the book's pages")?;
    match value["schema"].as_u64() {
        Some(SCHEMA) => serde_json::from_value(value).context("it is no log of the book's pages"),
        Some(other) => bail!("its format has the number {other}, and this program reads {SCHEMA}"),
        None => bail!("it is no log of the book's pages: it has no \"schema\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"{"schema": 1, "since": "2026-01-01T00:00:00.000Z", "page_seconds": {"stage01": 60, "index": 30},
        "exercises": {"11_map.cu": {"opened_second": 10, "checks": 4, "first_verdict_second": 40, "first_solved_second": 130}}}"#;
    const SECOND: &str = r#"{"schema": 1, "since": "2026-01-02T00:00:00.000Z", "page_seconds": {"stage01": 180},
        "exercises": {"11_map.cu": {"opened_second": 0, "checks": 1, "first_verdict_second": 90}}}"#;

    fn summary() -> Summary {
        let logs = [FIRST, SECOND].map(|text| parse(text.as_bytes()).unwrap());
        let chapters = ["index", "stage01"].map(str::to_owned);
        Summary { readers: 2, pages: pages(&logs, &chapters), exercises: exercises(&logs) }
    }

    #[test]
    fn pages_are_in_the_order_of_the_book_with_their_medians() {
        let found: Vec<_> = summary().pages.into_iter().map(|each| (each.page, each.minutes, each.readers)).collect();
        assert_eq!(found, [("index".to_owned(), 0.5, 1), ("stage01".to_owned(), 2.0, 2)]);
    }

    #[test]
    fn times_of_an_exercise_count_from_its_opening() {
        let text = summary().text();
        let row: Vec<&str> = text.lines().find(|line| line.starts_with("11_map")).unwrap().split_whitespace().collect();
        assert_eq!(row, ["11_map", "1.0", "2.0", "2.5", "2", "1"]);
    }

    #[test]
    fn another_format_and_no_log_are_refused() {
        let refused = |text: &str| format!("{:#}", parse(text.as_bytes()).unwrap_err());
        assert!(refused(&FIRST.replace("\"schema\": 1", "\"schema\": 2")).contains("number 2"));
        assert!(refused(&FIRST.replace("page_seconds", "pages")).contains("unknown field `pages`"));
        assert!(refused("{}").contains("no \"schema\"") && refused("PK").contains("no log"));
    }
}
