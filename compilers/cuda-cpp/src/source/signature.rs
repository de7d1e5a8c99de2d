//! The parameters of a kernel as its source declares them.

use super::blank::blank;
use super::items::{items, words};

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The declaration: `const float* x`.
    pub declared: String,
    /// The name: `x`.
    pub name: String,
    /// Whether it is a pointer, or an array.
    pub is_pointer: bool,
    /// The type of the value or of what the pointer points to, as `cargo learn check` names types: `f32`. Not known for
    /// structures, for the parameters of a template, and for types with several definitions in the file.
    pub element: Option<&'static str>,
}

/// The words of a declaration that do not change the type.
const QUALIFIERS: [&str; 10] = [
    "const",
    "volatile",
    "__restrict__",
    "__restrict",
    "restrict",
    "__grid_constant__",
    "struct",
    "register",
    "signed",
    "unsigned",
];

/// The types of C++ and of CUDA's headers without sign, with the names here.
const TYPES: [(&str, &str); 33] = [
    ("float", "f32"),
    ("double", "f64"),
    ("half", "f16"),
    ("__half", "f16"),
    ("half2", "f16"),
    ("__half2", "f16"),
    ("__nv_bfloat16", "bf16"),
    ("nv_bfloat16", "bf16"),
    ("int", "i32"),
    ("int32_t", "i32"),
    ("uint", "i32"),
    ("uint32_t", "i32"),
    ("char", "i8"),
    ("int8_t", "i8"),
    ("uint8_t", "i8"),
    ("bool", "i8"),
    ("short", "i16"),
    ("ushort", "i16"),
    ("int16_t", "i16"),
    ("uint16_t", "i16"),
    ("short int", "i16"),
    ("long", "i64"),
    ("long int", "i64"),
    ("long long", "i64"),
    ("long long int", "i64"),
    ("ulong", "i64"),
    ("int64_t", "i64"),
    ("uint64_t", "i64"),
    ("size_t", "i64"),
    ("float4", "f32"),
    ("float2", "f32"),
    ("double2", "f64"),
    ("", "i32"),
];

/// Returns the parameters of the kernel `name`, which may have a namespace and template arguments, or be the mangled name;
/// `None` if the text has no such kernel, or several with different parameters.
#[must_use]
pub fn signature(text: &str, name: &str) -> Option<Vec<Parameter>> {
    let name = unmangle(name);
    let blank = blank(text).text;
    let heads = items(&blank).into_iter().filter(|item| item.is_function).map(|item| blank[item.head].to_owned());
    let lists = heads.filter_map(|head| Some(parameter_list(&head, name)?.to_owned()));
    let mut found: Vec<Vec<Parameter>> = lists.map(|list| parameters(&list, &blank)).collect();
    let kernel = found.pop()?;
    found.iter().all(|other| *other == kernel).then_some(kernel)
}

/// Returns the name of a function without namespaces and template arguments: `scale` of `a::scale<float>` and `_Z5scalePf`.
pub fn unmangle(name: &str) -> &str {
    let Some(mut rest) = name.strip_prefix("_Z") else {
        let name = name.split('<').next().unwrap_or_default().trim();
        return name.rsplit("::").next().unwrap_or(name);
    };
    let is_nested = rest.starts_with('N');
    rest = rest.strip_prefix('N').unwrap_or(rest);
    let mut last = "";
    while let Some(length) = rest.find(|character: char| !character.is_ascii_digit()).filter(|end| *end > 0) {
        let count: usize = rest[..length].parse().unwrap_or_default();
        let Some(part) = rest.get(length..length + count) else { break };
        (last, rest) = (part, &rest[length + count..]);
        if !is_nested {
            break;
        }
    }
    last
}

/// Returns the text between the parentheses of the kernel `name`, for the head of a function.
fn parameter_list<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    if !words(head).any(|word| word == "__global__") {
        return None;
    }
    let is_name = |place: usize| {
        let before = head[..place].chars().next_back();
        let after = head[place + name.len()..].trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after.starts_with('(')
    };
    let place = head.match_indices(name).map(|(place, _)| place).find(|&place| is_name(place))?;
    let open = place + head[place..].find('(')?;
    let close = head.rfind(')')?;
    head.get(open + 1..close)
}

fn parameters(list: &str, blank: &str) -> Vec<Parameter> {
    let parts = split(list).into_iter().map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    parts.filter(|part| !part.is_empty() && part != "void").map(|part| parameter(&part, blank)).collect()
}

