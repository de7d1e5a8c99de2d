//! The parts of a program that a kernel needs: the names that it uses, the names that their definitions use, and so on.
//!
//! A word that is the same as a name counts as a use of it, so that rather too much is needed than too little.

use super::blank::{Blanked, blank};
use super::defined::defined;
use super::items::{Item, items, words};
use super::signature::unmangle;
use std::collections::{BTreeSet, HashMap};

/// The words that mark a function or a variable for the device, or for both.
const DEVICE_WORDS: [&str; 6] = ["__global__", "__device__", "__constant__", "__shared__", "__managed__", "constexpr"];

/// A declaration, or a macro.
#[derive(Debug)]
struct Node {
    defines: Vec<String>,
    uses: Vec<String>,
    is_operator: bool,
}

/// The declarations of a program's files.
#[derive(Debug, Default)]
pub struct Needs {
    nodes: Vec<Node>,
    /// The texts of macros, by their names.
    macros: Vec<Node>,
    /// The declarations of each file by their heads, until [`Self::resolve`] knows the marks.
    heads: Vec<Vec<String>>,
    /// The words that mark a declaration for the device, with the program's own macros.
    marks: BTreeSet<String>,
    /// The names of namespaces.
    namespaces: BTreeSet<String>,
    /// The names that are needed.
    names: BTreeSet<String>,
    /// Whether only what the kernel needs is needed, and not everything for the device.
    is_narrow: bool,
}

impl Needs {
    /// Adds a file's declarations.
    pub fn add(&mut self, text: &str) {
        let Blanked { text: blank, directives } = blank(text);
        for item in items(&blank) {
            let all = &blank[item.place.clone()];
            self.nodes.push(Node {
                defines: owned(defined(&item, &blank)),
                uses: owned(words(all)),
                is_operator: is_operator(&item, &blank),
            });
            self.heads.push(owned(words(&blank[item.head.clone()])));
        }
        for directive in directives {
            let mut of_directive = words(&text[directive]);
            if let (Some("define"), Some(name)) = (of_directive.next(), of_directive.next()) {
                self.macros.push(Node {
                    defines: vec![name.to_owned()],
                    uses: owned(of_directive),
                    is_operator: false,
                });
            }
        }
        let all: Vec<&str> = words(&blank).collect();
        // `using namespace` names one that may be the host's.
        let is_defined = |at: &usize| all[*at] == "namespace" && (*at == 0 || all[at - 1] != "using");
        let names = (0..all.len()).filter(is_defined).filter_map(|at| all.get(at + 1).map(|name| (*name).to_owned()));
        self.namespaces.extend(names);
    }

    /// Determines what is needed by everything that is for the device, or with a name of a kernel, by that kernel alone. A kernel
    /// that no declaration defines may be a macro's, so that everything is needed.
    pub fn resolve(&mut self, kernel: Option<&str>) {
        self.marks = DEVICE_WORDS.map(String::from).into();
        loop {
            let is_mark = |node: &&Node| node.uses.iter().any(|word| self.marks.contains(word));
            let found: Vec<String> = self.macros.iter().filter(is_mark).flat_map(|node| node.defines.clone()).collect();
            let before = self.marks.len();
            self.marks.extend(found);
            if self.marks.len() == before {
                break;
            }
        }
        let marked: Vec<bool> =
            self.heads.iter().map(|head| head.iter().any(|word| self.marks.contains(word))).collect();
        let is_defined = |name: &str| {
            let mut marked = self.nodes.iter().zip(&marked).filter(|(_, is_marked)| **is_marked);
            marked.any(|(node, _)| node.defines.iter().any(|defined| defined == name))
        };
        let kernel = kernel.filter(|kernel| is_defined(unmangle(kernel)));
        self.is_narrow = kernel.is_some();
        let mut names: BTreeSet<String> =
            kernel.into_iter().flat_map(|name| words(name).chain([unmangle(name)])).map(str::to_owned).collect();
        let roots = self
            .nodes
            .iter()
            .zip(&marked)
            .filter(|(node, is_marked)| **is_marked && (!self.is_narrow || node.is_operator));
        names.extend(roots.flat_map(|(node, _)| node.uses.iter().cloned()));
        let mut definitions: HashMap<&str, Vec<&Node>> = HashMap::new();
        for node in self.nodes.iter().chain(&self.macros) {
            for name in &node.defines {
                definitions.entry(name).or_default().push(node);
            }
        }
        let mut waiting: Vec<String> = names.iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            let uses = definitions.remove(name.as_str()).unwrap_or_default().into_iter().flat_map(|node| &node.uses);
            for word in uses {
                if names.insert(word.clone()) {
                    waiting.push(word.clone());
                }
            }
        }
        self.names = names;
    }

    /// Returns whether a declaration is marked for the device.
    pub fn is_marked(&self, item: &Item, blank: &str) -> bool {
        let mut head = words(&blank[item.head.clone()]).peekable();
        // Textures by reference were for the device without a mark.
        let is_texture = matches!(head.peek(), Some(&("texture" | "surface")));
        is_texture || head.any(|word| self.marks.contains(word))
    }

    /// Returns whether a text has a word that marks a declaration for the device.
    pub fn has_mark(&self, text: &str) -> bool {
        words(text).any(|word| self.marks.contains(word))
    }

    /// Returns whether a declaration is needed.
    pub fn is_needed(&self, item: &Item, blank: &str) -> bool {
        let all = &blank[item.place.clone()];
        let mut first = words(all);
        if (first.next(), first.next()) == (Some("using"), Some("namespace")) {
            let names: Vec<&str> = first.collect();
            let is_known = |name: &&str| self.namespaces.contains(*name) || OF_DEVICE.contains(name);
            return names.iter().all(is_known) && (names[..] == ["std"] || !names.contains(&"std"));
        }
        let is_marked = self.is_marked(item, blank);
        is_marked && (!self.is_narrow || is_operator(item, blank))
            || defined(item, blank).any(|name| self.names.contains(name))
    }
}

/// The namespaces of headers for the device.
const OF_DEVICE: [&str; 6] = ["std", "cuda", "cooperative_groups", "nvcuda", "wmma", "cub"];

/// Returns whether a function has no name by which it is used.
fn is_operator(item: &Item, blank: &str) -> bool {
    (item.is_function || item.is_prototype) && words(&blank[item.head.clone()]).any(|word| word == "operator")
}

fn owned<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_uses_is_needed_with_what_that_uses() {
        let text = "typedef float real; typedef pthread_t Worker; const int wide = 3, half = wide / 2;\n#define SIZE (2 * half)\n\
            #define DEVICE __device__\n#define BOTH DEVICE __host__\n\
            struct Point { real x; }; struct Options { FILE* file; }; BOTH real one(Point p) { return p.x; }\n\
            __global__ void k(float* x) { x[SIZE] = one(Point{1}); } __global__ void other(Options o) { }";
        let needed = |kernel| {
            let mut needs = Needs::default();
            needs.add(text);
            needs.resolve(kernel);
            let blank = blank(text).text;
            let names = items(&blank).into_iter().filter(|item| needs.is_needed(item, &blank));
            names.map(|item| defined(&item, &blank).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(needed(Some("k")), "real, wide half, Point, one, k");
        assert_eq!(needed(Some("_Z1kPf")), needed(Some("k")));
        assert_eq!(needed(None), "real, wide half, Point, Options, one, k, other");
        assert_eq!(needed(Some("made_by_a_macro")), needed(None));
    }
}
