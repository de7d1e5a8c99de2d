//! Findings and faults as JSON.

use emulator::{Dim3, Side};
use judge::Found;
use serde_json::{Value, json};

/// Returns a FINDING, whose `text` is the one at the command line.
///
/// | field | value |
/// |---|---|
/// | `text` | the mistake, its threads and their lines of source, as `cargo learn` prints them |
/// | `title` | the mistake, in one line |
/// | `tool` | `memcheck`, `initcheck`, `racecheck`, `synccheck`, or null |
/// | `memory`, `address` | `global` or `shared`, and the address in it as text; or null |
/// | `scene` | the number of its launch in the answer to `scenes` |
/// | `sides` | the threads: `verb`, number of the `block`, index of the `thread`, `warp`, `lane`, `file` and `line` or null, `ptx_line` |
#[must_use]
pub fn json(found: &Found, text: &str) -> Value {
    let diagnosis = &found.diagnosis;
    let sides: Vec<Value> = diagnosis.sides.iter().map(|at| side(at, found.grid)).collect();
    let (memory, address) = found.address.map(|(memory, address)| (memory, address.to_string())).unzip();
    json!({
        "text": text,
        "title": diagnosis.title,
        "tool": diagnosis.tool.map(|tool| tool.to_string()),
        "memory": memory,
        "address": address,
        "scene": found.launch,
        "sides": sides,
    })
}

fn side(Side { verb, place }: &Side, grid: Dim3) -> Value {
    let number = |index: Dim3| {
        let [x, y, z] = [index.x, index.y, index.z].map(u64::from);
        x + u64::from(grid.x) * (y + u64::from(grid.y) * z)
    };
    let Dim3 { x, y, z } = place.thread;
    json!({
        "verb": verb,
        "block": number(place.block),
        "thread": [x, y, z],
        "warp": place.warp,
        "lane": place.lane,
        "file": place.location.as_ref().map(|(file, _)| file),
        "line": place.location.as_ref().map(|(_, line)| line),
        "ptx_line": place.line,
    })
}
