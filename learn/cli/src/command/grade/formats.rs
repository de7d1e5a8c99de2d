//! Grades in the formats of platforms.
//!
//! - Gradescope: `results.json`, <https://gradescope-autograders.readthedocs.io/en/latest/specs/>
//! - JUnit XML, as Jenkins and GitLab read it: `junit-10.xsd` of Jenkins's xUnit plugin
//! - GitHub Classroom: what its `autograding-grading-reporter` reads, in base64, from a step's output

use super::learner::{Graded, Marked};
use super::points::Points;
use crate::learner::write_whole;
use judge::Error;
use judge::set::{Exercise, Set};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A format that a platform reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// results.json of Gradescope, one file per learner
    Gradescope,
    /// JUnit XML, one file with a suite per learner
    Junit,
    /// The input of GitHub Classroom's reporter, one file per learner
    Classroom,
}

/// Returns the files to write, one per learner or one for all: `FOLDER/NAME.json`, or the named file.
///
/// # Errors
/// The named file would have several learners, and the format has one learner per file.
pub(super) fn files(format: Format, output: &Path, names: &[&str]) -> Result<Vec<PathBuf>, Error> {
    let is_file = output.extension().is_some_and(|end| end == "json" || end == "xml");
    let word = clap::ValueEnum::to_possible_value(&format).map_or(String::new(), |value| value.get_name().to_owned());
    match (format, is_file) {
        (Format::Junit, _) if output.is_dir() => {
            Err(Error::Usage(format!("--output: {} is a folder, and {word} is one file", output.display())))
        }
        (Format::Junit, _) => Ok(vec![output.to_owned()]),
        (_, true) if names.len() == 1 => Ok(vec![output.to_owned()]),
        (_, true) => Err(Error::Usage(format!(
            "--output: {word} has a file per learner, and there are {}: name a folder",
            names.len()
        ))),
        (_, false) => {
            let mut taken = BTreeSet::new();
            let file = |name: &&str| {
                let plain = file_name(name);
                // Names that differ in case alone are one file on some systems.
                let numbered =
                    (1..).map(|number| if number == 1 { plain.clone() } else { format!("{plain} {number}") });
                let free = numbered.into_iter().find(|name| taken.insert(name.to_lowercase())).unwrap_or_default();
                output.join(format!("{free}.json"))
            };
            Ok(names.iter().map(file).collect())
        }
    }
}

/// Returns a learner's name as that of a file on any system.
fn file_name(name: &str) -> String {
    let plain = |one: char| if one.is_alphanumeric() || " -_().#".contains(one) { one } else { '_' };
    let name: String = name.chars().map(plain).take(100).collect();
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() { "_".to_owned() } else { name.to_owned() }
}

/// Writes the files that [`files`] returned.
///
/// # Errors
/// One cannot be written.
pub(super) fn write(
    format: Format,
    files: &[PathBuf],
    learners: &[Marked<'_>],
    (set, points, seed): (&Set, &Points, Option<u64>),
) -> Result<(), Error> {
    for folder in files.iter().filter_map(|file| file.parent()).collect::<BTreeSet<_>>() {
        std::fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    }
    if format == Format::Junit {
        let text = junit(learners, set);
        return files.iter().try_for_each(|file| write_whole(file, &text));
    }
    for (file, learner) in files.iter().zip(learners) {
        let tests = tests(learner, set, points);
        let value = match format {
            Format::Classroom => classroom(&tests, points),
            _ => gradescope(&tests, seed),
        };
        write_whole(file, format!("{value:#}\n"))?;
    }
    Ok(())
}

/// An exercise of a learner, as platforms have it.
struct Test<'a> {
    exercise: &'a Exercise,
    earned: f64,
    most: f64,
    /// The check that fails, if any, and the verdict's text.
    failing: Option<&'static str>,
    text: String,
}

/// Returns the exercises of a learner, also of one who handed in nothing.
fn tests<'a>(learner: &'a Marked<'_>, set: &'a Set, points: &Points) -> Vec<Test<'a>> {
    match &learner.exercises {
        Ok(graded) => graded.iter().map(|one| of_graded(one, points)).collect(),
        Err(reason) => set
            .exercises
            .iter()
            .map(|exercise| {
                let most = points.of(exercise);
                Test { exercise, earned: 0.0, most, failing: Some(super::MISSING), text: reason.clone() }
            })
            .collect(),
    }
}

fn of_graded<'a>(graded: &'a Graded<'_>, points: &Points) -> Test<'a> {
    let exercise = graded.exercise;
    let text = graded.verdict().map_or_else(|| "there is no file".to_owned(), ToString::to_string);
    Test { exercise, earned: points.earned(graded), most: points.of(exercise), failing: graded.failing(), text }
}

fn gradescope(tests: &[Test<'_>], seed: Option<u64>) -> Value {
    let tests = tests.iter().map(|test| {
        json!({
            "name": test.exercise.heading(), "score": test.earned, "max_score": test.most, "output": test.text,
            "status": if test.failing.is_none() { "passed" } else { "failed" },
        })
    });
    json!({"test_output_format": "text", "extra_data": {"seed": seed}, "tests": tests.collect::<Vec<_>>()})
}

fn classroom(tests: &[Test<'_>], points: &Points) -> Value {
    let word = |is_passed: bool| if is_passed { "pass" } else { "fail" };
    let status = word(tests.iter().all(|test| test.failing.is_none()));
    let tests = tests.iter().map(|test| {
        json!({
            "name": test.exercise.heading(), "status": word(test.failing.is_none()), "score": test.earned,
            "message": test.text, "test_code": "", "filename": test.exercise.name, "line_no": 0,
        })
    });
    json!({"version": 1, "status": status, "max_score": points.total(), "tests": tests.collect::<Vec<_>>()})
}

/// Returns a suite per learner. An exercise without a file is a failure: a skipped one would not fail a pipeline.
fn junit(learners: &[Marked<'_>], set: &Set) -> String {
    let count = |learner: &Marked<'_>| set.exercises.len() - learner.solved();
    let (all, failures): (usize, usize) = (learners.len() * set.exercises.len(), learners.iter().map(count).sum());
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"exercises\" tests=\"{all}\" failures=\"{failures}\" \
         errors=\"0\">\n"
    );
    let points = Points::equal(set);
    for learner in learners {
        let (name, tests) = (escape(&learner.name), tests(learner, set, &points));
        let _ = writeln!(
            text,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">",
            tests.len(),
            count(learner)
        );
        for test in tests {
            let case = escape(&test.exercise.name);
            let _ = write!(text, "    <testcase classname=\"{name}\" name=\"{case}\"");
            let _ = match test.failing {
                None => writeln!(text, "/>"),
                Some(check) => {
                    let message = escape(test.text.lines().next().unwrap_or_default());
                    let all = escape(&test.text);
                    writeln!(text, "><failure type=\"{check}\" message=\"{message}\">{all}</failure></testcase>")
                }
            };
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

/// Returns a text with XML's own characters escaped, and without those that XML cannot have.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for one in text.chars() {
        match one {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(one),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            one if one.is_control() => escaped.push('\u{fffd}'),
            one => escaped.push(one),
        }
    }
    escaped
}
