//! Compares the page of CUDA's words with the kernels: it lists every word of CUDA C++ that a kernel uses, and each name
//! in its Rust column occurs in a kernel or in `compilers/device/src`.

use super::document::{Document, words};
use super::{Material, Report};
use anyhow::Result;
use mdbook_markdown::pulldown_cmark::{Event, Tag, TagEnd};
use std::collections::BTreeMap;

const PAGE: &str = "cuda-words.md";

/// Words of C++ that a parenthesis may follow and that are not functions.
const NOT_CALLED: [&str; 12] = [
    "if",
    "for",
    "while",
    "switch",
    "return",
    "sizeof",
    "alignas",
    "static_assert",
    "decltype",
    "else",
    "float",
    "void",
];

/// CUDA's built-in variables.
const BUILT_IN: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// The element types of CUDA's vector types: `float4` is a `float` and a number of components.
const ELEMENTS: [&str; 5] = ["float", "int", "uint", "double", "char"];

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let Some(page) = material.chapters.iter().find(|chapter| chapter.name() == PAGE) else {
        report.add(&material.summary.file, 1, format!("the summary lists no {PAGE}, which has CUDA's words"));
        return Ok(());
    };
    let (explained, in_rust) = columns(page);
    let mut used = BTreeMap::new();
    let mut rust = String::new();
    for file in material.tree.iter().filter(|file| is_kernel(file) || file.starts_with("compilers/device/src/")) {
        let text = material.text(file)?;
        if file.ends_with(".cu") {
            used.extend(words_of(&text).into_iter().map(|word| (word, file.clone())));
        } else {
            rust += &text;
        }
    }
    for (word, file) in &used {
        if !explained.iter().any(|code| identifiers(code).any(|(_, is)| is == word)) {
            report.add(&page.file, 1, format!("`{word}` is missing here, which {file} uses"));
        }
    }
    for (line, code) in &in_rust {
        for (_, word) in identifiers(code).filter(|(_, word)| !identifiers(&rust).any(|(_, is)| is == *word)) {
            let text = format!("`{word}`: no kernel in Rust and nothing in compilers/device/src has this name");
            report.add(&page.file, *line, text);
        }
    }
    report.count(used.len(), "words of CUDA C++");
    Ok(())
}

fn is_kernel(file: &str) -> bool {
    let is_source = file.ends_with(".cu") || file.ends_with(".rs");
    is_source && file.contains("/kernels/") && (file.starts_with("stage") || file.starts_with("exercises/"))
}

/// Returns the code in the first column of the page's tables, and the code in the third column with its lines.
fn columns(page: &Document) -> (Vec<String>, Vec<(usize, String)>) {
    let mut first = Vec::new();
    let mut last = Vec::new();
    let mut cell = 0;
    for (event, range) in page.events() {
        match &event {
            Event::Start(Tag::TableRow | Tag::TableHead) => cell = 0,
            Event::End(TagEnd::TableCell) => cell += 1,
            Event::Code(_) if cell == 0 => first.extend(words(&event).map(str::to_owned)),
            Event::Code(_) if cell == 2 => {
                last.extend(words(&event).map(|code| (page.origin(range.start), code.to_owned())));
            }
            _ => {}
        }
    }
    (first, last)
}

/// Returns the words of a kernel's file that are CUDA's, sorted: names that begin with two underscores, built-in variables,
/// vector types, functions that the file does not declare, and the names of pragmas.
fn words_of(text: &str) -> Vec<String> {
    let code = without_comments_and_strings(text);
    let mut declared = Vec::new();
    let mut used = Vec::new();
    for (place, word) in identifiers(&code) {
        let before = code[..place].trim_end();
        let after = code[place + word.len()..].trim_start();
        if is_of_cuda(word) {
            used.push(word);
        } else if follows_type(before) {
            declared.push(word);
        } else if after.starts_with('(') && !NOT_CALLED.contains(&word) && !before.ends_with(['.', '#', ']']) {
            used.push(word);
        }
    }
    used.retain(|word| !declared.contains(word));
    let pragmas = code.lines().filter_map(|line| line.trim().strip_prefix("#pragma ")?.split_whitespace().next());
    let mut words: Vec<String> = used.into_iter().chain(pragmas).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

fn is_of_cuda(word: &str) -> bool {
    let is_vector_of = |element: &str| word.strip_prefix(element).is_some_and(|rest| ["2", "3", "4"].contains(&rest));
    word.starts_with("__") || BUILT_IN.contains(&word) || ELEMENTS.iter().any(|element| is_vector_of(element))
}

/// Returns a kernel's text without line comments and string literals. Kernels have no block comments.
fn without_comments_and_strings(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = code.collect::<Vec<_>>().join("\n").replace("\\\"", "");
    code.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns whether `before` ends in a type, so that a declaration follows: `float* `, `Sums<4> `, `#define `,
/// `__launch_bounds__(64) `.
fn follows_type(before: &str) -> bool {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = before.trim_end_matches(['*', '&', '\\', ' ', '\n']);
    let last = before.rsplit(|c| !is_of_word(c)).next().unwrap_or_default();
    let is_bounds = before.ends_with(')')
        && before.rfind('(').is_some_and(|open| before[..open].trim_end().ends_with("__launch_bounds__"));
    let is_template = before.ends_with('>') && !before.ends_with(" >");
    is_bounds
        || is_template
        || !(last.is_empty() || NOT_CALLED[..10].contains(&last) || last.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the identifiers of a text with their places.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(|c: char| c.is_ascii_alphabetic() || c == '_').filter_map(move |(place, _)| {
        let is_begin = !text[..place].ends_with(is_of_word);
        let length = text[place..].find(|c| !is_of_word(c)).unwrap_or(text.len() - place);
        is_begin.then(|| (place, &text[place..place + length]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_cuda_are_distinguished_from_those_of_the_file() {
        let text = "// __comment__ call(x)\n#define ENTRY(N) \\\n    extern \"C\" __global__ void __launch_bounds__(N) sum_##N(int* p) { sum<N>(p); }\n\
                    __device__ float4 half(float4 v) { return make_float4(v.x, min(1, 2), 0, 0); }\n\
                    template <int N> void sum(int* p) { const auto add = [&](int k) { p[k] += threadIdx.x; };\n\
                    #pragma unroll\n for (int i = 0; i < N; ++i) if (half(0).x > rsqrtf(2)) add(i); p.call(); }\nENTRY(4)\n";
        let words = [
            "__device__",
            "__global__",
            "__launch_bounds__",
            "float4",
            "make_float4",
            "min",
            "rsqrtf",
            "threadIdx",
            "unroll",
        ];
        assert_eq!(words_of(text), words);
    }
}
