//! The declarations of a source file outside of functions and types.

use std::ops::Range;

/// A declaration at namespace scope.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    /// The place of the whole declaration, with its body and semicolon.
    pub place: Range<usize>,
    /// The place of what is before the body, or of all.
    pub head: Range<usize>,
    /// Whether it is a function with a body.
    pub is_function: bool,
    /// Whether it declares a function without a body: `void f(const int*);`.
    pub is_prototype: bool,
}

/// The words that begin the declaration of a type.
pub const TYPES: [&str; 4] = ["struct", "class", "enum", "union"];

/// Returns the declarations of a text without comments, literals and directives (see [`super::blank`]).
pub fn items(blank: &str) -> Vec<Item> {
    let bytes = blank.as_bytes();
    let mut items = Vec::new();
    let mut start = 0;
    let mut at = 0;
    // The end of the last braces.
    let mut body = 0;
    while let Some(&byte) = bytes.get(at) {
        let head = start..at;
        match byte {
            b'(' | b'[' => at = closing(bytes, at),
            b'{' if is_scope(&blank[head.clone()]) => start = at + 1,
            b'{' => {
                at = closing(bytes, at);
                body = at;
                // After a member's initializer in braces, as `a{1}`, the body follows.
                let is_initializer = blank[at + 1..].trim_start().starts_with([',', '{']);
                if is_function(&blank[head.clone()]) && !is_initializer {
                    let place = trim(blank, start..at + 1);
                    items.push(Item { place, head, is_function: true, is_prototype: false });
                    start = at + 1;
                }
            }
            // The end of a namespace.
            b'}' => start = at + 1,
            b';' => {
                let place = trim(blank, start..at + 1);
                let is_prototype = body <= start && is_function(&blank[place.clone()]);
                items.push(Item { head: place.clone(), place, is_function: false, is_prototype });
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    items
}

/// Returns the place of the bracket that closes the one at `open`, or of the last byte.
fn closing(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    bytes.len() - 1
}

/// Returns whether declarations are inside of the braces: those of a namespace, or of `extern "C"`, whose string is blank.
fn is_scope(head: &str) -> bool {
    let mut words = head.split_whitespace();
    match words.next() {
        Some("namespace" | "inline") => head.contains("namespace"),
        Some("extern") => words.next().is_none(),
        _ => false,
    }
}

fn is_function(head: &str) -> bool {
    let head = &without_alignment(without_template(head.trim()));
    let is_type = words(head).any(|word| TYPES.contains(&word)) && !head.contains('(');
    has_parameters(head) && !is_type && !has_initializer(head)
}

/// Returns whether there are parentheses that are neither in brackets, as in `a[(2)]`, nor those of a pointer to a function.
fn has_parameters(head: &str) -> bool {
    let mut depth = 0_usize;
    for (index, character) in head.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => return !head[index + 1..].trim_start().starts_with('*') || head.contains("operator"),
            _ => {}
        }
    }
    false
}

/// Removes `template <…>` from the beginning.
pub fn without_template(head: &str) -> &str {
    let Some(rest) = head.strip_prefix("template") else { return head };
    // `template void f<int>(int);` makes an instance.
    if !rest.trim_start().starts_with('<') {
        return rest;
    }
    let mut depth = 0_usize;
    for (index, character) in rest.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return without_template(rest[index + 1..].trim_start());
        }
    }
    head
}

/// Removes what may be in parentheses in the head of a type: `alignas(16)`.
fn without_alignment(head: &str) -> String {
    let mut head = head.to_owned();
    for word in ["alignas", "__align__", "__builtin_align__", "__attribute__"] {
        while let Some(open) = head.find(&format!("{word}(")).map(|place| place + word.len()) {
            let end = closing(head.as_bytes(), open) + 1;
            head.replace_range(open - word.len()..end, "");
        }
    }
    head
}

/// Returns whether a `=` outside of parentheses is not part of an operator's name.
fn has_initializer(head: &str) -> bool {
    let mut depth = 0_usize;
    for character in head.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '=' if depth == 0 => return !head.contains("operator"),
            _ => {}
        }
    }
    false
}

/// Returns the words of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| !word.is_empty())
}

fn trim(text: &str, place: Range<usize>) -> Range<usize> {
    let inside = &text[place.clone()];
    place.start + inside.len() - inside.trim_start().len()..place.end
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn functions_types_and_variables_are_told_apart() {
        let text = "int a[] = {1, 2}; struct S { int f() { return 1; } } s; template <int N = 3> void g(int b = 2) { { } }\n\
                    namespace n { extern { __global__ void k() { if (a) { } } } int main() { } } void S::h() const { }\n\
                    template <class T> struct alignas(16) A { }; struct __align__(8) B { }; alignas(8) int f() { }\
                    auto l = [](int x) { return x; }; bool operator==(S a, S b) { } int p(int);";
        let found: Vec<(String, bool)> = items(text)
            .into_iter()
            .map(|item| (text[item.head].split_whitespace().collect::<Vec<_>>().join(" "), item.is_function))
            .collect();
        let found: Vec<(&str, bool)> = found.iter().map(|(head, is_function)| (head.as_str(), *is_function)).collect();
        assert_eq!(
            found,
            [
                ("int a[] = {1, 2};", false),
                ("struct S { int f() { return 1; } } s;", false),
                ("template <int N = 3> void g(int b = 2)", true),
                ("__global__ void k()", true),
                ("int main()", true),
                ("void S::h() const", true),
                ("template <class T> struct alignas(16) A { };", false),
                ("struct __align__(8) B { };", false),
                ("alignas(8) int f()", true),
                ("auto l = [](int x) { return x; };", false),
                ("bool operator==(S a, S b)", true),
                ("int p(int);", false),
            ]
        );
    }

    #[test]
    fn unbalanced_texts_end() {
        for text in ["{", "}", "(", "f() {", "namespace {", "struct S {", ")", "[", ""] {
            items(text);
        }
    }
}
