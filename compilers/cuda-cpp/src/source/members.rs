//! The parts of a declaration that are for the host, where the declaration itself is for the device: member functions without a
//! word for the device, and constants that the host computes.

use super::items::{TYPES, items, words};
use super::needs::Needs;
use std::ops::Range;

/// Returns the places of a type's member functions that are not for the device, in the order of the text. `place` is that of the
/// type's declaration.
pub fn of_host(blank: &str, place: Range<usize>, needs: &Needs) -> Vec<Range<usize>> {
    let text = &blank[place.clone()];
    let Some(open) = text.find('{') else { return Vec::new() };
    let is_type =
        words(&text[..open]).any(|word| TYPES.contains(&word)) && !words(&text[..open]).any(|word| word == "enum");
    let Some(close) = text.rfind('}').filter(|_| is_type) else { return Vec::new() };
    let start = place.start + open + 1;
    let body = &blank[start..place.start + close];
    let mut found = Vec::new();
    for item in items(body) {
        let inside = item.place.start + behind_labels(&body[item.place.clone()])..item.place.end;
        let is_kept = needs.has_mark(&body[item.head.clone()]);
        if (item.is_function || item.is_prototype) && !is_kept {
            found.push(start + inside.start..start + inside.end);
        } else {
            found.extend(of_host(blank, start + inside.start..start + inside.end, needs));
        }
    }
    found
}

/// Returns the length of the labels at the beginning of a member: `public:`.
fn behind_labels(member: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &member[length..];
        let text = rest.trim_start();
        let label = ["public", "protected", "private"].into_iter().find_map(|word| {
            let after = text.strip_prefix(word)?.trim_start().strip_prefix(':')?;
            Some(rest.len() - after.len())
        });
        match label {
            Some(label) => length += label,
            None => return length + rest.len() - text.len(),
        }
    }
}

/// Returns the place of the word `const` in the declaration of a number, which can be `constexpr`.
pub fn constant(blank: &str, place: Range<usize>) -> Option<Range<usize>> {
    let text = &blank[place.clone()];
    let declarator = text.split_once('=')?.0;
    let is_number = !declarator.contains(['*', '&', '(', '{']) && words(declarator).next() != Some("typedef");
    let at = text.match_indices("const").map(|(at, _)| at).find(|at| {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        !text[..*at].ends_with(is_part) && !text[at + 5..].starts_with(is_part)
    })?;
    (is_number && at < declarator.len()).then_some(place.start + at..place.start + at + 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        let mut needs = Needs::default();
        needs.add(text);
        needs.resolve(None);
        of_host(text, 0..text.len(), &needs).into_iter().map(|place| &text[place]).collect()
    }

    #[test]
    fn member_functions_without_a_mark_are_the_hosts() {
        let text = "class M { float* data; public: M(int n) : data{new float[n]}, n(n) { } ~M(); int n; float (*f)(int); \
            __device__ float at(int i) { return data[i]; } int rows[(2)]; struct Part { void save(); int x; }; \
            static M* load(const std::string& name) { return new M(3); } M() = default; };";
        assert_eq!(
            of(text),
            [
                "M(int n) : data{new float[n]}, n(n) { }",
                "~M();",
                "void save();",
                "static M* load(const std::string& name) { return new M(3); }"
            ]
        );
        assert_eq!(of("enum { a = (1), b };"), [""; 0]);
    }

    #[test]
    fn a_number_can_be_a_constant() {
        let of = |text: &str| constant(text, 0..text.len()).map(|place| place.start);
        assert_eq!(of("static const float a = b * b;"), Some(7));
        assert_eq!([of("const char* a = 0;"), of("const int f(int);"), of("constant a = 1;")], [None; 3]);
    }
}
