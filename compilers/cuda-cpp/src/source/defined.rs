//! The names that a declaration defines.

use super::items::{Item, TYPES, without_template, words};

/// The words of C++ that stand where names do.
const KEYWORDS: [&str; 23] = [
    "auto", "bool", "char", "class", "const", "double", "enum", "extern", "float", "inline", "int", "long", "public",
    "short", "signed", "static", "struct", "typedef", "typename", "union", "unsigned", "void", "volatile",
];

/// Returns the names that a declaration defines, and rather a word too many than one too few.
pub fn defined<'a>(item: &Item, blank: &'a str) -> impl Iterator<Item = &'a str> {
    let all = without_template(blank[item.place.clone()].trim_start());
    let head = all.split(['{', ';']).next().unwrap_or_default();
    let is_type = words(head).any(|word| TYPES.contains(&word));
    let names: Vec<&str> = match words(all).next() {
        Some("static_assert") => Vec::new(),
        Some("using") if all.contains('=') => words(all).nth(1).into_iter().collect(),
        Some("using") => words(all).last().into_iter().collect(),
        Some("namespace") => words(all).nth(1).into_iter().collect(),
        Some("typedef") if all.contains('{') => words(head).chain(declared(all)).collect(),
        Some("typedef") => declared(all),
        _ if item.is_function || item.is_prototype => called(head),
        _ if is_type => {
            let is_enum = words(head).any(|word| word == "enum");
            let of_body = words(all).filter(move |_| is_enum);
            let bases = head.replace("::", "  ").find(':').unwrap_or(head.len());
            words(&head[..bases]).chain(of_body).chain(declared(all)).collect()
        }
        _ => declared(all),
    };
    names.into_iter().filter(|name| !KEYWORDS.contains(name))
}

/// Returns the names of the variables or types that a declaration ends with: `a` and `b` of `struct { int x; } a, *b = 0;`.
fn declared(all: &str) -> Vec<&str> {
    let initialized = all.find('=').unwrap_or(all.len());
    // A body is in front, an initializer is not.
    let behind = all[..initialized].rfind('}').map_or(0, |body| body + 1);
    let mut depth = 0_usize;
    let mut names = Vec::new();
    let mut part = behind;
    for (index, character) in all.char_indices().skip_while(|(index, _)| *index < behind) {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 => {
                let declarator = &all[part..index];
                // A pointer to a function or to an array: `int (*name)(int)`.
                let pointer = declarator.split_once("(*").map(|(_, rest)| rest);
                let ends = |text: &str| text.find(['=', '[', '{', '(', ')']).unwrap_or(text.len());
                let text = pointer.unwrap_or(declarator);
                names.extend(words(&text[..ends(text)]).last());
                part = index + 1;
            }
            _ => {}
        }
    }
    names
}

/// Returns the names before parentheses, with those of their classes: `S` and `f` of `int S::f<float>(int x)`.
fn called(head: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (open, _) in head.match_indices('(') {
        let mut before = head[..open].trim_end();
        if before.ends_with('>') {
            let mut depth = 0_usize;
            let start = before.char_indices().rev().find(|(_, character)| {
                match character {
                    '>' => depth += 1,
                    '<' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
            before = before[..start.map_or(0, |(index, _)| index)].trim_end();
        }
        let start =
            before.rfind(|character: char| !character.is_alphanumeric() && !['_', ':', '~'].contains(&character));
        names.extend(words(&before[start.map_or(0, |start| start + 1)..]));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::*;

    #[test]
    fn declarations_define_names() {
        for (text, names) in [
            ("typedef pthread_t Worker;", "Worker"),
            ("typedef struct node { int next; } Node, *List;", "node Node List"),
            ("typedef float (*function)(float);", "function"),
            ("const float a = 1, b[2] = {a, 3}, *c;", "a b c"),
            ("using real = std::conditional<true, float, double>::type;", "real"),
            ("using std::max;", "max"),
            ("namespace cg = cooperative_groups;", "cg"),
            (
                "template <typename T, int N = 3> __global__ void __launch_bounds__(N) k(T* x, float (*f)(float)) { }",
                "__launch_bounds__ k",
            ),
            ("template <> __device__ float S::f<float>(int) { }", "S f"),
            ("template <class T> struct Derived : Base<T> { int x; };", "Derived"),
            ("enum class color { red, green = 3 };", "color color red green 3 color"),
            ("struct S { int f() { return 1; } } s;", "S s"),
            ("static_assert(sizeof(int) == 4, \"\");", ""),
        ] {
            let item = items(text).remove(0);
            assert_eq!(defined(&item, text).collect::<Vec<_>>().join(" "), names, "{text}");
        }
    }
}
