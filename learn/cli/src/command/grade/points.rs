//! The points of exercises: one each, or as `--points` says.

use super::WASTEFUL;
use super::learner::{Graded, Marked};
use judge::Error;
use judge::set::{Exercise, Set};
use std::collections::BTreeMap;

/// The points of each exercise, and the part of them that a wasteful kernel earns.
pub(super) struct Points {
    of: BTreeMap<String, f64>,
    wasteful: f64,
}

impl Points {
    /// Returns one point for each exercise.
    pub(super) fn equal(set: &Set) -> Self {
        Self { of: set.exercises.iter().map(|exercise| (exercise.name.clone(), 1.0)).collect(), wasteful: 1.0 }
    }

    /// Parses `11=2,12=0.5,wasteful=0.5`: exercises with their points, of which the others have one, and the part that a wasteful
    /// kernel earns, which is all without it.
    ///
    /// # Errors
    /// The text names no exercise of the set, or something else than a number from 0.
    pub(super) fn parse(text: &str, set: &Set) -> Result<Self, Error> {
        let mut points = Self::equal(set);
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let wrong = |reason: &str| Error::Usage(format!("--points: `{item}`: {reason}"));
            let (name, value) = item.split_once('=').ok_or_else(|| wrong("write NAME=POINTS, such as 11=2"))?;
            let value: Option<f64> = value.trim().parse().ok().filter(|value| (0.0..=1e6).contains(value));
            let value = value.ok_or_else(|| wrong("points are a number from 0 to 1000000"))?;
            if name == WASTEFUL {
                points.wasteful =
                    Some(value).filter(|part| *part <= 1.0).ok_or_else(|| wrong("a part is from 0 to 1"))?;
            } else {
                let exercise = set.find(name).map_err(|_| wrong("there is no such exercise among the graded ones"))?;
                points.of.insert(exercise.name.clone(), value);
            }
        }
        Ok(points)
    }

    /// Returns the points of an exercise.
    pub(super) fn of(&self, exercise: &Exercise) -> f64 {
        self.of.get(&exercise.name).copied().unwrap_or_default()
    }

    /// Returns the sum of all points.
    pub(super) fn total(&self) -> f64 {
        rounded(self.of.values().sum())
    }

    /// Returns the points that a learner's exercise earns.
    pub(super) fn earned(&self, graded: &Graded<'_>) -> f64 {
        let part = match graded.solved() {
            "no" => 0.0,
            WASTEFUL => self.wasteful,
            _ => 1.0,
        };
        rounded(part * self.of(graded.exercise))
    }

    /// Returns a learner's points.
    pub(super) fn sum(&self, learner: &Marked<'_>) -> f64 {
        rounded(learner.exercises.iter().flatten().map(|graded| self.earned(graded)).sum())
    }
}

/// Rounds to hundredths, so that sums of tenths are not printed with 17 digits. No negative zero comes out, which an empty sum is.
fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0 + 0.0
}
