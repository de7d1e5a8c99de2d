//! The exercises on the pages, from their cards: a list at the end of a stage's chapter, and each exercise on the page of its
//! stage's exercises.

use super::languages::tabs;
use super::notation::{escape, slug};
use super::packed::pack;
use super::player;
use anyhow::{Context, Result, anyhow, bail};
use judge::kernel_file::Language;
use judge::set::{Card, Exercise, Kind, Limit, Question, Role, Score, Set};
use judge::{Submission, count_text};
use loading::workspace_root;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::sync::LazyLock;

/// The exercises that a reader needs no stage for. They come before stage 1.
const FIRST: [&str; 3] = ["11_map", "12_guard", "13_two_dimensions"];

/// The text that a page shows instead of a solution.
const NO_SOLUTION: &str = "// This site has no solutions.\n";

static SET: LazyLock<Result<Set, String>> = LazyLock::new(|| {
    let folder = workspace_root().join("exercises");
    Set::load(&folder).map_err(|error| error.to_string())
});

/// Returns the exercises of the repository.
///
/// # Errors
/// Returns an error if a card is invalid.
pub fn set() -> Result<&'static Set> {
    SET.as_ref().map_err(|error| anyhow!("{error}"))
}

/// Returns the exercises of a stage, sorted by name.
fn stage_exercises(stage: &str) -> Result<Vec<&'static Exercise>> {
    let exercises: Vec<_> = set()?.exercises.iter().filter(|exercise| exercise.card.stage == stage).collect();
    if exercises.is_empty() { bail!("there are no exercises of {stage}") } else { Ok(exercises) }
}

/// Returns the replacement of `{{exercises STAGE}}`: titles, tasks, and how to start.
///
/// # Errors
/// Returns an error if the stage has no exercises.
pub fn list(stage: &str) -> Result<String> {
    let exercises = stage_exercises(stage)?;
    let mut text = String::from("| | exercise | what it asks |\n|--:|---|---|\n");
    for exercise in &exercises {
        let number = number(exercise);
        let card = &exercise.card;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {number} | [{}]({}#{}) | {} {} |",
            card.title,
            page(exercise),
            anchor(exercise),
            asks(card.kind),
            in_a_row(first_sentence(&card.task))
        );
    }
    let first = number(exercises[0]);
    let _ = write!(
        text,
        "\n`cargo learn watch {first}` begins with the first: edit its file, save, and read what the checks say. It needs no GPU; \
         [the page of these exercises]({}) has them all.\n",
        page_of(stage)
    );
    Ok(text)
}

/// Returns the replacement of `{{exercise NAME}}`: the task, the requirements, the skeleton, and questions with hidden answers; the
/// answers, the solution and the last hint, which is nearly the solution, only `with_solution`.
///
/// # Errors
/// Returns an error if there is no such exercise, or if an answer names an unknown counter.
pub fn one(name: &str, with_solution: bool) -> Result<String> {
    let exercise = set()?.find(name)?;
    let card = &exercise.card;
    let mut text = format!(
        "### {} {}\n\n<p class=\"exercise\"><strong>{}</strong> · <code>cargo learn watch {}</code></p>\n\n<p>{}</p>\n\n",
        number(exercise),
        card.title,
        card.kind.word(),
        number(exercise),
        escape(card.task.trim()),
    );
    text += &goals(card);
    text += &alone(name, with_solution)?;
    for question in &card.questions {
        if !with_solution {
            let _ = write!(text, "\n<p>Predict: {}</p>\n", escape(question.ask.trim()));
            continue;
        }
        let answer = with_counts(exercise, &question.answer)?;
        let _ = write!(
            text,
            "\n<details>\n<summary>Predict: {}</summary>\n\n<p>{answer}</p>\n\n</details>\n",
            escape(question.ask.trim())
        );
    }
    Ok(text)
}

/// Returns the replacement of `{{exercise NAME alone}}`: the skeleton, and the element in which a reader solves it.
///
/// # Errors
/// Returns an error if there is no such exercise.
pub fn alone(name: &str, with_solution: bool) -> Result<String> {
    let exercise = set()?.find(name)?;
    let block = |language| -> Result<String> {
        let source = exercise.source(&Role::Skeleton, language)?;
        let fence = if language == Language::Rust { "rust,ignore" } else { "cpp" };
        Ok(format!("```{fence}\n{}\n```\n", source.trim_end()))
    };
    let code = tabs(block(Language::Cuda)?, Some(block(Language::Rust)?));
    Ok(format!("{code}\n{}", desk(exercise, set()?.exercises.len(), with_solution)?))
}

