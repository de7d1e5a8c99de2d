//! The data of a player, which `theme/player.js` reads.

use super::comparison::Output;
use anyhow::Result;
use emulator::Scene;
use serde::Serialize;
use std::collections::BTreeMap;

/// The data of a player. Scenes refer to `ptx` and `contents` by number and so share them.
#[derive(Default, Serialize)]
pub struct Scenes {
    pub kernels: Vec<KernelFile>,
    ptx: Shelf,
    contents: Shelf,
    pub scenes: Vec<Take>,
}

/// A kernel in one language.
#[derive(Serialize)]
pub struct KernelFile {
    pub name: String,
    pub language: &'static str,
    pub file: String,
    pub source: String,
}

/// The name that readers see.
pub fn language(in_rust: bool) -> &'static str {
    if in_rust { "Rust" } else { "CUDA C++" }
}

/// Texts by number, without duplicates.
#[derive(Default)]
struct Shelf(BTreeMap<String, usize>);

impl Shelf {
    fn put(&mut self, text: String) -> String {
        let next = self.0.len();
        self.0.entry(text).or_insert(next).to_string()
    }
}

impl Serialize for Shelf {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(text, number)| (number.to_string(), text)))
    }
}

/// A launch that a reader can choose.
#[derive(Serialize)]
pub struct Take {
    pub kernel: String,
    pub language: &'static str,
    pub size: String,
    pub n: usize,
    pub block: u32,
    pub blocks: u32,
    /// The result of the comparison with the reference.
    pub reference: String,
    /// The first failure of the checks of an exercise, which the player shows after a run instead of a check mark.
    pub finding: Option<String>,
    /// The bytes that the launch needs at least; 0 if unknown.
    pub needed_bytes: f64,
    pub scene: serde_json::Value,
}

impl Scenes {
    /// The scene as JSON, with its large texts replaced by numbers.
    pub fn shelve(&mut self, scene: Scene) -> Result<serde_json::Value> {
        let ptx = only(&scene.ptx, &scene.entry);
        let mut json = serde_json::to_value(Scene { ptx: String::new(), ..scene })?;
        json["ptx"] = self.ptx.put(ptx).into();
        for part in ["memory", "variables", "results"] {
            for place in json[part].as_array_mut().into_iter().flatten() {
                let contents = place["contents"].as_str().unwrap_or_default().to_owned();
                place["contents"] = self.contents.put(contents).into();
            }
        }
        Ok(json)
    }

    /// The comparison as JSON, with its tolerances replaced by numbers. Kernels of a problem share them.
    pub fn shelve_outputs(&mut self, outputs: Vec<Output>) -> serde_json::Value {
        let shelved = |Output { name, is_integer, tolerances, least, share, places }| {
            let contents = self.contents.put(tolerances);
            serde_json::json!({
                "output": name, "is_integer": is_integer, "contents": contents, "least": least, "share": share, "places": places,
            })
        };
        outputs.into_iter().map(shelved).collect()
    }
}

/// Returns the module with only the kernel `entry`. Lines keep their order, and comments before the header are removed.
///
/// Compilers begin an entry with `.visible .entry` at the start of a line, and end it with a line `}`.
fn only(ptx: &str, entry: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    let mut started = false;
    for line in ptx.lines() {
        started |= line.starts_with(".version");
        if let Some(name) = line.strip_prefix(".visible .entry ") {
            inside = name.split(['(', ' ']).next() != Some(entry);
        }
        if started && !inside {
            kept += line;
            kept.push('\n');
        }
        inside &= line != "}";
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::only;

    const PTX: &str = "// made\n.version 8.1\n.global .u32 g;\n.visible .entry a_32(\n)\n{\nret;\n}\n\n.visible .entry a(\n)\n{\nret;\n\
                       }\n.file 1 \"a.cu\"\n";

    #[test]
    fn the_entry_and_what_all_share_are_kept() {
        assert_eq!(
            only(PTX, "a"),
            ".version 8.1\n.global .u32 g;\n\n.visible .entry a(\n)\n{\nret;\n}\n.file 1 \"a.cu\"\n"
        );
        assert!(only(PTX, "a_32").contains("a_32(") && !only(PTX, "a_32").contains("a(\n"));
        assert!(!only(PTX, "other").contains(".entry"));
    }
}
