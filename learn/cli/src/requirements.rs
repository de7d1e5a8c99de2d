//! The requirements of a set for the kernels of an exercise: which fail, how, and which pass.

use judge::kernel_file::Language;
use judge::set::{Exercise, Role, outside, without_expectation};
use judge::{Error, Failure, Verdict};

/// The part of a limit that a solution may use, so that other correct answers pass too.
const ROOM: f64 = 0.9;

/// Returns what is wrong with the kernels of an exercise in a language, each with its file. `judge` judges a kernel.
///
/// # Errors
/// A file cannot be read, or `judge` failed.
pub fn problems(
    exercise: &Exercise,
    language: Language,
    mut judge: impl FnMut(&Role) -> Result<Verdict, Error>,
) -> Result<Vec<String>, Error> {
    let wrong = exercise.wrong_answers(language)?;
    let mut problems = frames(exercise, language, &wrong)?;
    let mut add = |role: &Role, problem: String| {
        problems.push(format!("{}: {problem}", exercise.source_file(role, language).display()));
    };
    let solution = judge(&Role::Solution)?;
    solution_problems(&solution).into_iter().for_each(|problem| add(&Role::Solution, problem));
    let mut failing = Vec::new();
    for role in [Role::Skeleton].into_iter().chain(wrong) {
        let verdict = judge(&role)?;
        if let Some(problem) = failure_problem(exercise, language, &role, &verdict)? {
            add(&role, problem);
        }
        failing.push(verdict);
    }
    if failing.len() == 1 {
        add(&Role::Wrong("NAME".into()), "there is no wrong answer; write one for each mistake to detect".into());
    }
    for (index, limit) in exercise.card.limits.iter().enumerate() {
        let breaks = |verdict: &Verdict| verdict.counts.get(index).is_some_and(|count| !count.is_met());
        if !failing.iter().any(breaks) {
            let count = &limit.count;
            add(
                &Role::Skeleton,
                format!("neither it nor a wrong answer exceeds the limit on {count}, which may be too loose"),
            );
        }
    }
    Ok(problems)
}

/// Returns the kernels that are not the skeleton outside of the marked lines.
fn frames(exercise: &Exercise, language: Language, wrong: &[Role]) -> Result<Vec<String>, Error> {
    let file = |role: &Role| exercise.source_file(role, language);
    let skeleton = exercise.source(&Role::Skeleton, language)?;
    let Some(frame) = outside(&skeleton) else {
        let file = file(&Role::Skeleton);
        return Ok(vec![format!("{}: the lines `// >>> your code` and `// <<<` are missing", file.display())]);
    };
    let mut problems = Vec::new();
    for role in wrong.iter().chain([&Role::Solution]) {
        let text = exercise.source(role, language)?;
        let text = without_expectation(&text).map_or(text.as_str(), |(_, text)| text);
        if outside(text).as_ref() != Some(&frame) {
            problems.push(format!("{}: it is not the skeleton outside of the marked lines", file(role).display()));
        }
    }
    Ok(problems)
}

/// Returns why a solution's verdict is not enough.
fn solution_problems(verdict: &Verdict) -> Vec<String> {
    if let Some(failure) = &verdict.failure {
        return vec![format!("the solution must pass, and fails: {failure}")];
    }
    let has_no_room = |count: &&judge::Count| {
        count.most.is_some_and(|most| count.value > ROOM * most)
            || count.least.is_some_and(|least| ROOM * count.value < least)
    };
    let counts = verdict.counts.iter().filter(has_no_room);
    let mut problems: Vec<String> =
        counts.map(|count| format!("the solution may use {ROOM} of a limit, and uses more: {count}")).collect();
    // A compiler may be another than the one that compiled the solution before.
    let wasteful = verdict.shares.iter().filter(|share| share.is_wasteful());
    problems.extend(wasteful.map(|share| format!("the solution is wasteful: {share}")));
    let refusal = verdict.estimate.as_ref().and_then(|estimate| estimate.learners.as_ref().err());
    problems.extend(refusal.map(|reason| format!("the solution has no estimated time at its full size: {reason}")));
    problems
}

/// Returns how the failure of a skeleton or wrong answer differs from the expected one.
fn failure_problem(
    exercise: &Exercise,
    language: Language,
    role: &Role,
    verdict: &Verdict,
) -> Result<Option<String>, Error> {
    let text = exercise.source(role, language)?;
    let (expected, place) = match role {
        Role::Wrong(_) => (without_expectation(&text).map(|(first, _)| first), "the first line, `// must fail with "),
        _ => (exercise.card.skeleton.get(language), "the field `skeleton` of card.toml, `"),
    };
    let Some(expected) = expected.filter(|expected| expected.contains(':')) else {
        return Ok(Some(format!(
            "{place}CHECK: text`, is missing or has no colon, so it is open how this kernel must fail"
        )));
    };
    let got = verdict.failure.as_ref().map_or_else(|| "it passes".to_owned(), Failure::to_string);
    let is_expected = !verdict.is_passed() && got.starts_with(expected);
    Ok((!is_expected).then(|| format!("it must fail with `{expected}`, but: {got}")))
}
