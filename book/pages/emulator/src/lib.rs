//! The emulator for pages of the book, which runs and traces kernels and computes the cost of memory accesses.
//!
//! Questions and answers are JSON; [`answer`] is the whole interface. [`Exchange`] passes them between the linear memory of
//! WebAssembly and JavaScript (`book/theme/emulator.js`). The WebAssembly module has no imports. A page
//! may offer it a fused multiply-add (`book/theme/instance.js`).
//!
//! | question | answer |
//! |---|---|
//! | `{"ask":"global","addresses":[…],"active":…,"bytes":…}` | sectors of one warp's load or store |
//! | `{"ask":"shared","addresses":[…],"active":…,"bytes":…,"store":…}` | wavefronts and bank conflicts |
//! | `{"ask":"shuffle","mode":"idx\|up\|down\|bfly","operand":…,"width":…,"active":…}` | the source lane of each lane |
//! | `{"ask":"occupancy","registers":…,"shared_bytes":…,"block":…}` | resident blocks, and the limiting resource |
//! | `{"ask":"run","scene":{…}}` | counters, and whether the results equal those of the scene |
//! | `{"ask":"trace","scene":{…},"block":…,"most_steps":…}` | the instructions of each warp of a block |

mod exchange;
mod question;
mod replay;
mod warp;

pub use exchange::Exchange;
pub use question::Question;
pub use replay::{BUDGET, MEMORY_BYTES};
#[cfg(target_family = "wasm")]
pub use simd as fused;

use serde_json::{Value, json};

#[cfg(all(feature = "module", target_family = "wasm"))]
export_exchange!(answer);

/// Answers a question. The answer to an invalid question is `{"error": "…"}`.
#[must_use]
pub fn answer(question: &str) -> String {
    let answered =
        serde_json::from_str(question).map_err(|error| error.to_string()).and_then(|question| reply(&question));
    answered.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn reply(question: &Question) -> Result<Value, String> {
    match question {
        Question::Global(access) => warp::sectors(access),
        Question::Shared { access, store } => warp::wavefronts(access, *store),
        Question::Shuffle { mode, operand, width, active } => warp::shuffle(*mode, *operand, *width, *active),
        Question::Occupancy { registers, shared_bytes, block } => warp::occupancy(*registers, *shared_bytes, *block),
        Question::Run { scene } => replay::run(scene),
        Question::Trace { scene, block, most_steps } => replay::trace(scene, *block, *most_steps),
    }
}
