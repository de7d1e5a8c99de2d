//! Plain words for odd ones, in all that people read: Markdown, kernels' cards, comments, and text in quotation marks.
//!
//! A phrase is in the list only if it is wrong wherever it occurs. Spelling is American, as in CUDA's manuals.

use super::prose::{Of, Prose};
use super::spoken::of_code;
use super::{Material, Report, line_of};
use anyhow::Result;
use std::collections::{BTreeSet, HashMap};

/// A phrase, and what to write instead. `a|b` is one of two words, `colour*` all words that begin so.
type Rule = (&'static str, &'static str);

/// What is counted, and for each of what.
const COUNTED: &str = "sectors|requests|instructions|operations|threads|warps|bytes|wavefronts|shuffles|barriers|\
                       additions|evaluations|interactions|registers|elements";
const EACH: &str = "second|clock|cycle|request|load|store|warp|block|thread|lane|pair|source|target|round|step|\
                    tile|array|multiprocessor|row|byte|element|instruction";

const RULES: &[Rule] = &[
    ("nobody wrote", "`uninitialized memory`"),
    ("nobody has written", "`uninitialized memory`"),
    ("mend|mends|mended|mending", "`fix`"),
    ("bear|bears", "`has`, `contains`"),
    ("nothing to speak of", "`almost nothing`"),
    ("gives|give|gave right|wrong results|sums", "`is correct`, `computes wrong sums`"),
    ("right results", "`correct results`"),
    ("so many", "the number, or `as many`"),
    ("stand|stands|stood in|at|on|beside|between|below|above|behind|under|here|there", "`is`"),
    ("as it|they should be", "`correct`, or what is expected"),
    ("in vain", "`without effect`"),
    ("other ones", "`others`"),
    ("anew", "`again`"),
    ("seldom", "`rarely`"),
    ("lately", "`recently`"),
    ("held against", "`compared with`"),
    ("want|wants that", "`requires that`"),
    ("hand|hands|handed round", "`pass`"),
    ("go|goes|going|gone round", "`iterate`"),
    ("come|comes|came to a|the barrier|barriers", "`reach`"),
    ("of yours", "`your`"),
    ("said of a|an", "what it is"),
    ("part|parts|parted at a|the branch", "`diverge`"),
    ("twice|thrice a tile|warp|block|step|round", "`per`: `twice per tile`"),
    ("a|an warp|source|tile|pair and warp|source|tile|block", "`per`: `per warp per tile`"),
    (
        "one|two|three|four a|an line|row|record|file|lane|warp|block|column|launch|process|page|stage",
        "`per`: `one per line`",
    ),
    // American spelling
    ("neighbour*", "`neighbor`"),
    ("colour*", "`color`"),
    ("behaviour*", "`behavior`"),
    ("favour*|honour*", "`favor`, `honor`"),
    ("centre|centres|centred", "`center`"),
    ("licence|licences", "`license`"),
    ("labelled|labelling|modelled|modelling|cancelled|cancelling|travelled", "one l: `labeled`"),
    ("grey|misspelt|artefact|artefacts", "`gray`, `misspelled`, `artifact`"),
    (
        "initialis*|uninitialis*|synchronis*|vectoris*|serialis*|normalis*|recognis*|analyse|analysed",
        "`initialize`, with z",
    ),
    (
        "optimise*|optimising|optimisa*|organise*|organisa*|minimise*|maximise*|generalise*|summarise*",
        "`optimize`, with z",
    ),
];

/// The file that holds the list, and the one whose tests break it.
const LISTS: [&str; 2] = ["book/src/check/phrases.rs", "book/tests/all/content_of_words.rs"];

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let rules = Rules::new();
    let mut count = 0;
    for file in material.tree.iter().filter(|file| !LISTS.contains(&file.as_str())) {
        let read: fn(&str) -> String = match file.rsplit('.').next() {
            Some("md") => |text| Prose::new(text, Of::Everything).text,
            Some("rs" | "cu" | "js") => of_code,
            _ => continue,
        };
        let text = material.text(file)?;
        count += 1;
        for (place, phrase, instead) in found(&read(&text), &rules) {
            report.add(file, line_of(&text, place), format!("`{phrase}`: write {instead}"));
        }
    }
    report.count(count, "texts and sources");
    report.count(rules.phrases.len(), "phrases");
    Ok(())
}

/// A phrase taken apart: words, each of which may be one of several.
struct Phrase {
    words: Vec<Vec<&'static str>>,
    instead: &'static str,
}

