//! The part of a source file that is for the device. NVRTC and the course's header know nothing of the host's functions, so that
//! a file with `main` in it compiles only without them.

mod blank;
mod defined;
mod directives;
mod items;
mod members;
mod needs;
mod program;
mod signature;

pub use program::{Program, Reading, with_headers};
pub use signature::{Parameter, signature};

use crate::header::HOST;
use crate::toolkit_headers::is_toolkits;
use blank::{Blanked, blank};
use directives::{header_of, is_conditional};
use items::{Item, items, words};
use needs::Needs;
use std::fmt;
use std::ops::Range;
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

/// How much of a program is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// The host's functions and variables.
    Host,
    /// Everything that a kernel does not need.
    Unneeded,
    /// Also the host's member functions of what it needs. Constants are computed by the compiler.
    Members,
}

/// The first words of declarations that are neither variables nor functions.
const OF_TYPES: [&str; 9] =
    ["struct", "class", "enum", "union", "typedef", "using", "template", "namespace", "static_assert"];

/// The longest shown beginning of a declaration, in characters.
const SHOWN: usize = 40;

impl DeviceCode {
    /// Returns the device's part of a text. `include` decides on each header; the second value is whether it is in quotes.
    fn new(text: &str, needs: &Needs, extent: Extent, mut include: impl FnMut(&str, bool) -> Include) -> Self {
        let Blanked { text: blank, directives } = blank(text);
        let mut code = Self { text: text.to_owned(), left_out: Vec::new() };
        // Replaced from the end, because the text of a replacement has another length.
        let mut replaced: Vec<(Range<usize>, String)> = Vec::new();
        for item in items(&blank) {
            if is_hosts(&item, &blank, needs, extent) {
                code.leave_out(item.place.clone(), &directives, name(&item, &blank));
            } else if extent == Extent::Members {
                for place in members::of_host(&blank, item.place.clone(), needs) {
                    let what = items(&blank[place.clone()]).first().map(|item| name(item, &blank[place.clone()]));
                    code.leave_out(place, &directives, what.unwrap_or_default());
                }
                let is_marked = item.is_function || needs.is_marked(&item, &blank);
                let constant = members::constant(&blank, item.place.clone()).filter(|_| !is_marked);
                replaced.extend(constant.map(|place| (place, "constexpr".to_owned())));
            }
        }
        for place in directives.iter().cloned() {
            let directive = &text[place.clone()];
            let Some((header, is_quoted)) = header_of(directive) else { continue };
            match include(header, is_quoted) {
                Include::Found => {}
                Include::LeftOut => {
                    code.leave_out(place.clone(), &[], directive.trim().to_owned());
                    if !is_toolkits(header) {
                        replaced.push((place, format!("#include <{HOST}>")));
                    }
                }
                Include::From(file) => {
                    let file = file.display().to_string().replace('\\', "/");
                    replaced.push((place, format!("#include \"{file}\"")));
                }
            }
        }
        replaced.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        for (place, by) in replaced {
            code.text.replace_range(place, &by);
        }
        code.left_out.sort_by_key(|part| part.line);
        code
    }

    /// Replaces a part by spaces, but for the directives in it that others outside of it may need.
    fn leave_out(&mut self, place: Range<usize>, directives: &[Range<usize>], what: String) {
        let line = self.text[..place.start].matches('\n').count() + 1;
        let kept = directives
            .iter()
            .filter(|directive| place.contains(&directive.start) && is_conditional(&self.text[(*directive).clone()]));
        let kept: Vec<Range<usize>> = kept.cloned().collect();
        let blank = self.text[place.clone()].char_indices().map(|(index, character)| {
            let is_kept = kept.iter().any(|kept| kept.contains(&(place.start + index)));
            if is_kept || character == '\n' { character.to_string() } else { " ".repeat(character.len_utf8()) }
        });
        let blank: String = blank.collect();
        self.text.replace_range(place, &blank);
        self.left_out.push(LeftOut { line, what });
    }
}

fn is_hosts(item: &Item, blank: &str, needs: &Needs, extent: Extent) -> bool {
    let head = &blank[item.head.clone()];
    let all = &blank[item.place.clone()];
    if needs.is_marked(item, blank) {
        return extent > Extent::Host && !needs.is_needed(item, blank);
    }
    let is_of_types = words(head).next().is_some_and(|word| OF_TYPES.contains(&word));
    let is_constant = !item.is_prototype && words(head).any(|word| word == "const");
    if !(is_of_types || is_constant) || item.is_function {
        return true;
    }
    let is_suspect = extent > Extent::Host || words(head).next() == Some("using") || words(all).any(is_of_host);
    is_suspect && !needs.is_needed(item, blank)
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
    // A type is named without its body.
    let short = head.split('{').next().filter(|head| words(head).next().is_some()).unwrap_or(head);
    let shown: String = short.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHOWN).collect();
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

    fn code(text: &str, extent: Extent, kernel: Option<&str>) -> DeviceCode {
        let mut needs = Needs::default();
        needs.add(text);
        needs.resolve(kernel);
        DeviceCode::new(
            text,
            &needs,
            extent,
            |header, _| {
                if header == "kernels.h" { Include::Found } else { Include::LeftOut }
            },
        )
    }

    fn device_code() -> DeviceCode {
        code(FILE, Extent::Host, None)
    }

    #[test]
    fn the_parts_for_the_host_are_left_out_and_named() {
        let left_out: Vec<String> = device_code().left_out.iter().map(ToString::to_string).collect();
        assert_eq!(
            left_out,
            [
                "#include <iostream> (line 1)",
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
        let text = device_code().text.replace("#include <coalesced/host.h>", "#include <iostream>");
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
        let text = text.replace("cooperative_groups.h", "kernels.h");
        assert_eq!(code(&text, Extent::Host, None).text, text);
    }
}
