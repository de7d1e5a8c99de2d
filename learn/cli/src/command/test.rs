//! `cargo learn test`: checks a set of exercises.

use crate::output::say;
use crate::requirements::problems;
use crate::worker::Worker;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role, Set};

/// The seeds of further sizes and inputs at which solutions must pass.
const SEEDS: [u64; 2] = [1, 2];

/// Checks the named exercises, or all, in the languages of the set. Returns whether nothing is wrong.
pub fn run(worker: &Worker, set: &Set, names: &[String]) -> Result<bool, Error> {
    let languages = set.languages();
    if languages.is_empty() {
        Language::ALL.iter().try_for_each(|language| set.require(*language))?;
    }
    let named = names.iter().map(|name| set.find(name)).collect::<Result<Vec<_>, _>>()?;
    let exercises = if names.is_empty() { set.exercises.iter().collect() } else { named };
    let mut wrong = 0;
    for exercise in &exercises {
        for language in &languages {
            let problems = match all_problems(worker, exercise, *language) {
                Err(error @ Error::NoCompiler(_)) => return Err(error),
                // The other exercises are tested all the same.
                result => result.unwrap_or_else(|error| vec![error.to_string()]),
            };
            let state = if problems.is_empty() { "as it should be" } else { "wrong" };
            say(&format!("{}, {}: {state}", exercise.name, language.name()));
            problems.iter().for_each(|problem| say(&format!("  {problem}")));
            wrong += problems.len();
        }
    }
    match (wrong, exercises.len()) {
        (0, 1) => say("1 exercise is as it should be"),
        (0, count) => say(&format!("{count} exercises are as they should be")),
        (count, _) => say(&format!("problems: {count}")),
    }
    Ok(wrong == 0)
}

fn all_problems(worker: &Worker, exercise: &Exercise, language: Language) -> Result<Vec<String>, Error> {
    let judge = |worker: &Worker, role: &Role| worker.judge(exercise, language, &exercise.source_file(role, language));
    let mut problems = problems(exercise, language, |role| judge(worker, role))?;
    for seed in SEEDS {
        let verdict = judge(&Worker { seed: Some(seed), ..*worker }, &Role::Solution)?;
        if let (Some(failure), true) = (verdict.failure, problems.is_empty()) {
            let file = exercise.source_file(&Role::Solution, language);
            problems.push(format!("{}: with other sizes and inputs, it fails: {failure}", file.display()));
        }
    }
    Ok(problems)
}
