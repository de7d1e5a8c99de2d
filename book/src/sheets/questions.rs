//! Questions to a class, with the answers: from the slides, from the cards of their exercises, and from the test.

use crate::fill::exercises;
use crate::slides::deck::Slide;
use crate::slides::page::Maker;
use anyhow::{Context, Result};

/// The heading of a slide that asks for a prediction; the next slide has the answer.
const PREDICT: &str = "## Predict";

/// The heading of the test in the chapter for teachers.
const TEST: &str = "\n### A test before, and again after\n";

/// A question in HTML.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub ask: String,
    /// The answer.
    pub answer: String,
    /// Notes for the teacher, and wrong answers to expect; may be empty.
    pub notes: String,
}

/// Returns the questions of a session, in the order of its slides: their predictions, and what the cards of their exercises ask.
///
/// # Errors
/// Returns an error, which names file and line, if a directive cannot be replaced.
pub fn of_deck(maker: &Maker<'_>, slides: &[Slide<'_>]) -> Result<Vec<Question>> {
    let mut questions = Vec::new();
    for (index, slide) in slides.iter().enumerate() {
        if slide.body.iter().any(|(_, line)| *line == PREDICT) {
            let rest: Vec<_> = slide.body.iter().filter(|(_, line)| *line != PREDICT).copied().collect();
            let next = slides.get(index + 1).context("a prediction needs a next slide, with its answer")?;
            let notes = maker.shown(&slide.notes)?.0 + &maker.shown(&next.notes)?.0;
            questions.push(Question { ask: maker.shown(&rest)?.0, answer: maker.shown(&next.body)?.0, notes });
        }
        for name in slide.body.iter().filter_map(|(_, line)| exercise(line)) {
            let notes = maker.shown(&slide.notes)?.0;
            let of_card = exercises::questions(name)?;
            questions.extend(of_card.into_iter().map(|(ask, answer)| Question { ask, answer, notes: notes.clone() }));
        }
    }
    Ok(questions)
}

/// Returns the name in a line `{{exercise NAME briefly}}`.
fn exercise(line: &str) -> Option<&str> {
    line.strip_prefix("{{exercise ")?.strip_suffix(" briefly}}")
}

/// Returns the questions of the test, with what their answers tell.
///
/// # Errors
/// Returns an error if the chapter has no test, or if it has not as many answers as questions.
pub fn of_test(maker: &Maker<'_>, chapter: &str) -> Result<Vec<Question>> {
    let (before, rest) = chapter.split_once(TEST).context("the chapter for teachers has no test")?;
    let (asked, rest) = rest.split_once("<details>").context("the test has no folded answers")?;
    let (answered, _) = rest.split_once("</details>").context("the test's answers have no end")?;
    let first_line = before.lines().count() + 2;
    let [asked, answered] = [items(asked), items(answered)];
    anyhow::ensure!(asked.len() == answered.len(), "{} questions, {} answers", asked.len(), answered.len());
    let html = |text: &String| Ok::<_, anyhow::Error>(maker.shown(&[(first_line, text.as_str())])?.0);
    let pairs = asked.iter().zip(&answered);
    pairs.map(|(ask, answer)| Ok(Question { ask: html(ask)?, answer: html(answer)?, notes: String::new() })).collect()
}

/// Returns the items of a numbered list, each on one line.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        let begins = line.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
        match (begins, items.last_mut()) {
            (Some((_, item)), _) => items.push(item.to_owned()),
            (None, Some(item)) if line.starts_with("   ") => *item += &format!(" {}", line.trim()),
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::Sources;
    use crate::slides::{Links, deck};
    use std::path::Path;

    fn with_maker<T>(act: impl FnOnce(&Maker<'_>) -> T) -> T {
        let sources = Sources { book: env!("CARGO_MANIFEST_DIR").into(), omits_solutions: false };
        act(&Maker { sources: &sources, file: Path::new("a.md"), links: Links::ToBook })
    }

    #[test]
    fn a_prediction_has_the_next_slide_as_its_answer_and_an_exercise_its_card() {
        let text = "## A\n\n---\n\n## Predict\n\nHow many?\n\nNotes: Who says 104 is wrong.\n\n---\n\n## 128\n\nLike all.\n\nNotes: \
                    The guard.\n\n---\n\n## An exercise\n\n{{exercise 11_map briefly}}\n";
        let questions = with_maker(|maker| of_deck(maker, &deck::slides(text))).expect("questions");
        assert_eq!(questions.len(), 2);
        assert_eq!(questions[0].ask.trim(), "<p>How many?</p>");
        assert!(questions[0].answer.contains("<h2>128</h2>\n<p>Like all.</p>"), "{:?}", questions[0]);
        assert!(questions[0].notes.contains("104") && questions[0].notes.contains("The guard."));
        assert!(questions[1].ask.contains("11 One thread per element") && questions[1].answer.contains("element 0"));
        let last = "## A\n\n---\n\n## Predict\n\nHow many?\n";
        assert!(with_maker(|maker| of_deck(maker, &deck::slides(last))).is_err());
    }

    #[test]
    fn a_test_has_an_answer_for_each_question() {
        let chapter =
            |answers: &str| format!("# A\n{TEST}\n1. One\n   more?\n2. Two?\n\n<details>\n{answers}\n</details>\n");
        let test = |answers: &str| with_maker(|maker| of_test(maker, &chapter(answers)));
        let questions = test("1. Yes.\n2. No.").expect("a test");
        assert_eq!((questions[0].ask.trim(), questions[1].answer.trim()), ("<p>One more?</p>", "<p>No.</p>"));
        assert!(test("1. Yes.").is_err());
    }
}
