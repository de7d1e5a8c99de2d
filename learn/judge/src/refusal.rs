//! Texts that `grade` refuses: changes outside of the marked regions, and code that reads other files.

use crate::kernel_file::Language;
use crate::set::difference_outside;

/// Directives by which code in C++ reads a file.
const DIRECTIVES: [&str; 4] = ["include", "include_next", "import", "embed"];

/// The spellings of the character before a directive.
const MARKS: [&str; 3] = ["#", "%:", "??="];

/// Another spelling of a backslash at the end of a line.
const TRIGRAPH: &str = "??/";

/// Words by which code in Rust reads a file. A kernel needs no module.
const RUST_WORDS: [&str; 4] = ["include", "include_str", "include_bytes", "mod"];

/// Returns why `grade` refuses a learner's text, or `None` if it does not.
#[must_use]
pub fn refusal(text: &str, skeleton: &str, language: Language) -> Option<String> {
    // Some compilers take a lone carriage return for the end of a line.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if let Some((number, line)) = line_that_reads(&text, skeleton, language) {
        return Some(format!("line {number}, `{line}`, reads another file"));
    }
    difference_outside(&text, skeleton)
}

/// Returns the number and text of the first line that may read another file and is not the skeleton's.
fn line_that_reads(text: &str, skeleton: &str, language: Language) -> Option<(usize, String)> {
    let mut number = 1;
    let mut whole = String::new();
    for (index, line) in text.lines().chain([""]).enumerate() {
        // In C++, a backslash at the end joins two lines, even inside a word.
        if let (Language::Cuda, Some(start)) = (language, line.trim_end().strip_suffix('\\')) {
            whole.push_str(start);
            continue;
        }
        whole.push_str(line);
        if reads(&whole, language) && !skeleton.lines().any(|line| line.trim() == whole.trim()) {
            return Some((number, whole.trim().to_owned()));
        }
        whole.clear();
        number = index + 2;
    }
    None
}

fn reads(line: &str, language: Language) -> bool {
    let code = without_comment(line);
    match language {
        Language::Cuda => {
            let is_marked = MARKS.iter().any(|mark| code.contains(mark));
            // The mark may be before a comment over several lines.
            let mut after_comments = code.split("*/").skip(1);
            let first_word = |part: &str| words(part.trim_start()).next().is_some_and(is_directive);
            is_marked && words(code).any(is_directive) || after_comments.any(first_word) || line.contains(TRIGRAPH)
        }
        Language::Rust => words(code).any(|word| RUST_WORDS.contains(&word)),
    }
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !character.is_alphanumeric() && character != '_')
}

fn is_directive(word: &str) -> bool {
    DIRECTIVES.contains(&word)
}

/// Removes the comment at the end of a line, unless the `//` may be in a string or a longer comment that ends in the line.
fn without_comment(line: &str) -> &str {
    if line.contains('"') || line.contains("*/") {
        return line;
    }
    line.split("//").next().unwrap_or_default()
}