/// Returns the element, for `theme/exercise.js`, in which a reader solves the exercise, one of `total`.
fn desk(exercise: &Exercise, total: usize, with_solution: bool) -> Result<String> {
    let card = fs::read_to_string(exercise.folder.join("card.toml"))
        .with_context(|| format!("cannot read the card of {}", exercise.name))?;
    let hints = &exercise.card.hints;
    let data = json!({
        "name": exercise.name,
        "title": exercise.card.title,
        "card": if with_solution { card } else { without_answers(&card)? },
        "files": { "cu": files(exercise, with_solution)? },
        "hints": if with_solution { &hints[..] } else { first_hints(hints) },
    });
    Ok(format!(
        "<div class=\"exercise-desk\" data-exercise=\"{}\" data-exercises=\"{total}\">\n<script type=\"text/plain\" \
         class=\"exercise-data\">{}</script>\n</div>\n",
        exercise.name,
        pack(&serde_json::to_vec(&data)?)?
    ))
}

/// Returns the hints before the last one, which says nearly all. A card has at least one.
fn first_hints<T>(hints: &[T]) -> &[T] {
    &hints[..hints.len().saturating_sub(1).max(1)]
}

/// Returns the text of a card without its last hint and the answers to its questions, which the judge does not need.
fn without_answers(card: &str) -> Result<String> {
    let mut card: toml::Table = card.parse()?;
    if let Some(hints) = card.get_mut("hints").and_then(toml::Value::as_array_mut) {
        hints.truncate(first_hints(hints).len());
    }
    for question in card.get_mut("question").and_then(toml::Value::as_array_mut).into_iter().flatten() {
        if let Some(question) = question.as_table_mut() {
            question.insert("answer".into(), "".into());
        }
    }
    Ok(toml::to_string(&card)?)
}

/// Returns the texts in CUDA C++: pages have no compiler for Rust. The judge needs the solution's PTX in any case, since it
/// compares results and counts with those of the solution.
fn files(exercise: &Exercise, with_solution: bool) -> Result<Value> {
    let language = Language::Cuda;
    let solution = exercise.source(&Role::Solution, language)?;
    let ptx = exercise.prebuilt(&Role::Solution, language, &solution);
    let ptx = ptx.with_context(|| format!("{}: its PTX is out of date; run `cargo x ptx`", exercise.name))?;
    Ok(json!({
        "initial": exercise.initial_text(language)?,
        "skeleton": exercise.source(&Role::Skeleton, language)?,
        "solution": if with_solution { solution.as_str() } else { NO_SOLUTION },
        "solution_ptx": if with_solution { ptx } else { without_comments(&ptx) },
    }))
}

/// Returns what the files in CUDA C++ of all exercises begin with, by their names: `11_map.cu`.
///
/// # Errors
/// Returns an error if a card is invalid or a skeleton cannot be read.
pub fn initial_texts() -> Result<BTreeMap<String, String>> {
    let language = Language::Cuda;
    let text = |exercise: &Exercise| Ok((exercise.file_name(language), exercise.initial_text(language)?));
    set()?.exercises.iter().filter(|exercise| exercise.is_in(language)).map(text).collect()
}

/// Returns PTX without comments and the lines of its source.
fn without_comments(ptx: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//") && !line.trim_start().starts_with(".loc");
    ptx.lines().filter(is_code).map(|line| line.to_owned() + "\n").collect()
}

/// Returns the replacement of `{{exercise NAME briefly}}`: the title, how to start, and the limits.
///
/// # Errors
/// Returns an error if there is no such exercise.
pub fn brief(name: &str) -> Result<String> {
    let exercise = set()?.find(name)?;
    let number = number(exercise);
    let card = &exercise.card;
    let start = format!("```text\ncargo learn watch {number}\n```\n");
    let limits = limits(card, |_| String::new());
    Ok(format!("**{number} {}.** {}\n\n{start}\n{limits}", card.title, asks(card.kind)))
}

/// Returns the questions of an exercise in HTML, each with its answer.
///
/// # Errors
/// Returns an error if there is no such exercise, or if an answer names an unknown counter.
pub fn questions(name: &str) -> Result<Vec<(String, String)>> {
    let exercise = set()?.find(name)?;
    let title = format!("<strong>{} {}.</strong>", number(exercise), exercise.card.title);
    let one = |question: &Question| {
        let ask = format!("<p>{title} {}</p>\n", escape(question.ask.trim()));
        Ok((ask, format!("<p>{}</p>\n", with_counts(exercise, &question.answer)?)))
    };
    exercise.card.questions.iter().map(one).collect()
}

/// Returns the place of an exercise in the book: its page, `first-kernels.md`, and the anchor of its heading there.
///
/// # Errors
/// Returns an error if there is no such exercise.
pub fn place(name: &str) -> Result<(String, String)> {
    let exercise = set()?.find(name)?;
    Ok((page(exercise), anchor(exercise)))
}

/// Returns the replacement of `{{player STAGE exercises}}`.
///
/// # Errors
/// Returns an error if a skeleton cannot be run.
pub fn player(stage: &str) -> Result<String> {
    player::render_exercises(stage, &stage_exercises(stage)?)
}

/// Returns the limits on counts as a list with reasons; empty if the exercise has none.
fn goals(card: &Card) -> String {
    match limits(card, |limit| format!(" {}", escape(&limit.because))).as_str() {
        "" => String::new(),
        limits => format!("<p>Beyond correct results and clean checks:</p>\n{limits}\n"),
    }
}

