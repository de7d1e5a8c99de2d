//! `{{faults}}`: the faulty kernels of the emulator's tests, and which tools notice each.

use super::records::{read, text_of};
use anyhow::Result;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The tools, in the order of the table.
const TOOLS: [&str; 4] = ["memcheck", "initcheck", "racecheck", "synccheck"];

/// The contents of `compute-sanitizer.json`.
#[derive(Deserialize)]
struct Recorded {
    #[serde(rename = "compute-sanitizer")]
    release: String,
    device: String,
    kernels: BTreeMap<String, Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    faulty: Findings,
}

/// What each tool found on the GPU, and how a run without any ended.
#[derive(Deserialize)]
struct Findings {
    without: String,
    #[serde(flatten)]
    by_tool: BTreeMap<String, Vec<String>>,
}

impl Findings {
    fn tools(&self) -> String {
        let found = |tool: &&str| self.by_tool.get(*tool).is_some_and(|found| !found.is_empty());
        join(TOOLS.into_iter().filter(found).collect())
    }

    /// Returns the end of a run without a tool. Nothing compares the results then.
    fn run(&self) -> String {
        match self.without.strip_prefix("CUDA_ERROR_") {
            Some(error) => error.to_lowercase().replace('_', " "),
            None => "ends".into(),
        }
    }
}

fn join(tools: Vec<&str>) -> String {
    if tools.is_empty() { "–".into() } else { tools.join(", ") }
}

/// Returns a table with a row per faulty kernel, and below it the number of rows that each side notices.
///
/// # Errors
/// Returns an error if the collection cannot be read.
pub fn table(repository: &Path) -> Result<String> {
    let folder = repository.join("emulator/machine/tests/faults");
    let recorded: Recorded = read(&folder.join("compute-sanitizer.json"))?;
    let mut text =
        "| kernel | its mistake | on the emulator | compute-sanitizer | a plain run |\n|---|---|---|---|---|\n"
            .to_owned();
    let [mut by_emulator, mut by_sanitizer, mut by_run] = [0; 3];
    for (name, Kernel { faulty }) in &recorded.kernels {
        let source = text_of(&folder.join(format!("kernels/{name}.cu")))?;
        let emulator = on_the_emulator(&source);
        let sanitizer = faulty.tools();
        let run = faulty.run();
        by_emulator += usize::from(emulator != "–");
        by_sanitizer += usize::from(sanitizer != "–");
        by_run += usize::from(run != "ends");
        text += &format!("| `{name}` | {} | {emulator} | {sanitizer} | {run} |\n", mistake(&source));
    }
    let all = recorded.kernels.len();
    text += &format!(
        "\n<p class=\"source\">Noticed, of {all}: {by_emulator} on the emulator, {by_sanitizer} by compute-sanitizer {} on an {}, {by_run} by \
         a plain run there.</p>\n",
        recorded.release, recorded.device
    );
    Ok(text)
}

/// Returns the first sentence of a kernel's card.
fn mistake(source: &str) -> String {
    let card = source.lines().map_while(|line| line.strip_prefix("//")).map(str::trim);
    let sentence = card.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    sentence.trim_end_matches('.').to_owned()
}

/// Returns the tools whose findings are at the end of a kernel's file, `fault` for one that stops the kernel, or a dash.
fn on_the_emulator(source: &str) -> String {
    let (_, said) = source.split_once("\n// cargo x check:\n").unwrap_or_default();
    let headlines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("//   ")).collect();
    let has = |tool: &&str| headlines.iter().any(|line| line.starts_with(&format!("{tool}: ")));
    let tools: Vec<&str> = TOOLS.into_iter().filter(has).collect();
    let is_clean = headlines.iter().any(|line| line.contains(": clean ("));
    if tools.is_empty() && !is_clean { "fault".into() } else { join(tools) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loading::workspace_root;

    #[test]
    fn each_row_has_the_mistake_and_who_notices_it() {
        let repository = workspace_root();
        let table = table(&repository).expect("the collection");
        let row =
            |name: &str| table.lines().find(|line| line.contains(&format!("`{name}`"))).expect("a row").to_owned();
        assert!(row("reduction_without_fence").ends_with("| racecheck | – | ends |"), "{table}");
        assert!(row("null_pointer").ends_with("| memcheck | memcheck | illegal address |"), "{table}");
        assert!(row("tile_count_truncated").ends_with("| – | – | ends |"), "{table}");
        assert!(row("barriers_mismatched").contains("| racecheck, synccheck | ends |"), "{table}");
        assert!(table.lines().all(|line| !line.starts_with("| `") || line.matches(" | ").count() == 4), "{table}");
    }
}