/// Splits a list at the commas outside of brackets.
fn split(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (index, character) in list.char_indices() {
        match character {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts
}

fn parameter(declared: &str, blank: &str) -> Parameter {
    let declared = declared.split('=').next().unwrap_or_default().trim();
    let (before, array) = declared.split_once('[').map_or((declared, false), |(before, _)| (before, true));
    let stars = before.matches('*').count() + usize::from(array);
    let mut of_type: Vec<&str> = words(before).collect();
    let name = of_type.pop().unwrap_or_default();
    // A template's instance or a reference is a type of its own.
    let is_plain = stars <= 1 && !before.contains(['<', '&', '(', ':']);
    let element = if is_plain { element(&of_type, blank) } else { None };
    Parameter { declared: declared.to_owned(), name: name.to_owned(), is_pointer: stars > 0, element }
}

/// Returns the name of the type with these words, here or by its only definition in the text.
fn element(of_type: &[&str], blank: &str) -> Option<&'static str> {
    let is_word = |word: &&&str| !QUALIFIERS.contains(*word);
    let plain = of_type.iter().filter(is_word).copied().collect::<Vec<_>>().join(" ");
    let is_int = of_type.iter().any(|word| ["signed", "unsigned"].contains(word));
    if plain.is_empty() && !is_int {
        return None;
    }
    let known = TYPES.iter().find(|(name, _)| *name == plain).map(|(_, element)| *element);
    known.or_else(|| {
        let mut definitions = definitions(&plain, blank);
        let only = definitions.pop().filter(|_| definitions.is_empty())?;
        let only: Vec<&str> = words(&only).filter(|word| *word != plain).collect();
        element(&only, "")
    })
}

/// Returns the types that the text defines with a name, by `typedef TYPE NAME;` or `using NAME = TYPE;`.
fn definitions(name: &str, blank: &str) -> Vec<String> {
    let definition = |item: &str| {
        let item = item.trim().strip_suffix(';')?;
        let of_using = || item.strip_prefix("using")?.trim().strip_prefix(name)?.trim().strip_prefix('=');
        let of_typedef = || item.strip_prefix("typedef")?.trim().strip_suffix(name);
        let found = of_using().or_else(of_typedef)?;
        (!found.contains(['*', '<', '{', '['])).then(|| found.to_owned())
    };
    items(blank).into_iter().filter_map(|item| definition(&blank[item.place])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "typedef float real; using count = unsigned int;\n#ifdef A\ntypedef int both;\n#else\ntypedef float both;\n\
        #endif\ntemplate <typename T> __global__ void __launch_bounds__(256) scale(T* __restrict__ x, const real a = 2, count n);\n\
        template <typename T> __global__ void __launch_bounds__(256) scale(T* __restrict__ x, const real a /* a, b */, count n) {}\n\
        namespace lab { __global__ void most(const unsigned char *const in, float out[], Pair<int, 2> p, both b) { } }\n\
        __global__ void twice(int* x) { } __global__ void twice(float* x) { } __global__ void none(void) {}";

    fn of(name: &str) -> Option<Vec<(String, bool, Option<&'static str>)>> {
        let parts = signature(FILE, name)?.into_iter();
        Some(parts.map(|part| (part.name, part.is_pointer, part.element)).collect())
    }

    fn part(name: &str, is_pointer: bool, element: Option<&'static str>) -> (String, bool, Option<&'static str>) {
        (name.to_owned(), is_pointer, element)
    }

    #[test]
    fn parameters_have_names_and_the_types_that_are_known() {
        let scale = vec![part("x", true, None), part("a", false, Some("f32")), part("n", false, Some("i32"))];
        assert_eq!(of("scale<float>"), Some(scale));
        let most = vec![
            part("in", true, Some("i8")),
            part("out", true, Some("f32")),
            part("p", false, None),
            part("b", false, None),
        ];
        assert_eq!(of("lab::most"), Some(most.clone()));
        assert_eq!(of("_ZN3lab4mostEPKhPf4PairIiLi2EEi"), Some(most));
        assert_eq!(of("none"), Some(Vec::new()));
    }

    #[test]
    fn unknown_and_ambiguous_kernels_have_none() {
        assert_eq!((of("other"), of("twice"), of("cale")), (None, None, None));
    }

    #[test]
    fn the_declaration_is_kept() {
        let parameters = signature(FILE, "most").expect("a kernel");
        assert_eq!(parameters[0].declared, "const unsigned char *const in");
    }
}
