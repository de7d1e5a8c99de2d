//! A launch of an edited kernel of a stage, under all checks.

use crate::question::Compared;
use crate::{comparison, found};
use emulator::{LaunchError, Options, Replay, Scene};
use emulator_web::{BUDGET, MEMORY_BYTES};
use judge::Found;
use judge::kernel_file::{self, Detail, Sources};
use serde_json::{Value, json};
use std::path::Path;

/// Runs a launch for its counters and its results, and once more for the findings.
pub fn check(Compared { scene, comparison }: &Compared, file: &str, text: &str) -> Result<Value, String> {
    let file = Path::new(file);
    let mut sources = Sources::new(file).with(file, text);
    let mut json_of = |found: &Found| {
        let text = kernel_file::text(&found.diagnosis, &mut sources, Detail::Source);
        found::json(found, &text)
    };
    let counted = set_up(scene)?;
    let options = Options { counters: true, instruction_budget: Some(BUDGET), ..Options::default() };
    let counters = match emulator::launch(&counted.kernel, &counted.memory, &counted.launch(), &options) {
        Ok(counters) => Some(counters),
        Err(LaunchError::Fault(fault)) => {
            let found = Found::fault(&fault, 0, counted.launch().grid);
            if found.is_endless() {
                let fault = json_of(&found);
                return Ok(
                    json!({ "counters": {}, "fault": fault, "findings": [], "same_bits": false, "comparison": null }),
                );
            }
            None
        }
        Err(error) => return Err(error.to_string()),
    };
    let unequal = counted.unequal_words().map_err(|error| error.to_string())?;
    let checked = set_up(scene)?;
    let options = Options { instruction_budget: Some(BUDGET), ..Options::default() };
    let launch = checked.launch();
    let verdict =
        emulator::check(&checked.kernel, &checked.memory, &launch, &options).map_err(|error| error.to_string())?;
    let findings = verdict.findings.iter().map(|finding| json_of(&Found::finding(finding, 0, launch.grid)));
    let findings: Vec<Value> = findings.collect();
    let fault = verdict.fault.map(|fault| json_of(&Found::fault(&fault, 0, launch.grid)));
    Ok(json!({
        "counters": counters.map_or(json!({}), |counters| json!(counters)),
        "fault": fault,
        "findings": findings,
        "same_bits": fault.is_none() && unequal == 0,
        "unequal_words": unequal,
        "comparison": comparison::compare(comparison, scene, &counted.memory)?,
    }))
}

fn set_up(scene: &Scene) -> Result<Replay<'_>, String> {
    scene.set_up(MEMORY_BYTES).map_err(|error| error.to_string())
}
