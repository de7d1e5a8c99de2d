//! The data of a player, which `theme/player.js` reads.

use super::comparison::Output;
use super::entry;
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
        let ptx = entry::only(&scene.ptx, &scene.entry);
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
