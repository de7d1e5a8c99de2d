//! The preprocessor's directives.

use super::items::words;
use std::ops::Range;

/// Returns whether a directive is a condition, or defines a macro.
pub fn is_conditional(directive: &str) -> bool {
    let word = words(directive).next().unwrap_or_default();
    ["if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef"].contains(&word)
}

/// Returns the header that a directive includes, and whether it is in quotes: `vector` of `#include <vector>`.
pub fn header_of(directive: &str) -> Option<(&str, bool)> {
    let rest = directive.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    Some((rest[1..].split(end).next()?, end == '"'))
}

/// Erases all branches of a condition but the first, where each of them opens the same number of braces: the functions of
/// `#if A`, `void f(int x) {`, `#else`, `void f() {`, `#endif` have one end.
pub fn keep_one_branch(text: &str, directives: &[Range<usize>], blank: &mut [u8]) {
    let mut open: Vec<Vec<usize>> = Vec::new();
    for directive in directives {
        let word = words(&text[directive.clone()]).next().unwrap_or_default();
        if ["if", "ifdef", "ifndef"].contains(&word) {
            open.push(vec![directive.end]);
        }
        if ["else", "elif", "endif"].contains(&word)
            && let Some(group) = open.last_mut()
        {
            group.push(directive.start);
            group.push(directive.end);
        }
        if word == "endif" {
            let group = open.pop().unwrap_or_default();
            let branches: Vec<Range<usize>> = group.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let depths: Vec<isize> = branches.iter().map(|branch| depth(&blank[branch.clone()])).collect();
            let [first, others @ ..] = &depths[..] else { continue };
            if *first != 0 && others.iter().all(|depth| depth == first) {
                let erased = branches.into_iter().skip(1).flatten();
                erased.for_each(|at| blank[at] = if blank[at] == b'\n' { b'\n' } else { b' ' });
            }
        }
    }
}

/// Returns how many more braces are opened than closed.
fn depth(text: &[u8]) -> isize {
    text.iter().map(|byte| isize::from(*byte == b'{') - isize::from(*byte == b'}')).sum()
}