/// The phrases, found by how their first word begins: there are a thousand texts, and few words begin a phrase.
struct Rules {
    phrases: Vec<Phrase>,
    by_beginning: HashMap<[u8; 2], Vec<usize>>,
}

impl Rules {
    fn new() -> Self {
        let taken_apart = |&(phrase, instead): &Rule| {
            let words = phrase.split(' ').map(|word| word.split('|').collect()).collect();
            Phrase { words, instead }
        };
        let per = Phrase {
            words: vec![COUNTED.split('|').collect(), vec!["a", "an"], EACH.split('|').collect()],
            instead: "`per`: `4 sectors per request`",
        };
        let phrases: Vec<Phrase> = RULES.iter().map(taken_apart).chain([per]).collect();
        let mut by_beginning: HashMap<_, Vec<usize>> = HashMap::new();
        for (index, phrase) in phrases.iter().enumerate() {
            let beginnings: BTreeSet<[u8; 2]> = phrase.words[0].iter().map(|word| beginning(word)).collect();
            for begins in beginnings {
                by_beginning.entry(begins).or_default().push(index);
            }
        }
        Self { phrases, by_beginning }
    }

    /// Those that may begin with a word.
    fn beginning_with(&self, word: &str) -> impl Iterator<Item = &Phrase> {
        let indices = self.by_beginning.get(&beginning(word)).into_iter().flatten();
        indices.map(|&index| &self.phrases[index])
    }
}

/// The first two bytes; a word of one has a blank for the second.
fn beginning(word: &str) -> [u8; 2] {
    let byte = |index| word.as_bytes().get(index).copied().unwrap_or(b' ');
    [byte(0), byte(1)]
}

/// A word of a text, and whether only blanks are before it.
struct Word {
    text: String,
    place: usize,
    goes_on: bool,
}

fn words_of(spoken: &str) -> Vec<Word> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut words: Vec<Word> = Vec::new();
    let mut goes_on = false;
    let mut rest = 0;
    while rest < spoken.len() {
        let Some(first) = spoken[rest..].chars().next() else { break };
        let end = spoken[rest..].find(|c| is_word(c) != is_word(first)).map_or(spoken.len(), |length| rest + length);
        let piece = &spoken[rest..end];
        match is_word(first) {
            true => words.push(Word { text: piece.to_lowercase(), place: rest, goes_on }),
            false => goes_on = piece.chars().all(|c| c.is_whitespace() || c == '*'),
        }
        rest = end;
    }
    words
}

/// Phrases of the list, with their places and what to write instead.
fn found(spoken: &str, rules: &Rules) -> Vec<(usize, String, &'static str)> {
    let words = words_of(spoken);
    let is_one_of = |word: &str, list: &[&str]| {
        list.iter()
            .any(|is| is.strip_suffix('*').map_or(*is == word, |begin| word.starts_with(begin) && !word.contains('_')))
    };
    let mut found = Vec::new();
    for start in 0..words.len() {
        for rule in rules.beginning_with(&words[start].text) {
            let Some(here) = words.get(start..start + rule.words.len()) else { continue };
            let is_phrase = here.iter().zip(&rule.words).all(|(word, list)| is_one_of(&word.text, list))
                && here[1..].iter().all(|word| word.goes_on);
            if is_phrase {
                let phrase: Vec<&str> = here.iter().map(|word| word.text.as_str()).collect();
                found.push((words[start].place, phrase.join(" "), rule.instead));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(spoken: &str) -> Vec<String> {
        found(spoken, &Rules::new()).into_iter().map(|(_, phrase, _)| phrase).collect()
    }

    #[test]
    fn every_phrase_of_the_list_is_found() {
        for rule in Rules::new().phrases {
            let one: Vec<String> = rule.words.iter().map(|word| word[0].replace('*', "ed")).collect();
            assert!(phrases(&format!("A {} b.", one.join("\n "))).contains(&one.join(" ")), "{one:?}");
        }
    }

    #[test]
    fn a_phrase_ends_with_its_sentence() {
        assert_eq!(phrases("It stands. In a row of 4 sectors. A request").len(), 0);
        assert_eq!(phrases("It stands\u{1} in code").len(), 0);
        assert_eq!(phrases("4 Sectors *a* request"), ["sectors a request"]);
    }

    #[test]
    fn names_of_code_and_other_words_are_let_be() {
        assert_eq!(phrases("neighbours_in_place, it stands for a value; once a launch ends, bearing").len(), 0);
    }
}
