//! The answers to questions about launches.

use emulator::{LaunchError, Options, Replay, Scene, TracedAccess, TracedStep, Values, Written};
use serde_json::{Map, Value, json};

/// The capacity of device memory in a page.
pub const MEMORY_BYTES: u64 = 64 << 20;

/// The largest number of instructions in a trace. Each takes about 300 bytes.
const MAX_STEPS: usize = 100_000;

/// The number of warp instructions after which a run is stopped, after several seconds in a page.
pub const BUDGET: u64 = 100_000_000;

fn set_up(scene: &Scene) -> Result<Replay<'_>, String> {
    scene.set_up(MEMORY_BYTES).map_err(|error| error.to_string())
}

pub(crate) fn run(scene: &Scene) -> Result<Value, String> {
    let replay = set_up(scene)?;
    let options = Options { counters: true, instruction_budget: Some(BUDGET), ..Options::default() };
    match emulator::launch(&replay.kernel, &replay.memory, &replay.launch(), &options) {
        Ok(counters) => {
            let unequal = replay.unequal_words().map_err(|error| error.to_string())?;
            Ok(json!({ "counters": counters, "same_bits": unequal == 0, "unequal_words": unequal, "fault": null }))
        }
        Err(LaunchError::Fault(fault)) => Ok(json!({ "counters": {}, "same_bits": false, "fault": fault.to_string() })),
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn trace(scene: &Scene, block: u64, most_steps: usize) -> Result<Value, String> {
    let replay = set_up(scene)?;
    let most_steps = most_steps.min(MAX_STEPS);
    let traced = emulator::trace(&replay.kernel, &replay.memory, &replay.launch(), block, most_steps);
    let traced = traced.map_err(|error| error.to_string())?;
    Ok(json!({
        "steps": traced.steps.iter().map(step).collect::<Vec<_>>(),
        "cut": traced.cut,
        "fault": traced.fault.map(|fault| fault.to_string()),
    }))
}

fn step(step: &TracedStep) -> Value {
    json!({
        "warp": step.warp,
        "line": step.line,
        "source": step.location.as_ref().map(|(_, line)| line),
        "active": step.active,
        "written": step.written.iter().map(encode_written).collect::<Vec<_>>(),
        "accesses": step.accesses.iter().map(access).collect::<Vec<_>>(),
    })
}

/// Returns a written register. Equal values of all lanes are given once, and 64-bit values as text, because they do not fit
/// a JavaScript number.
fn encode_written(written: &Written) -> Value {
    let (kind, mut values): (_, Vec<Value>) = match &written.values {
        Values::Predicate(mask) => ("pred", vec![json!(mask)]),
        Values::Narrow(lanes) => ("b32", lanes.map(Value::from).into()),
        Values::Wide(lanes) => ("b64", lanes.map(|lane| format!("{lane:#x}").into()).into()),
    };
    if values.iter().all(|value| *value == values[0]) {
        values.truncate(1);
    }
    json!({ "register": written.register, "kind": kind, "values": values })
}

fn access(access: &TracedAccess) -> Value {
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
    set("space", json!(access.space));
    set("kind", json!(access.direction));
    set("bytes", access.bytes.into());
    set("active", access.active.into());
    set("addresses", access.addresses.to_vec().into());
    if let Some(sectors) = access.sectors {
        set("sectors", sectors.into());
    }
    if let Some((wavefronts, conflicts)) = access.wavefronts {
        set("wavefronts", wavefronts.into());
        set("conflicts", conflicts.into());
    }
    fields.into()
}
