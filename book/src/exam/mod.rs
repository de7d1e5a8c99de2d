//! Exams whose numbers come from a seed. `memory` and `work` are tables of the kinds of questions.
//!
//! The generator is SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014), so a seed gives the
//! same exam on every system. A new version of the course may have other questions; an exam names its version.

mod memory;
mod work;

use crate::footer::VERSION;
use common::format::thousands;
use emulator::WARP_SIZE;
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The number of threads of a warp.
const WARP: u64 = WARP_SIZE as u64;

/// The points of a question of each kind: a short one and a long one for each session.
const POINTS: [u32; 2] = [8, 12];

/// A kind of question.
struct Kind {
    /// The name: `sectors`.
    name: &'static str,
    /// The session that it belongs to.
    session: usize,
    /// Whether it is a long one.
    is_long: bool,
    /// The range of the first number of the answer: other numbers are drawn until it is there.
    range: RangeInclusive<u64>,
    /// Makes a question with numbers of its own.
    make: fn(&mut Random) -> Question,
}

/// A question with its answer.
#[derive(Debug, PartialEq, Eq)]
struct Question {
    /// The question, in Markdown.
    text: String,
    /// The numbers to find, each with its unit, in the order of the question.
    answer: Vec<(u64, &'static str)>,
    /// A line that leads to the numbers.
    derivation: String,
}

/// A deterministic generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number of a range. Ranges are so short that the bias is not noticed.
    fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        range.start() + self.next() % (range.end() - range.start() + 1)
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.next() as usize % choices.len()]
    }
}

fn kinds() -> impl Iterator<Item = &'static Kind> {
    memory::KINDS.iter().chain(&work::KINDS)
}

/// An exam: a short and a long question for each session.
pub struct Exam {
    seed: u64,
    questions: Vec<(&'static Kind, Question)>,
}

impl Exam {
    /// Returns the exam of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut questions = Vec::new();
        for session in 1..=crate::slides::plan::SESSIONS {
            for is_long in [false, true] {
                let of_session = |kind: &&Kind| kind.session == session && kind.is_long == is_long;
                let kind = random.pick(&kinds().filter(of_session).collect::<Vec<_>>());
                questions.push((kind, kind.question(&mut random)));
            }
        }
        Self { seed, questions }
    }

    /// Returns the questions as Markdown.
    pub fn text(&self) -> String {
        let points: u32 = self.questions.iter().map(|(kind, _)| kind.points()).sum();
        let mut text = format!(
            "# Exam {}\n\nCoalesced {VERSION}. {points} points. Each question asks for numbers and for the way to them: a right number \
             without a derivation earns a quarter of its points.\n",
            self.seed
        );
        for (number, (kind, question)) in (1..).zip(&self.questions) {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n## {number} ({} points)\n\n{}\n", kind.points(), question.text);
        }
        text
    }

    /// Returns the answers as Markdown.
    pub fn answers(&self) -> String {
        let mut text = format!("# Answers to exam {}\n\nCoalesced {VERSION}.\n\n", self.seed);
        for (number, (kind, question)) in (1..).zip(&self.questions) {
            let answer: Vec<String> = question.answer.iter().map(|&(value, unit)| with_unit(value, unit)).collect();
            let _ = writeln!(
                text,
                "{number}. **{}.** {} (session {}, {}, {} points)",
                answer.join(", "),
                question.derivation,
                kind.session,
                kind.name,
                kind.points()
            );
        }
        text
    }

    /// Returns the questions as JSON, and with `has_answers` their answers.
    pub fn json(&self, has_answers: bool) -> Value {
        let question = |(number, (kind, question)): (usize, &(&Kind, Question))| {
            let mut value = json!({
                "number": number, "kind": kind.name, "session": kind.session, "points": kind.points(), "text": question.text
            });
            if has_answers {
                let answer = question.answer.iter().map(|(value, unit)| json!({ "value": value, "unit": unit }));
                value["answer"] = answer.collect();
                value["derivation"] = question.derivation.clone().into();
            }
            value
        };
        let questions: Vec<Value> = (1..).zip(&self.questions).map(question).collect();
        json!({ "seed": self.seed, "version": VERSION, "questions": questions })
    }
}

impl Kind {
    /// Returns a question whose answer is in the range.
    fn question(&self, random: &mut Random) -> Question {
        loop {
            let question = (self.make)(random);
            if self.range.contains(&question.answer[0].0) {
                return question;
            }
        }
    }

    fn points(&self) -> u32 {
        POINTS[usize::from(self.is_long)]
    }
}

/// Returns a number with its unit, `1 block` and `2 blocks`.
fn with_unit(value: u64, unit: &str) -> String {
    let is_one = value == 1 && !unit.contains(' ');
    format!("{} {}", thousands(value), if is_one { unit.trim_end_matches('s') } else { unit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn answers_are_in_their_range_and_differ() {
        for kind in kinds() {
            let mut texts = BTreeSet::new();
            let mut answers = BTreeSet::new();
            let mut kept = 0;
            for seed in 0..1000 {
                let first = (kind.make)(&mut Random(seed)).answer[0].0;
                kept += usize::from(kind.range.contains(&first));
                let question = kind.question(&mut Random(seed));
                assert!(
                    kind.range.contains(&question.answer[0].0) && !question.derivation.contains('\n'),
                    "{}",
                    kind.name
                );
                texts.insert(question.text);
                answers.insert(question.answer);
            }
            assert!(kept > 800, "{}: {kept} of 1000 draws are in the range", kind.name);
            assert!(
                texts.len() >= 12 && answers.len() >= 4,
                "{}: {} texts, {} answers",
                kind.name,
                texts.len(),
                answers.len()
            );
        }
    }

    #[test]
    fn a_question_has_one_answer() {
        let mut answers = BTreeMap::new();
        for kind in kinds() {
            for seed in 0..1000 {
                let question = kind.question(&mut Random(seed));
                let known = answers.entry(question.text.clone()).or_insert_with(|| question.answer.clone());
                assert_eq!(*known, question.answer, "{}", question.text);
            }
        }
    }

    #[test]
    fn a_session_has_short_and_long_questions_and_an_exam_has_100_points() {
        assert!(kinds().map(|kind| kind.name).collect::<BTreeSet<_>>().len() >= 20);
        for seed in 0..100 {
            let exam = Exam::new(seed);
            assert_eq!(exam.questions.iter().map(|(kind, _)| kind.points()).sum::<u32>(), 100);
            let sessions: Vec<usize> = exam.questions.iter().map(|(kind, _)| kind.session).collect();
            assert_eq!(sessions, [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        }
    }

    #[test]
    fn a_seed_gives_the_same_exam_and_the_answers_are_apart() {
        // The first numbers of SplitMix64 for the seed 1234567, from its reference implementation.
        let mut random = Random(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(Exam::new(7).text(), Exam::new(7).text());
        assert_ne!(Exam::new(7).text(), Exam::new(8).text());
        assert!(Exam::new(7).json(false)["questions"][0].get("answer").is_none());
        assert!(Exam::new(7).json(true)["questions"][9]["derivation"].is_string());
        for (_, question) in &Exam::new(7).questions {
            assert!(!Exam::new(7).text().contains(&question.derivation));
        }
    }
}
