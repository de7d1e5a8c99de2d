//! The part of a source file that is for the device. NVRTC and the course's header know nothing of the host's functions, so that
//! a file with `main` in it compiles only without them.

mod blank;
mod items;
mod program;
mod signature;

pub use program::Program;
pub use signature::{Parameter, signature};

use blank::{Blanked, blank};
use items::{Item, items, words};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

/// A source file without what is for the host.
#[derive(Debug)]
pub struct DeviceCode {
    /// The text, whose places are those of the file.
    pub text: String,
    /// The parts that were left out, in the order of their lines.
    pub left_out: Vec<LeftOut>,
}

/// A part of a file that is for the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of its first line.
    pub line: usize,
    /// The name of the function, or the beginning of the declaration.
    pub what: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {})", self.what, self.line)
    }
}

/// What becomes of an `#include`.
#[derive(Debug, PartialEq, Eq)]
pub enum Include {
    /// The compiler finds the header.
    Found,
    /// The header is the host's, or missing.
    LeftOut,
    /// The header is included from this file instead.
    From(PathBuf),
}

/// The words that mark a function or a variable for the device, or for both.
const DEVICE_WORDS: [&str; 6] = ["__global__", "__device__", "__constant__", "__shared__", "__managed__", "constexpr"];

/// The first words of declarations that are neither variables nor functions.
const OF_TYPES: [&str; 9] =
    ["struct", "class", "enum", "union", "typedef", "using", "template", "namespace", "static_assert"];

/// The longest shown beginning of a declaration, in characters.
const SHOWN: usize = 40;

impl DeviceCode {
    /// Returns the device's part of a text. `include` decides on each header; the second value is whether it is in quotes.
    pub fn new(text: &str, mut include: impl FnMut(&str, bool) -> Include) -> Self {
        let Blanked { text: blank, directives } = blank(text);
        let marks = device_marks(directives.iter().map(|place| &text[place.clone()]));
        let mut code = Self { text: text.to_owned(), left_out: Vec::new() };
        for item in items(&blank).iter().filter(|item| is_hosts(item, &blank, &marks)) {
            code.leave_out(item.place.clone(), name(item, &blank));
        }
        // From the end, because a directive that is replaced moves what follows in its line.
        for place in directives.into_iter().rev() {
            let directive = &text[place.clone()];
            let Some((header, is_quoted)) = header_of(directive) else { continue };
            match include(header, is_quoted) {
                Include::Found => {}
                Include::LeftOut => code.leave_out(place, directive.trim().to_owned()),
                Include::From(file) => {
                    let file = file.display().to_string().replace('\\', "/");
                    code.text.replace_range(place, &format!("#include \"{file}\""));
                }
            }
        }
        code.left_out.sort_by_key(|part| part.line);
        code
    }

    fn leave_out(&mut self, place: std::ops::Range<usize>, what: String) {
        let line = self.text[..place.start].matches('\n').count() + 1;
        let blank: String = self.text[place.clone()]
            .chars()
            .map(|character| if character == '\n' { "\n".to_owned() } else { " ".repeat(character.len_utf8()) })
            .collect();
        self.text.replace_range(place, &blank);
        self.left_out.push(LeftOut { line, what });
    }
}

/// Returns the header that a directive includes, and whether it is in quotes: `vector` of `#include <vector>`.
fn header_of(directive: &str) -> Option<(&str, bool)> {
    let rest = directive.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let end = match rest.chars().next()? {
        '<' => '>',
        '"' => '"',
        _ => return None,
    };
    Some((rest[1..].split(end).next()?, end == '"'))
}

/// Returns the words that mark a function for the device, with those of the file's own macros: `#define BOTH __host__ __device__`.
fn device_marks<'a>(directives: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let mut marks: BTreeSet<&str> = DEVICE_WORDS.into();
    for directive in directives {
        let mut of_directive = words(directive);
        if let (Some("define"), Some(name)) = (of_directive.next(), of_directive.next())
            && of_directive.any(|word| DEVICE_WORDS.contains(&word))
        {
            marks.insert(name);
        }
    }
    marks
}

fn is_hosts(item: &Item, blank: &str, marks: &BTreeSet<&str>) -> bool {
    let head = &blank[item.head.clone()];
    let all = &blank[item.place.clone()];
    if words(head).any(|word| marks.contains(word)) {
        return false;
    }
    let is_of_types = words(head).next().is_some_and(|word| OF_TYPES.contains(&word));
    let is_constant = !item.is_prototype && words(head).any(|word| word == "const");
    !(is_of_types || is_constant) || item.is_function || words(all).any(is_of_host)
}

/// Returns whether a word is a name of the host's: of the runtime library, of the standard library as a whole, or of a launch.
fn is_of_host(word: &str) -> bool {
    let of_library = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_uppercase()))
    };
    word == "std" || word == "cout" || ["cuda", "cublas", "curand", "cusparse", "cufft"].into_iter().any(of_library)
}

/// Returns the name of a function, which is the word before its parentheses, or the beginning of a declaration.
fn name(item: &Item, blank: &str) -> String {
    let head = blank[item.head.clone()].trim();
    let before = head.split('(').next().unwrap_or_default();
    let shown: String = head.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
    match words(before).last() {
        Some(name) if item.is_function => name.to_owned(),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "#include <iostream>\n#include \"kernels.h\"\n#define BOTH __host__ __device__\nusing namespace std;\n\
        BOTH float square(float x) { return x * x; }\n\
        __global__ void scale(float* x, int n) {\n    int i = threadIdx.x;\n    if (i < n) x[i] = square(x[i]);\n}\n\
        static const int wanted = 3;\nint other;\nvoid later(int);\nstd::vector<int> list;\nvoid fill(float* x) { for (;;) { } }\n\
        int main() {\n    scale<<<1, 32>>>(nullptr, 0);  // a { brace\n}\n";

    fn device_code() -> DeviceCode {
        DeviceCode::new(FILE, |header, _| if header == "kernels.h" { Include::Found } else { Include::LeftOut })
    }

    #[test]
    fn the_parts_for_the_host_are_left_out_and_named() {
        let left_out: Vec<String> = device_code().left_out.iter().map(ToString::to_string).collect();
        assert_eq!(
            left_out,
            [
                "#include <iostream> (line 1)",
                "using namespace std; (line 4)",
                "int other; (line 11)",
                "void later(int); (line 12)",
                "std::vector<int> list; (line 13)",
                "fill (line 14)",
                "main (line 15)"
            ]
        );
    }

    #[test]
    fn the_rest_keeps_its_places() {
        let text = device_code().text;
        assert_eq!(text.len(), FILE.len());
        for kept in
            ["BOTH float square(float x) { return x * x; }", "__global__ void scale", "static const int wanted = 3;"]
        {
            assert_eq!(text.find(kept), FILE.find(kept), "{kept}");
        }
        assert!(!text.contains("<<<") && !text.contains("vector"), "{text}");
    }

    #[test]
    fn a_file_of_kernels_alone_stays_as_it_is() {
        let text = "#include <cooperative_groups.h>\nnamespace g = cooperative_groups;\n__constant__ float c[4];\n\
                    struct S { float x; };\ntemplate <typename T>\n__global__ void k(T* x) { __shared__ T s[32]; }\n";
        let code = DeviceCode::new(text, |_, _| Include::Found);
        assert_eq!((code.text.as_str(), code.left_out.len()), (text, 0));
    }
}