fn limits(card: &Card, reason: impl Fn(&Limit) -> String) -> String {
    let limit = |limit: &Limit| {
        let bounds =
            [limit.most.map(|most| format!("at most {most}")), limit.least.map(|least| format!("at least {least}"))];
        let bounds: Vec<String> = bounds.into_iter().flatten().collect();
        let what = words(&limit.count, limit.per.as_deref());
        format!("<li>{what}: {}.{}</li>\n", bounds.join(", "), reason(limit))
    };
    let score = |score: &Score| {
        let [bronze, silver, gold] = score.medals;
        let what = words(&score.count, score.per.as_deref());
        format!("<li>{what}: {bronze} for bronze, {silver} for silver, {gold} for gold.</li>\n")
    };
    let items: String = card.limits.iter().map(limit).chain(card.score.as_ref().map(score)).collect();
    if items.is_empty() { items } else { format!("<ul>\n{items}</ul>\n") }
}

/// Returns the name of a quotient: `global load sectors per global load requests`.
fn words(count: &str, per: Option<&str>) -> String {
    let words = |name: &str| match name.strip_prefix("ptx ") {
        Some(word) => format!("PTX instructions with <code>{word}</code>"),
        None => name.replace('_', " ").replace("classes.", "warp instructions of class "),
    };
    per.map_or_else(|| words(count), |per| format!("{} per {}", words(count), words(per)))
}

/// Returns an answer in which `{skeleton: COUNT}` is replaced by the emulator's count.
fn with_counts(exercise: &Exercise, answer: &str) -> Result<String> {
    let mut parts = answer.trim().split('{');
    let mut text = escape(parts.next().unwrap_or_default());
    for part in parts {
        let (inside, after) = part.split_once('}').context("{ without } in an answer")?;
        let (role, counter) = inside.split_once(": ").context("{skeleton: COUNT}, or {solution: COUNT}")?;
        let role = match role {
            "skeleton" => Role::Skeleton,
            "solution" => Role::Solution,
            other => bail!("{other} is neither skeleton nor solution"),
        };
        let kernel = Submission::prebuilt(exercise, &role, Language::Cuda)?;
        text += &count_text(exercise, &kernel, counter)?;
        text += &escape(after);
    }
    Ok(text)
}

/// Returns the number of an exercise: `11` for `11_map`.
fn number(exercise: &Exercise) -> &str {
    exercise.name.split('_').next().unwrap_or_default()
}

/// Returns the page of an exercise: `first-kernels.md` for the first ones, else that of its stage, `exercises-1.md` for
/// `stage01-naive`.
fn page(exercise: &Exercise) -> String {
    if FIRST.contains(&exercise.name.as_str()) { "first-kernels.md".into() } else { page_of(&exercise.card.stage) }
}

fn page_of(stage: &str) -> String {
    let digits = stage.trim_start_matches("stage").split('-').next().unwrap_or_default();
    format!("exercises-{}.md", digits.trim_start_matches('0'))
}

/// Returns the anchor of an exercise's heading.
fn anchor(exercise: &Exercise) -> String {
    slug(&format!("{} {}", number(exercise), exercise.card.title))
}

/// Returns plain text for a cell of a table.
fn in_a_row(text: &str) -> String {
    let text = escape(text).replace('\n', " ");
    ['*', '_', '[', '|', '`'].iter().fold(text, |text, &sign| text.replace(sign, &format!("&#{};", u32::from(sign))))
}

/// Returns the task, in words that depend on the skeleton.
fn asks(kind: Kind) -> &'static str {
    match kind {
        Kind::Incomplete => "*Complete it.*",
        Kind::Slow => "*Make it do less.*",
        Kind::Wrong => "*Find the mistake.*",
    }
}

fn first_sentence(task: &str) -> &str {
    let task = task.trim();
    task.find(". ").or_else(|| task.find(".\n")).map_or(task, |end| &task[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exercise_has_task_goals_skeletons_and_questions_with_counts() {
        let text = one("15_neighbors", true).unwrap();
        for part in
            ["### 15 Neighbors side by side", "<strong>slow</strong>", "at most 4.5", "```cpp", "```rust", "Predict: "]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        let exercise = set().unwrap().find("15").unwrap();
        assert_eq!(with_counts(exercise, "{solution: blocks} < 9").unwrap(), "8 &lt; 9");
        assert!(with_counts(exercise, "{skeleton: nothing}").is_err());
        assert!(with_counts(exercise, "{wrong: blocks}").is_err());
    }

    #[test]
    fn a_list_leads_to_each_exercise_of_the_stage() {
        let text = list("stage01-naive").unwrap();
        assert!(text.contains("(first-kernels.md#11-one-thread-per-element)"), "{text}");
        assert!(text.contains("(exercises-1.md#14-"), "{text}");
        let text = list("stage02-shared").unwrap();
        assert!(text.contains("(exercises-2.md#21-a-tile-in-shared-memory)"), "{text}");
        assert!(!text.contains("exercises-1.md") && list("stage99-none").is_err());
    }
}
